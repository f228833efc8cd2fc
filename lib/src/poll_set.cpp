#include "poll_set.hpp"

#include <cerrno>
#include <utility>

#include "kernel_timeout.hpp"
#include "system_calls.hpp"

namespace selectors {

fault poll_set::grow() noexcept {
  const std::size_t wanted = capacity_ == 0 ? 16 : 2 * capacity_;
  if (!polled_.reserve(wanted) || !members_.reserve(wanted)) return fault::from_errno(ENOMEM);
  capacity_ = wanted;
  return {};
}

fault poll_set::make_room(std::size_t more) noexcept {
  while (end() + more > capacity_) {
    if (const fault f = grow()) return f;
  }
  return {};
}

void poll_set::update(const registration& r) noexcept {
  polled_[r.position].events = static_cast<short>(bits_for(r.wanted));
}

void poll_set::erase(registration& r) noexcept {
  if (r.position == 0) return;
  const std::size_t last = places + --count_;
  if (r.position != last) {
    polled_[r.position] = polled_[last];
    members_[r.position] = members_[last];
    members_[r.position]->position = r.position;
  }
  r.position = 0;
}

void poll_set::clear() noexcept {
  count_ = 0;
  next_ = places;
  nested_ = waker_ = -1;
  begin_ = places;
  unsettled_ = has_parked_ = false;
}

fault poll_set::watch_waker(int fd) noexcept {
  if (const fault f = make_room()) return f;
  waker_ = fd;
  put_places();
  return {};
}

void poll_set::watch_nested(int set) noexcept {
  nested_ = set;
  put_places();
}

// An empty place that must be passed has a negative number, which poll(2) ignores.
void poll_set::put_places() noexcept {
  polled_[nested_place] = {.fd = nested_, .events = POLLIN, .revents = 0};
  polled_[waker_place] = {.fd = waker_, .events = POLLIN, .revents = 0};
  begin_ = nested_ >= 0 ? nested_place : waker_ >= 0 ? waker_place : places;
}

int poll_set::ask(const wait_request& request) {
  // Not at all or for ever: what a busy loop and a loop without timers do.
  if (request.nanoseconds <= 0 && request.mask == nullptr) [[likely]] {
    return system_call.poll(polled_.data() + begin_, end() - begin_, static_cast<int>(request.nanoseconds));
  }
  return ask_for_a_time(request.nanoseconds, request.mask);
}

int poll_set::ask_for_a_time(std::int64_t nanoseconds, const sigset_t* mask) {
  pollfd* first = polled_.data() + begin_;
  const nfds_t size = end() - begin_;
  if (mask == nullptr && !needs_timespec(nanoseconds)) {
    return system_call.poll(first, size, to_milliseconds(nanoseconds));
  }
  const timespec t = to_timespec(nanoseconds);
  return system_call.ppoll(first, size, nanoseconds < 0 ? nullptr : &t, mask);
}

wait_result poll_set::wait(const wait_request& request) {
  const int ready = ask(request);
  if (ready < 0) [[unlikely]]
    return {.failed = fault::from_errno(errno), .entries = static_cast<std::uint32_t>(request.filled)};
  if (begin_ != places) [[unlikely]]
    return collect_beside_places(request, ready);
  return collect(request, ready);
}

wait_result poll_set::collect_beside_places(const wait_request& request, int ready) noexcept {
  nested_was_ready_ = nested_ >= 0 && ready > 0 && polled_[nested_place].revents != 0;
  ready -= static_cast<int>(nested_was_ready_);
  const bool woken = waker_ >= 0 && ready > 0 && polled_[waker_place].revents != 0;
  wait_result result = collect(request, ready - static_cast<int>(woken));
  result.woken = woken;
  return result;
}

inline wait_result poll_set::collect(const wait_request& request, int ready) noexcept {
  selection_writer out(request);
  if (static_cast<std::size_t>(ready) <= out.room()) [[likely]] {
    out = collect_all(ready, out);
  } else {
    out = collect_in_turn(out);
  }
  if (unsettled_) [[unlikely]]
    settle(request.filled, out);
  if (request.nanoseconds != 0 && before_first_ < count_) bring_forward(places + before_first_);
  return {.failed = {}, .entries = out.size()};
}

// The writer by value, here and below, so that it can be kept in registers.
selection_writer poll_set::collect_all(int ready, selection_writer out) noexcept {
  before_first_ = count_;
  if (ready == 0) return out;
  std::size_t i = places;
  while (polled_[i].revents == 0) ++i;
  before_first_ = i - places;
  for (;; ++i) {
    if (polled_[i].revents == 0) continue;
    visit(i, out);
    if (--ready == 0) return out;
  }
}

selection_writer poll_set::collect_in_turn(selection_writer out) noexcept {
  before_first_ = 0;
  std::size_t i = next_ < end() ? next_ : places;
  for (std::size_t visited = 0; visited < count_ && !out.full(); ++visited) {
    if (polled_[i].revents != 0) visit(i, out);
    if (++i == end()) i = places;
  }
  next_ = i;
  return out;
}

inline void poll_set::visit(std::size_t i, selection_writer& out) noexcept {
  const auto raw = static_cast<std::uint32_t>(static_cast<unsigned short>(polled_[i].revents));
  registration& r = *members_[i];
  const interest ready = ready_bits(raw) & r.wanted;
  const status flags = status_bits(raw);
  r.since = clock_;
  if (!any(ready) || r.mode != trigger::level) [[unlikely]] {
    // NVAL comes alone, so it is among these.
    unsettled_ = true;
    if (!any(ready) && !any(flags & status::invalid)) return;
  }
  out.add(polled_[i].fd, r, ready, flags);
}

// After the scan, because parking moves the array's members about.
void poll_set::settle(std::size_t first, selection_writer out) noexcept {
  unsettled_ = false;
  has_parked_ = true;
  for (std::size_t i = first; i < out.size(); ++i) {
    const bool invalid = any(out[i].flags & status::invalid);
    registration& r = *table_.find(out[i].fd);
    if (!invalid && r.mode != trigger::oneshot) continue;
    erase(r);
    r.state = invalid ? watch::stale : watch::fired;
  }
  for (std::size_t i = end(); i-- > places;) {
    const auto raw = static_cast<std::uint32_t>(static_cast<unsigned short>(polled_[i].revents));
    registration& r = *members_[i];
    if (raw == 0 || (raw & POLLNVAL) != 0 || any(ready_bits(raw) & r.wanted)) continue;
    erase(r);
    r.state = watch::unwanted;
  }
}

void poll_set::bring_forward(std::size_t i) noexcept {
  if (i == places) return;
  std::swap(polled_[places], polled_[i]);
  std::swap(members_[places], members_[i]);
  members_[places]->position = places;
  members_[i]->position = static_cast<std::uint32_t>(i);
}

}  // namespace selectors
