// Facts about a descriptor that the kernel is asked for.
#pragma once

#include <fcntl.h>

#include "system_calls.hpp"

namespace selectors {

// Open, and good for more than naming a file: an O_PATH descriptor answers EBADF to epoll_ctl(2) and POLLNVAL
// to poll(2), while select(2) calls it ready; F_GETFL is the call that tells all three cases apart.
inline bool is_open(int fd) noexcept {
  const int flags = system_call.status_flags(fd);
  return flags >= 0 && (flags & O_PATH) == 0;
}

}  // namespace selectors
