// A set of descriptors to wait for with poll(2). Owns every quirk of that call:
//
//   * HUP, ERR and NVAL are reported whether asked for or not, at once and for ever: a descriptor that shows
//   nothing
//     else is parked, which here means that it leaves the array;
//   * the array is scanned from its start: when more is ready than the limit, the scan starts where it ended
//   last.
#pragma once

#include <poll.h>

#include <cstddef>

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
    const std::size_t i = ++count_;
    polled_[i] = {.fd = fd, .events = static_cast<short>(bits_for(r.wanted)), .revents = 0};
    members_[i] = &r;
    r.position = static_cast<std::uint32_t>(i);
  }
  // ENOMEM.
  fault make_room() noexcept { return has_room() ? fault() : grow(); }
  void update(const registration& r) noexcept;
  void erase(registration& r) noexcept;
  void clear() noexcept;

  fault watch_waker(int fd) noexcept;

  wait_result wait(const wait_request& request);

  std::size_t footprint() const noexcept { return polled_.footprint() + members_.footprint(); }

 private:
  // Index 0 is the waker's, so that an array without one starts at 1 and costs nothing.
  static constexpr std::size_t waker_index = 0;

  std::size_t begin() const noexcept { return has_waker_ ? waker_index : 1; }
  std::size_t end() const noexcept { return count_ + 1; }

  [[gnu::cold, gnu::noinline]] fault grow() noexcept;
  int ask(const wait_request& request);
  [[gnu::noinline]] int ask_for_a_time(const wait_request& request);
  void collect_all(int ready, selection_writer& out) noexcept;
  [[gnu::cold, gnu::noinline]] void collect_in_turn(selection_writer& out) noexcept;
  void visit(std::size_t i, selection_writer& out) noexcept;
  [[gnu::cold, gnu::noinline]] void settle(const selection_writer& out) noexcept;

  registration_table& table_;
  buffer<pollfd> polled_;
  buffer<registration*> members_;  // beside polled_: whose it is
  std::size_t capacity_ = 0;       // of both
  std::size_t count_ = 0;
  std::size_t next_ = 1;  // where the next limited scan starts
  bool has_waker_ = false;
  bool unsettled_ = false;  // a scan met something to park
};

}  // namespace selectors
