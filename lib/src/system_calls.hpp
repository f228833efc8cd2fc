// Every system call of the library goes through this one table, so that tests can inject faults and counters
// can count. Replace members only while no selector is in use by another thread.
#pragma once

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/types.h>
#include <time.h>

#include <csignal>
#include <cstddef>
#include <cstdint>

namespace selectors {

// What epoll_pwait2 takes: 64 bits wide also where time_t is not.
struct wide_timespec {
  std::int64_t seconds;
  std::int64_t nanoseconds;
};

struct system_calls {
  int (*epoll_create)() noexcept;
  int (*epoll_ctl)(int set, int operation, int fd, epoll_event*) noexcept;
  int (*epoll_wait)(int set, epoll_event*, int room, int milliseconds);
  int (*epoll_pwait)(int set, epoll_event*, int room, int milliseconds, const sigset_t*);
  int (*epoll_pwait2)(int set, epoll_event*, int room, const wide_timespec*, const sigset_t*);
  int (*poll)(pollfd*, nfds_t, int milliseconds);
  int (*ppoll)(pollfd*, nfds_t, const timespec*, const sigset_t*);
  int (*select)(int highest_plus_one, fd_set*, fd_set*, fd_set*, timeval*);
  int (*pselect)(int highest_plus_one, fd_set*, fd_set*, fd_set*, const timespec*, const sigset_t*);
  int (*status_flags)(int fd) noexcept;  // fcntl(fd, F_GETFL)
  int (*event_descriptor)() noexcept;    // eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)
  ssize_t (*read)(int fd, void*, std::size_t);
  ssize_t (*write)(int fd, const void*, std::size_t);
  int (*close)(int fd);
  std::int64_t (*monotonic_nanoseconds)() noexcept;
};

extern system_calls system_call;

}  // namespace selectors
