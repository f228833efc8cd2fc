// The one table between the kernel's bits and ours. poll(2) and epoll(7) use the same values on Linux.
//
// HUP counts as readable only and ERR as both: the rule of select(2), which this agrees with for every kind
// of descriptor. What comes out is cut to what was asked for by the caller of ready_bits.
#pragma once

#include <poll.h>
#include <sys/epoll.h>

#include <array>
#include <cstdint>

#include <selectors/event.hpp>

namespace selectors {

static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLPRI == POLLPRI && EPOLLERR == POLLERR &&
              EPOLLHUP == POLLHUP && EPOLLRDHUP == POLLRDHUP);

namespace detail {

constexpr auto requests = [] {
  std::array<std::uint16_t, 16> table{};
  for (unsigned wanted = 0; wanted < table.size(); ++wanted) {
    const auto has = [wanted](interest i) { return (wanted & static_cast<unsigned>(i)) != 0; };
    table[wanted] = static_cast<std::uint16_t>(
        (has(interest::read) ? POLLIN : 0) | (has(interest::write) ? POLLOUT : 0) |
        (has(interest::priority) ? POLLPRI : 0) | (has(interest::peer_closed) ? POLLRDHUP : 0));
  }
  return table;
}();

// For each combination of the six lowest bits - IN PRI OUT ERR HUP NVAL - and RDHUP, brought beside them, the interest
// (low half) and the status (high half) that they mean.
constexpr auto meanings = [] {
  std::array<std::uint16_t, 128> table{};
  for (unsigned raw = 0; raw < table.size(); ++raw) {
    const unsigned read = (raw & (POLLIN | POLLHUP | POLLERR)) != 0;
    const unsigned write = (raw & (POLLOUT | POLLERR)) != 0;
    const unsigned priority = (raw & POLLPRI) != 0;
    const unsigned peer_closed = raw >> 6;
    const unsigned hangup = (raw & POLLHUP) != 0;
    const unsigned error = (raw & POLLERR) != 0;
    const unsigned invalid = (raw & POLLNVAL) != 0;
    table[raw] = static_cast<std::uint16_t>(read | write << 1 | priority << 2 | peer_closed << 3 |
                                            (hangup | error << 1 | invalid << 2) << 8);
  }
  return table;
}();
static_assert((POLLIN | POLLPRI | POLLOUT | POLLERR | POLLHUP | POLLNVAL) == 63 && POLLRDHUP == 64 << 7);

constexpr std::uint16_t meaning(std::uint32_t raw) noexcept {
  return meanings[(raw & 63) | (raw >> 7 & 64)];
}

}  // namespace detail

// What to ask the kernel for. `wanted` has known bits only.
constexpr std::uint16_t bits_for(interest wanted) noexcept {
  return detail::requests[static_cast<std::uint8_t>(wanted)];
}

constexpr interest ready_bits(std::uint32_t raw) noexcept {
  return static_cast<interest>(static_cast<std::uint8_t>(detail::meaning(raw)));
}

constexpr status status_bits(std::uint32_t raw) noexcept {
  return static_cast<status>(detail::meaning(raw) >> 8);
}

// Both, of somebody who wants this. From one number, so that the compiler can store it at once.
struct shown {
  shown(std::uint32_t raw, interest wanted) noexcept
      : shown(detail::meaning(raw) & (0xff00u | static_cast<unsigned>(wanted))) {}

  interest ready;
  status flags;

 private:
  explicit shown(unsigned both) noexcept
      : ready(static_cast<interest>(both & 0xff)), flags(static_cast<status>(both >> 8)) {}
};

}  // namespace selectors
