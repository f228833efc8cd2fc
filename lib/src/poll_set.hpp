// A set of descriptors to wait for with poll(2). Owns every quirk of that call:
//
//   * HUP, ERR and NVAL are reported whether asked for or not, at once and for ever: a descriptor that shows nothing
//     else is parked, which here means that it leaves the array;
//   * the array is scanned from its start: when more is ready than the limit, the scan starts where it ended last;
//   * a call that may block queues itself on every descriptor before the first one that is ready: whatever was found
//     first is put first for the next time.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "backend.hpp"
#include "readiness_bits.hpp"
#include "selection_writer.hpp"

namespace selectors {

class poll_set {
 public:
  explicit poll_set(registration_table& table) noexcept : table_(table) {}

  // Whether insert will find room without asking for memory.
  bool has_room() const noexcept { return end() < capacity_; }
  // Needs room.
  void insert(int fd, registration& r) noexcept {
    const std::size_t i = places + count_++;
    polled_[i] = {.fd = fd, .events = static_cast<short>(bits_for(r.wanted)), .revents = 0};
    members_[i] = &r;
    r.position = static_cast<std::uint32_t>(i);
    r.since = clock_;
  }
  // ENOMEM.
  fault make_room() noexcept { return has_room() ? fault() : grow(); }
  fault make_room(std::size_t more) noexcept;

  void update(const registration& r) noexcept;
  void erase(registration& r) noexcept;
  void clear() noexcept;

  fault watch_waker(int fd) noexcept;
  // The epoll set whose readiness ends a wait too; -1: none. Needs room.
  void watch_nested(int set) noexcept;

  wait_result wait(const wait_request& request);

  std::size_t size() const noexcept { return count_; }
  // What the last wait found: whether the nested set is ready, and how many members stand before the first ready one.
  bool nested_was_ready() const noexcept { return nested_was_ready_; }
  std::size_t before_first() const noexcept { return before_first_; }
  // Whether a wait has parked something since the last call of take_parked.
  bool wants_attention() const noexcept { return has_parked_; }
  bool take_parked() noexcept { return std::exchange(has_parked_, false); }

  // What members are stamped with when they are ready: in units of the caller's.
  std::uint32_t clock() const noexcept { return clock_; }
  void advance_clock(std::uint32_t by) noexcept { clock_ += by; }

  // f(int fd, registration&), from the last to the first; f may erase the one that it is given.
  template <class F>
  void for_each(F&& f) {
    for (std::size_t i = end(); i-- > places;) f(polled_[i].fd, *members_[i]);
  }

  std::size_t footprint() const noexcept { return polled_.footprint() + members_.footprint(); }

 private:
  // In front of the members, so that a wait without nested set or waker starts further on and costs nothing.
  static constexpr std::size_t nested_place = 0;
  static constexpr std::size_t waker_place = 1;
  static constexpr std::size_t places = 2;

  std::size_t end() const noexcept { return places + count_; }

  [[gnu::cold, gnu::noinline]] fault grow() noexcept;
  void put_places() noexcept;
  int ask(const wait_request& request);
  [[gnu::noinline]] int ask_for_a_time(std::int64_t nanoseconds, const sigset_t* mask);
  wait_result collect(const wait_request& request, int ready) noexcept;
  [[gnu::noinline]] wait_result collect_beside_places(const wait_request& request, int ready) noexcept;
  selection_writer collect_all(int ready, selection_writer out) noexcept;
  [[gnu::cold, gnu::noinline]] selection_writer collect_in_turn(selection_writer out) noexcept;
  void visit(std::size_t i, selection_writer& out) noexcept;
  [[gnu::cold, gnu::noinline]] void settle(std::size_t first, selection_writer out) noexcept;
  void bring_forward(std::size_t i) noexcept;

  registration_table& table_;
  buffer<pollfd> polled_;
  buffer<registration*> members_;  // beside polled_: whose it is
  std::size_t capacity_ = 0;       // of both
  std::size_t count_ = 0;
  std::size_t begin_ = places;  // where a wait starts: at the first place that is taken, else at the members
  std::size_t next_ = places;   // where the next limited scan starts
  std::size_t before_first_ = 0;
  std::uint32_t clock_ = 0;
  int nested_ = -1;
  int waker_ = -1;
  bool nested_was_ready_ = false;
  bool unsettled_ = false;  // a scan met something to park
  bool has_parked_ = false;
};

}  // namespace selectors
