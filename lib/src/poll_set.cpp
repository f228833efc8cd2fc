#include "poll_set.hpp"

#include <cerrno>

#include "kernel_timeout.hpp"
#include "selection_writer.hpp"
#include "system_calls.hpp"

namespace selectors {

fault poll_set::grow() noexcept {
  const std::size_t wanted = capacity_ == 0 ? 16 : 2 * capacity_;
  if (!polled_.reserve(wanted) || !members_.reserve(wanted)) return fault::from_errno(ENOMEM);
  capacity_ = wanted;
  return {};
}

void poll_set::update(const registration& r) noexcept {
  polled_[r.position].events = static_cast<short>(bits_for(r.wanted));
}

void poll_set::erase(registration& r) noexcept {
  if (r.position == 0) return;
  const std::size_t last = count_--;
  if (r.position != last) {
    polled_[r.position] = polled_[last];
    members_[r.position] = members_[last];
    members_[r.position]->position = r.position;
  }
  r.position = 0;
}

void poll_set::clear() noexcept {
  count_ = 0;
  next_ = 1;
  has_waker_ = false;
}

fault poll_set::watch_waker(int fd) noexcept {
  has_waker_ = false;
  if (fd < 0) return {};
  if (const fault f = make_room()) return f;
  polled_[waker_index] = {.fd = fd, .events = POLLIN, .revents = 0};
  has_waker_ = true;
  return {};
}

int poll_set::ask(const wait_request& request) {
  // Not at all or for ever: what a busy loop and a loop without timers do.
  if (request.nanoseconds <= 0 && request.mask == nullptr) [[likely]] {
    return system_call.poll(polled_.data() + begin(), end() - begin(), static_cast<int>(request.nanoseconds));
  }
  return ask_for_a_time(request);
}

int poll_set::ask_for_a_time(const wait_request& request) {
  pollfd* first = polled_.data() + begin();
  const nfds_t size = end() - begin();
  if (request.mask == nullptr && !needs_timespec(request.nanoseconds)) {
    return system_call.poll(first, size, to_milliseconds(request.nanoseconds));
  }
  const timespec t = to_timespec(request.nanoseconds);
  return system_call.ppoll(first, size, request.nanoseconds < 0 ? nullptr : &t, request.mask);
}

wait_result poll_set::wait(const wait_request& request) {
  int ready = ask(request);
  if (ready < 0) [[unlikely]]
    return {.failed = fault::from_errno(errno)};
  wait_result result;
  if (has_waker_) [[unlikely]] {
    result.woken = ready > 0 && polled_[waker_index].revents != 0;
    ready -= static_cast<int>(result.woken);
  }
  selection_writer out(request);
  if (static_cast<std::size_t>(ready) <= request.limit) [[likely]] {
    collect_all(ready, out);
  } else {
    collect_in_turn(out);
  }
  if (unsettled_) [[unlikely]]
    settle(out);
  result.entries = out.size();
  return result;
}

void poll_set::collect_all(int ready, selection_writer& out) noexcept {
  for (std::size_t i = 1; ready > 0; ++i) {
    if (polled_[i].revents == 0) continue;
    --ready;
    visit(i, out);
  }
}

void poll_set::collect_in_turn(selection_writer& out) noexcept {
  std::size_t i = next_ < end() ? next_ : 1;
  for (std::size_t visited = 0; visited < count_ && !out.full(); ++visited) {
    if (polled_[i].revents != 0) visit(i, out);
    if (++i == end()) i = 1;
  }
  next_ = i;
}

inline void poll_set::visit(std::size_t i, selection_writer& out) noexcept {
  const auto raw = static_cast<std::uint32_t>(static_cast<unsigned short>(polled_[i].revents));
  registration& r = *members_[i];
  const interest ready = ready_bits(raw) & r.wanted;
  const status flags = status_bits(raw);
  if (!any(ready) || r.mode == trigger::oneshot) [[unlikely]] {
    // NVAL comes alone, so it is among these.
    unsettled_ = true;
    if (!any(ready) && !any(flags & status::invalid)) return;
  }
  out.add(polled_[i].fd, r, ready, flags);
}

// After the scan, because parking moves the array's members about.
void poll_set::settle(const selection_writer& out) noexcept {
  unsettled_ = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool invalid = any(out[i].flags & status::invalid);
    registration& r = *table_.find(out[i].fd);
    if (!invalid && r.mode != trigger::oneshot) continue;
    erase(r);
    r.state = invalid ? watch::stale : watch::fired;
  }
  for (std::size_t i = count_; i > 0; --i) {
    const auto raw = static_cast<std::uint32_t>(static_cast<unsigned short>(polled_[i].revents));
    registration& r = *members_[i];
    if (raw == 0 || (raw & POLLNVAL) != 0 || any(ready_bits(raw) & r.wanted)) continue;
    erase(r);
    r.state = watch::unwanted;
  }
}

}  // namespace selectors
