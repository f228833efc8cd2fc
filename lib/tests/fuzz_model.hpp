// What a selector should say, by asking poll(2) itself; for traces of random verbs.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <selectors/selector.hpp>

namespace selectors::tests {

class fuzz_model {
 public:
  struct registration {
    key known;
    bool registered = false;
    bool stale = false;         // its descriptor was closed: its own events are unspecified
    bool fired = false;         // a oneshot
    bool edge_pending = false;  // an edge that has to be reported, if it is still there
    bool seen = false;          // in the selection that is compared
    interest ready = interest::none;
    interest was_ready = interest::none;
    short raw = 0;
  };

  static constexpr int most_numbers = 2048;

  registration& at(int fd) { return all_.at(static_cast<std::size_t>(fd)); }
  const std::vector<int>& numbers() const noexcept { return numbers_; }

  void enter(const key& k);
  // After modify and resume: armed again.
  void rearm(const key& k);
  void leave(int fd);

  // Asks the kernel. How many entries a wait has to have, at the least and without a limit.
  std::size_t look();
  // "" when `found`, of a wait with this limit, agrees with the last look; else what is wrong. `whole`: it has to have
  // everything that the limit leaves room for.
  std::string disagreement(const selection& found, std::size_t limit, bool whole);

  bool has_stale() const;
  std::uint64_t compared() const noexcept { return compared_; }

 private:
  bool has_to_report(const registration& r) const noexcept;
  std::string wrong_entry(const event& e);

  std::vector<registration> all_ = std::vector<registration>(most_numbers);
  std::vector<int> numbers_;  // that are registered
  std::vector<pollfd> asked_;
  std::uint64_t compared_ = 0;
};

}  // namespace selectors::tests
