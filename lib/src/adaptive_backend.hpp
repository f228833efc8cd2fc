// Both sets, and the cost model that says which descriptor belongs to which. cost_model.hpp has the reasons.
//
// A live registration is *polled* (position is not 0) or *watched* (it has an armed entry and is not polled). A polled
// one may have an entry too: armed, left over from an earlier purchase, while nothing asks the epoll set; masked while
// something does. Some cannot be polled: edge-triggered and exclusive ones, and those whose unwanted condition poll
// would report for ever. Some cannot be watched: what epoll refuses (regular files) stays polled.
//
// adaptive_backend.cpp has the waits, adaptive_moves.cpp where a registration goes and how it changes sides.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "backend.hpp"
#include "cost_model.hpp"
#include "epoll_set.hpp"
#include "poll_set.hpp"

namespace selectors {

// The seam by which tests hold every adaptive selector of the process in one regime, from its next wait on. In the
// mixed regime every other number is watched.
extern std::optional<regime> forced_regime;

inline bool must_be_watched(const registration& r) noexcept {
  return r.mode == trigger::edge || r.mode == trigger::exclusive || r.state == watch::muted;
}

// A watched registration's `since`: the number of the wait that it was last ready in, and its account above.
inline constexpr std::uint32_t wait_bits = 23;
inline constexpr std::uint32_t wait_mask = (1u << wait_bits) - 1;

class adaptive_backend final : public multiplexer {
 public:
  explicit adaptive_backend(registration_table& table) noexcept
      : table_(table), polled_(table), watched_(table) {}

  fault open() noexcept override;
  void close() noexcept override;
  fault add(int fd, registration& r) noexcept override;
  fault modify(int fd, registration& r, const registration& old) noexcept override;
  void remove(int fd, registration& r) noexcept override;
  void park(int fd, registration& r) noexcept override;
  fault unpark(int fd, registration& r) noexcept override;
  wait_result wait(const wait_request& request) override;
  fault watch_waker(int fd) noexcept override;
  bool is_healthy(int fd, const registration& r) noexcept override;
  fault native_handle(int& handle) noexcept override;
  fault leave_parent() noexcept override;
  std::size_t footprint() const noexcept override {
    return sizeof *this + polled_.footprint() + watched_.footprint();
  }

 private:
  int watched() const noexcept { return static_cast<int>(watched_.size() - watched_.masked()) - armed_; }
  int registered() const noexcept { return static_cast<int>(polled_.size()) + watched(); }
  holdings have() const noexcept;

  fault need_set() noexcept;
  fault put_in_poll(int fd, registration& r) noexcept;
  void take_from_poll(registration& r) noexcept;
  fault arm(int fd, registration& r) noexcept;
  fault put_in_epoll(int fd, registration& r) noexcept;
  fault poll_instead(int fd, registration& r, fault refusal) noexcept;
  void poll_as_before(int fd, registration& r, const registration& old) noexcept;
  fault mask_and_poll(int fd, registration& r) noexcept;
  fault place(int fd, registration& r) noexcept;
  fault watch_alone(int fd, registration& r) noexcept;
  void regime_may_have_changed() noexcept;
  fault show_polled() noexcept;

  wait_result wait_once(const wait_request& request);
  wait_result ask_poll(const wait_request& request);
  wait_result poll_all(const wait_request& request);
  [[gnu::noinline]] wait_result ask_both(const wait_request& request);
  [[gnu::noinline]] wait_result wait_blocking(const wait_request& request);
  wait_result watch_all(const wait_request& request);
  bool may_lease(const wait_request& request) const noexcept;
  void end_lease() noexcept;
  [[gnu::noinline]] void account_for_lease() noexcept;
  [[gnu::noinline]] void every_few_waits() noexcept;
  [[gnu::noinline]] void count_registrations() noexcept;
  [[gnu::cold, gnu::noinline]] void before_unusual_wait(const wait_request& request) noexcept;
  void before_first_wait() noexcept;
  void prepare_limited() noexcept;
  void hold(regime r) noexcept;
  [[gnu::cold, gnu::noinline]] wait_result without_epoll(const wait_request& request,
                                                         const wait_result& before,
                                                         const wait_result& failed);
  void take_census() noexcept;
  [[gnu::noinline]] int count_busy(const wait_request& request, const wait_result& found) noexcept;

  [[gnu::noinline]] void follow(advice a, const wait_request& request, const wait_result& found) noexcept;
  void move_to_epoll(bool all) noexcept;
  void move_to_poll() noexcept;
  void poll_busy(const wait_request& request, const wait_result& found) noexcept;
  void mask_armed() noexcept;
  [[gnu::cold, gnu::noinline]] void follow_parked(const wait_request& request,
                                                  const wait_result& found) noexcept;
  void recount_parked() noexcept;
  void watch_unwanted() noexcept;
  bool is_quiet(const registration& r) const noexcept;

  registration_table& table_;
  poll_set polled_;
  epoll_set watched_;
  cost_model model_;
  int armed_ = 0;      // polled, with an armed entry
  int refused_ = 0;    // polled, because epoll will not have them
  int exclusive_ = 0;  // while there are any, nothing may stand between them and their epoll set
  int largest_ = 0;
  int waker_ = -1;
  std::uint32_t waits_ = 0;
  std::uint32_t rebuilds_ = 0;           // of the epoll set, that armed_ knows of
  std::array<std::uint32_t, 3> ages_{};  // the last generations of 16 to 24, 8 to 16 and up to 8 waits ago
  std::uint32_t counted_generation_ = 0;
  std::uint32_t quiet_from_ =
      0;  // when the first polled one without an entry may be quiet, by the clock of the polled
  std::int8_t survivors_ = 8;   // whether what is registered usually lives long: from 8 on
  std::int8_t look_first_ = 2;  // from 2 on, waits that could block have found something at once
  bool watched_was_ready_ = false;
  bool has_unwanted_ = false;  // that epoll has not taken yet
  bool handle_given_ = false;
};

}  // namespace selectors
