#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace selectors::perf {

// Socket pairs whose readiness changes while they are watched; the gate's arms have socket_sets, which never
// change.
class wires {
 public:
  // Throws std::system_error, and std::runtime_error when the process may not have so many descriptors.
  explicit wires(int n);
  ~wires();
  wires(const wires&) = delete;
  wires& operator=(const wires&) = delete;

  // Several of `n` pairs, made in turn, pair by pair, so that none lies better in memory, and each with numbers in a
  // row. Those of the first are low.
  static std::vector<std::shared_ptr<wires>> alike(std::size_t count, int n, std::uint64_t seed);

  int size() const noexcept { return static_cast<int>(read_ends_.size()); }
  std::span<const int> read_ends() const noexcept { return read_ends_; }
  // select(2) takes low numbers only.
  bool fit_select() const noexcept;

  // One more byte, without a look at what is there.
  void send(int i);
  // Takes whatever there is.
  void drain(int i);

  void set_ready(int i, bool wanted);
  // The first `k` and no other.
  void set_first_ready(int k);
  // `k` of them, evenly spread, none twice.
  void set_spread_ready(int k);

 private:
  wires() = default;
  void add_pair(int read_end_from, int write_end_from);

  std::vector<int> read_ends_;
  std::vector<int> write_ends_;
  std::vector<char> ready_;
};

// Whether this process may have so many socket pairs and some descriptors more; raises its limit if need be.
bool can_have_pairs(std::size_t pairs);

}  // namespace selectors::perf
