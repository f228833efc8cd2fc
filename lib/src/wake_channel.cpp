#include "wake_channel.hpp"

#include <cerrno>
#include <new>

#include "fork_guard.hpp"
#include "system_calls.hpp"

namespace selectors {

fault waker::channel::make(std::shared_ptr<const channel>& out) noexcept {
  const int fd = system_call.event_descriptor();
  if (fd < 0) return fault::from_errno(errno);
  try {
    out = std::make_shared<const channel>(fd, fork_guard::now());
  } catch (const std::bad_alloc&) {
    system_call.close(fd);
    return fault::from_errno(ENOMEM);
  }
  return {};
}

waker::channel::~channel() {
  system_call.close(fd);
}

void waker::channel::consume() const noexcept {
  std::uint64_t wakes = 0;
  // EINTR does not happen to a read that need not wait.
  (void)system_call.read(fd, &wakes, sizeof wakes);
}

void waker::wake() const noexcept {
  if (channel_ == nullptr || channel_->fork_generation != fork_guard::now()) return;
  const int saved = errno;
  const std::uint64_t one = 1;
  // EAGAIN: the count is at its end, so a wake is pending already.
  (void)system_call.write(channel_->fd, &one, sizeof one);
  errno = saved;
}

}  // namespace selectors
