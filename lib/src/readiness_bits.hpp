// The one table between the kernel's bits and ours. poll(2) and epoll(7) use the same values on Linux.
//
// HUP counts as readable only and ERR as both: the rule of select(2), which this agrees with for every kind
// of descriptor. What comes out is cut to what was asked for by the caller of ready_bits.
#pragma once

#include <poll.h>
#include <sys/epoll.h>

#include <cstdint>

#include <selectors/event.hpp>

namespace selectors {

static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLPRI == POLLPRI && EPOLLERR == POLLERR &&
              EPOLLHUP == POLLHUP && EPOLLRDHUP == POLLRDHUP);

constexpr std::uint32_t bits_for(interest wanted) noexcept {
  return (any(wanted & interest::read) ? std::uint32_t{POLLIN} : 0) |
         (any(wanted & interest::write) ? std::uint32_t{POLLOUT} : 0) |
         (any(wanted & interest::priority) ? std::uint32_t{POLLPRI} : 0) |
         (any(wanted & interest::peer_closed) ? std::uint32_t{POLLRDHUP} : 0);
}

constexpr interest ready_bits(std::uint32_t raw) noexcept {
  const unsigned read = (raw & (POLLIN | POLLHUP | POLLERR)) != 0;
  const unsigned write = (raw & (POLLOUT | POLLERR)) != 0;
  const unsigned priority = (raw & POLLPRI) != 0;
  const unsigned peer_closed = (raw & POLLRDHUP) != 0;
  return static_cast<interest>(read | write << 1 | priority << 2 | peer_closed << 3);
}

constexpr status status_bits(std::uint32_t raw) noexcept {
  const unsigned hangup = (raw & POLLHUP) != 0;
  const unsigned error = (raw & POLLERR) != 0;
  const unsigned invalid = (raw & POLLNVAL) != 0;
  return static_cast<status>(hangup | error << 1 | invalid << 2);
}

}  // namespace selectors
