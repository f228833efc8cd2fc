#include "epoll_set.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "descriptor.hpp"
#include "kernel_timeout.hpp"
#include "readiness_bits.hpp"
#include "system_calls.hpp"

namespace selectors {
namespace {

// No descriptor has this number, so no registration has this cookie.
constexpr std::uint64_t waker_cookie = ~std::uint64_t{0};

std::uint64_t cookie(int fd, const registration& r) noexcept {
  return std::uint64_t{r.generation} << 32 | static_cast<std::uint32_t>(fd);
}

std::uint32_t events_of(const registration& r) noexcept {
  const std::uint32_t bits = bits_for(r.wanted);
  if (r.mode == trigger::level && r.state == watch::live) [[likely]]
    return bits;
  // Muted, a oneshot is delivered once by parking it: with EPOLLONESHOT each re-arming would report the
  // unwanted condition anew.
  if (r.state == watch::muted) {
    return bits | EPOLLET | (r.mode == trigger::exclusive ? std::uint32_t{EPOLLEXCLUSIVE} : 0);
  }
  switch (r.mode) {
    case trigger::edge:
      return bits | EPOLLET;
    case trigger::oneshot:
      return bits | EPOLLONESHOT;
    case trigger::exclusive:
      return bits | EPOLLEXCLUSIVE;
    case trigger::level:
      break;
  }
  return bits;
}

void close_if_open(int& fd) noexcept {
  if (fd >= 0) system_call.close(std::exchange(fd, -1));
}

// Live, and not the poll set's.
bool belongs_here(const registration& r) noexcept {
  return !is_parked(r.state) && r.position == 0;
}

}  // namespace

// With a number that is not registered: who asked a stale key that had it would hear from the set itself.
int epoll_set::create() noexcept {
  const int set = system_call.epoll_create();
  if (set < 0 || table_.find(set) == nullptr) return set;
  const int another = create();
  if (another < 0) return set;
  system_call.close(set);
  return another;
}

fault epoll_set::open() noexcept {
  set_ = create();
  return set_ < 0 ? fault::from_errno(errno) : fault();
}

// Closing an object that a forked child shares disturbs nobody; deleting its entries would.
void epoll_set::close() noexcept {
  close_if_open(outer_);
  close_if_open(holder_);
  close_if_open(set_);
  waker_ = -1;
  count_ = masked_ = 0;
  rebuild_due_ = false;
}

fault epoll_set::control(int operation, int fd, const registration& r) noexcept {
  epoll_event e{.events = events_of(r), .data = {.u64 = cookie(fd, r)}};
  return system_call.epoll_ctl(set_, operation, fd, &e) == 0 ? fault() : fault::from_errno(errno);
}

fault epoll_set::insert(int fd, registration& r) noexcept {
  if (set_ < 0) [[unlikely]] {
    const fault f = rebuild_for(r);
    if (f || exists(r.in_epoll)) return f;
  }
  if (exists(r.in_epoll)) return change(fd, r);
  fault f = control(EPOLL_CTL_ADD, fd, r);
  // The number's old file is back under its old number while its entry was still there. It may be exclusive, which
  // cannot be modified.
  if (f.is_errno(EEXIST)) {
    f = control(EPOLL_CTL_DEL, fd, r);
    if (!f) f = control(EPOLL_CTL_ADD, fd, r);
  }
  if (f) return f;
  ++count_;
  r.in_epoll = entry::armed;
  return {};
}

fault epoll_set::mask(int fd, registration& r) noexcept {
  // For edges: a hang-up cannot be masked, so it will show itself once.
  epoll_event e{.events = EPOLLET, .data = {.u64 = cookie(fd, r)}};
  if (system_call.epoll_ctl(set_, EPOLL_CTL_MOD, fd, &e) != 0) return fault::from_errno(errno);
  masked_ += static_cast<std::size_t>(r.in_epoll != entry::masked);
  r.in_epoll = entry::masked;
  return {};
}

// MOD, or what comes nearest.
fault epoll_set::change(int fd, registration& r) noexcept {
  if (const fault f = need_set()) return f;
  if (r.mode == trigger::exclusive) {  // which no entry can become
    const std::uint32_t generation = r.generation;
    erase(fd, r);
    const fault f = insert(fd, r);
    if (f) r.generation = generation;
    return f;
  }
  fault f = arm(fd, r);
  if (f.is_errno(ENOENT)) {
    f = adopt(fd, r);
    if (!f) note_armed(r);
  }
  return f;
}

fault epoll_set::arm(int fd, registration& r) noexcept {
  if (const fault f = control(EPOLL_CTL_MOD, fd, r)) return f;
  note_armed(r);
  return {};
}

void epoll_set::note_armed(registration& r) noexcept {
  masked_ -= static_cast<std::size_t>(r.in_epoll == entry::masked);
  r.in_epoll = entry::armed;
}

fault epoll_set::adopt(int fd, registration& r) noexcept {
  // Another file by now. Its entry gets another generation: the old file's may be a ghost.
  const std::uint32_t generation = std::exchange(r.generation, table_.next_generation());
  const fault added = control(EPOLL_CTL_ADD, fd, r);
  if (added) r.generation = generation;
  return added;
}

fault epoll_set::update(int fd, registration& r, const registration& old) noexcept {
  if (r.mode != trigger::exclusive && old.mode != trigger::exclusive) return insert(fd, r);
  // An exclusive entry cannot be modified, nor an entry made exclusive.
  erase(fd, r);
  const fault f = insert(fd, r);
  if (f) {
    r.generation = old.generation;
    registration before = old;
    before.in_epoll = entry::none;
    if (insert(fd, before)) rebuild_due_ = true;
    r.in_epoll = before.in_epoll;
  }
  return f;
}

void epoll_set::erase(int fd, registration& r) noexcept {
  // Where the entry cannot be reached, it is not this registration's any more.
  if (!take_out(fd, r)) r.generation = table_.next_generation();
}

void epoll_set::forget(int fd, registration& r) noexcept {
  if (!take_out(fd, r)) rebuild_due_ = true;
}

// False when it may still be there.
bool epoll_set::take_out(int fd, registration& r) noexcept {
  if (!exists(r.in_epoll)) return true;
  masked_ -= static_cast<std::size_t>(r.in_epoll == entry::masked);
  r.in_epoll = entry::none;
  --count_;
  if (set_ < 0) return true;
  epoll_event unused{};
  return system_call.epoll_ctl(set_, EPOLL_CTL_DEL, fd, &unused) == 0;
}

fault epoll_set::watch_waker(int fd) noexcept {
  if (waker_ >= 0) {
    epoll_event unused{};
    system_call.epoll_ctl(set_, EPOLL_CTL_DEL, waker_, &unused);
    waker_ = -1;
  }
  if (fd < 0) return {};
  if (const fault f = need_set()) return f;
  epoll_event e{.events = EPOLLIN, .data = {.u64 = waker_cookie}};
  if (system_call.epoll_ctl(set_, EPOLL_CTL_ADD, fd, &e) != 0) return fault::from_errno(errno);
  waker_ = fd;
  return {};
}

int epoll_set::ask(std::int64_t nanoseconds, const sigset_t* mask, int room) {
  // Not at all or for ever: what a busy loop and a loop without timers do.
  if (nanoseconds <= 0 && mask == nullptr) [[likely]] {
    return system_call.epoll_wait(set_, found_.data(), room, static_cast<int>(nanoseconds));
  }
  return ask_for_a_time(nanoseconds, mask, room);
}

int epoll_set::ask_for_a_time(std::int64_t nanoseconds, const sigset_t* mask, int room) {
  if (nanoseconds == 0) {
    // epoll_pwait(2) that need not wait does not look at signals; ppoll(2) does, and a handler runs.
    pollfd self = {.fd = set_, .events = POLLIN, .revents = 0};
    const timespec at_once{};
    if (system_call.ppoll(&self, 1, &at_once, mask) < 0) return -1;
    return system_call.epoll_wait(set_, found_.data(), room, 0);
  }
  if (needs_timespec(nanoseconds) && has_fine_wait_) return ask_finely(nanoseconds, mask, room);
  const int milliseconds = to_milliseconds(nanoseconds);
  if (mask == nullptr) return system_call.epoll_wait(set_, found_.data(), room, milliseconds);
  return system_call.epoll_pwait(set_, found_.data(), room, milliseconds, mask);
}

int epoll_set::ask_finely(std::int64_t nanoseconds, const sigset_t* mask, int room) {
  const wide_timespec t = {.seconds = nanoseconds / nanoseconds_per_second,
                           .nanoseconds = nanoseconds % nanoseconds_per_second};
  const int found = system_call.epoll_pwait2(set_, found_.data(), room, &t, mask);
  // Kernels before 5.11 and sandboxes that do not know the call: EPERM is how the latter often say so.
  if (found >= 0 || (errno != ENOSYS && errno != EPERM)) return found;
  has_fine_wait_ = false;
  return ask_for_a_time(nanoseconds, mask, room);
}

inline void epoll_set::deliver(int fd, registration& r, std::uint32_t raw, selection_writer& out) noexcept {
  const shown s(raw, r.wanted);
  // Level-triggered, live, not the poll set's and with something to show: all of it in one look.
  const bool ordinary = (static_cast<unsigned>(r.mode) | static_cast<unsigned>(r.state) | r.position) == 0;
  if (!ordinary || !any(s.ready)) [[unlikely]] {
    if (!is_delivered(fd, r, s.ready)) return;
  }
  out.add(fd, r, s.ready, s.flags);
}

bool epoll_set::is_delivered(int fd, registration& r, interest ready) noexcept {
  // It may have an entry all the same, which could not be taken out.
  if (!belongs_here(r)) return false;
  if (!any(ready)) {
    mute(fd, r);
    return false;
  }
  if (r.mode == trigger::oneshot || r.state == watch::muted) settle(fd, r);
  return true;
}

// Not a registration's event: the waker's, or a ghost's. Whether it was the waker's.
bool epoll_set::is_waker(std::uint64_t cookie) noexcept {
  rebuild_due_ |= cookie != waker_cookie;
  return cookie == waker_cookie;
}

// Whether there was anything but repetitions.
template <bool again>
bool epoll_set::collect(int found, selection_writer& out, bool& woken) noexcept {
  bool news = false;
  for (const epoll_event *e = found_.data(), *end = e + found; e != end; ++e) {
    const auto fd = static_cast<int>(static_cast<std::uint32_t>(e->data.u64));
    registration* r = table_.find(fd, static_cast<std::uint32_t>(e->data.u64 >> 32));
    if (r == nullptr) [[unlikely]] {
      const bool wake = is_waker(e->data.u64);
      news |= !wake || !woken;
      woken |= wake;
    } else if (!again || r->position != 0 || !out.has(fd, *r)) [[likely]] {
      deliver(fd, *r, e->events, out);
      news = true;
    }
  }
  return news;
}

wait_result epoll_set::wait(const wait_request& request) {
  wait_result result;
  if (rebuild_due_) [[unlikely]] {
    if ((result.failed = rebuild()) && set_ < 0) return result;
    result.failed = {};
  }
  const std::size_t most = most_found();
  if (!found_.reserve(most)) [[unlikely]]
    return {.failed = fault::from_errno(ENOMEM)};
  selection_writer out(request);
  const std::size_t room = std::min(out.room(), most);
  const int found = ask(request.nanoseconds, request.mask, static_cast<int>(room));
  result.entries = out.size();
  if (found <= 0) [[unlikely]] {
    if (found < 0) result.failed = fault::from_errno(errno);
    return result;
  }
  collect<false>(found, out, result.woken);
  // What was no entry took the place of one that may be ready too, or was a ghost.
  if (out.size() - request.filled != static_cast<std::size_t>(found)) [[unlikely]] {
    if (rebuild_due_ || static_cast<std::size_t>(found) == room) return look_again(request.mask, out, result);
  }
  result.entries = out.size();
  return result;
}

// By value, so that the ordinary wait can keep them in registers.
wait_result epoll_set::look_again(const sigset_t* mask, selection_writer out, wait_result result) {
  const std::uint32_t filled = result.entries;
  const std::size_t most = most_found();
  // The kernel's list goes round: a repetition means that it has been gone through. But a set that was made anew begins
  // anywhere: so many that this wait has already may come before others.
  std::size_t repetitions = 0;
  bool more = true;
  for (std::size_t asked = 0; more && asked <= most && !out.full(); ++asked) {
    fault failed;
    if (rebuild_due_) {
      failed = rebuild();
      repetitions = out.size() - filled + static_cast<std::size_t>(result.woken);
    }
    const std::size_t room = std::min(out.room(), most);
    const int found = failed ? -1 : ask(0, mask, static_cast<int>(room));
    if (found < 0) {
      if (!failed) failed = fault::from_errno(errno);
      if (out.size() == filled && !result.woken) result.failed = failed;
      break;
    }
    const bool news = collect<true>(found, out, result.woken);
    more = static_cast<std::size_t>(found) == room && (news || repetitions != 0);
    if (!news) repetitions -= std::min(repetitions, room);
  }
  result.entries = out.size();
  return result;
}

void epoll_set::mute(int fd, registration& r) noexcept {
  if (r.mode == trigger::edge || r.state == watch::muted) return;
  r.state = watch::muted;
  rearm(fd, r);
}

// Something that was asked for has happened: a oneshot is over, a muted registration can be heard again.
void epoll_set::settle(int fd, registration& r) noexcept {
  const bool muted = r.state == watch::muted;
  if (r.mode != trigger::oneshot) {
    r.state = watch::live;
    rearm(fd, r);
    return;
  }
  if (muted) erase(fd, r);
  r.state = watch::fired;
}

void epoll_set::rearm(int fd, registration& r) noexcept {
  if (r.mode != trigger::exclusive) {
    // The entry cannot be reached, its descriptor being closed or another file's: without it, then.
    if (control(EPOLL_CTL_MOD, fd, r)) rebuild_due_ = true;
    return;
  }
  forget(fd, r);
  if (insert(fd, r)) rebuild_due_ = true;
}

// Adding is the probe: only the file that was registered is there already.
bool epoll_set::is_healthy(int fd, const registration& r) noexcept {
  if (!is_open(fd)) return false;
  if (need_set()) return true;
  if (!exists(r.in_epoll)) return r.state != watch::stale;
  epoll_event probe{.events = 0, .data = {.u64 = cookie(fd, r)}};
  if (system_call.epoll_ctl(set_, EPOLL_CTL_ADD, fd, &probe) == 0) {
    system_call.epoll_ctl(set_, EPOLL_CTL_DEL, fd, &probe);
    return false;
  }
  return errno != EPERM && errno != EBADF;
}

fault epoll_set::handle(int& handle) noexcept {
  if (outer_ < 0) {
    if (const fault f = need_set()) return f;
    const int outer = create();
    if (outer < 0) return fault::from_errno(errno);
    epoll_event e{.events = EPOLLIN, .data = {}};
    if (system_call.epoll_ctl(outer, EPOLL_CTL_ADD, set_, &e) != 0) {
      const fault f = fault::from_errno(errno);
      system_call.close(outer);
      return f;
    }
    outer_ = outer;
  }
  handle = outer_;
  return {};
}

// By an eventfd(2) that is in the outer set from the beginning: later there might be no room for it.
fault epoll_set::hold_handle(bool readable) noexcept {
  if (outer_ < 0) return {};
  if (holder_ < 0) {
    int fd = system_call.event_descriptor();
    epoll_event e{.events = EPOLLIN, .data = {}};
    if (fd < 0 || system_call.epoll_ctl(outer_, EPOLL_CTL_ADD, fd, &e) != 0) {
      const fault f = fault::from_errno(errno);
      close_if_open(fd);
      return f;
    }
    holder_ = fd;
    holds_ = false;
  }
  if (readable == holds_) return {};
  std::uint64_t count = 1;
  const ssize_t done = readable ? system_call.write(holder_, &count, sizeof count)
                                : system_call.read(holder_, &count, sizeof count);
  if (done != static_cast<ssize_t>(sizeof count)) return fault::from_errno(errno);
  holds_ = readable;
  return {};
}

// A rebuild that found no descriptor left has closed the set; whoever needs one tries again.
fault epoll_set::need_set() noexcept {
  return set_ < 0 ? rebuild() : fault();
}

fault epoll_set::rebuild() noexcept {
  int set = create();
  if (set < 0 && (errno == EMFILE || errno == ENFILE) && set_ >= 0) {
    // The old set's own number is the one that is left. Should the second try fail, the next wait makes a
    // third.
    close_if_open(set_);
    set = create();
  }
  rebuild_due_ = set < 0;
  if (set < 0) return fault::from_errno(errno);
  return replace(set);
}

fault epoll_set::rebuild_for(registration& r) noexcept {
  const watch state = r.state;
  const fault f = rebuild();
  r.state = state;
  return f;
}

// The old set stays in use until the new one has everything.
fault epoll_set::replace(int set) noexcept {
  const int old = std::exchange(set_, set);
  epoll_event e{.events = EPOLLIN, .data = {}};
  fault failed;
  // Before the entries: a number that is the handle's by now shows as a cycle then, and is left out.
  if (outer_ >= 0 && system_call.epoll_ctl(outer_, EPOLL_CTL_ADD, set, &e) != 0)
    failed = fault::from_errno(errno);
  if (!failed) failed = fill(set);
  if (failed) {
    system_call.close(std::exchange(set_, old));
    rebuild_due_ = true;
    return failed;
  }
  count_entries();
  if (old < 0) return {};
  if (outer_ >= 0) system_call.epoll_ctl(outer_, EPOLL_CTL_DEL, old, &e);
  system_call.close(old);
  return {};
}

fault epoll_set::fill(int set) noexcept {
  if (waker_ >= 0) {
    epoll_event e{.events = EPOLLIN, .data = {.u64 = waker_cookie}};
    if (system_call.epoll_ctl(set, EPOLL_CTL_ADD, waker_, &e) != 0) return fault::from_errno(errno);
  }
  fault failed;
  table_.for_each([&](int fd, registration& r) {
    if (failed || !belongs_here(r)) return;
    const fault f = control(EPOLL_CTL_ADD, fd, r);
    if (f.is_errno(EBADF) || f.is_errno(EPERM) || f.is_errno(EINVAL) || f.is_errno(ELOOP)) {
      // Closed, or another file's by now: the new set itself may have got the number.
      r.state = watch::stale;
    } else if (f) {
      failed = f;
    }
  });
  return failed;
}

// After a rebuild, not before: should it fail, the old set is the one that counts.
void epoll_set::count_entries() noexcept {
  count_ = masked_ = 0;
  ++rebuilds_;
  table_.for_each([this](int, registration& r) {
    if (belongs_here(r)) {
      r.in_epoll = entry::armed;
    } else if (exists(r.in_epoll)) {
      r.in_epoll = entry::none;
    }
    count_ += static_cast<std::size_t>(exists(r.in_epoll));
  });
}

fault epoll_set::leave_parent() noexcept {
  close();
  return rebuild();
}

}  // namespace selectors
