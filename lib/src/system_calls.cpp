#include "system_calls.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace selectors {
namespace {

// By number, because glibc has the function only from 2.35 on. The kernel wants the size of its own sigset_t.
int call_epoll_pwait2(int set, epoll_event* events, int room, const wide_timespec* t, const sigset_t* mask) {
#ifdef SYS_epoll_pwait2
  constexpr std::size_t kernel_sigset_size = 8;
  return static_cast<int>(::syscall(SYS_epoll_pwait2, set, events, room, t, mask, kernel_sigset_size));
#else
  (void)set, (void)events, (void)room, (void)t, (void)mask;
  errno = ENOSYS;
  return -1;
#endif
}

std::int64_t call_monotonic_nanoseconds() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

constinit system_calls system_call = {
    .epoll_create = []() noexcept { return ::epoll_create1(EPOLL_CLOEXEC); },
    .epoll_ctl = ::epoll_ctl,
    .epoll_wait = ::epoll_wait,
    .epoll_pwait = ::epoll_pwait,
    .epoll_pwait2 = call_epoll_pwait2,
    .poll = ::poll,
    .ppoll = ::ppoll,
    .select = ::select,
    .pselect = ::pselect,
    .status_flags = [](int fd) noexcept { return ::fcntl(fd, F_GETFL); },
    .event_descriptor = []() noexcept { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); },
    .read = ::read,
    .write = ::write,
    .close = ::close,
    .monotonic_nanoseconds = call_monotonic_nanoseconds,
};

}  // namespace selectors
