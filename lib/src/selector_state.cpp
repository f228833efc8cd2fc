#include "selector_state.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "kernel_timeout.hpp"
#include "system_calls.hpp"

namespace selectors {
namespace {

constexpr std::uint8_t bit(trigger mode) noexcept {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(mode));
}

constexpr std::uint8_t modes_of(const capabilities& can) noexcept {
  return static_cast<std::uint8_t>(
      (can.level ? bit(trigger::level) : 0) | (can.edge ? bit(trigger::edge) : 0) |
      (can.oneshot ? bit(trigger::oneshot) : 0) | (can.exclusive ? bit(trigger::exclusive) : 0));
}

// A bit for each value of `interest` that the backend can watch for.
constexpr std::uint32_t interests_of(const capabilities& can) noexcept {
  interest all = interest::read | interest::write;
  if (can.priority) all |= interest::priority;
  if (can.peer_closed) all |= interest::peer_closed;
  std::uint32_t set = 0;
  for (unsigned i = 1; i < 16; ++i)
    set |= static_cast<std::uint32_t>((static_cast<interest>(i) & ~all) == interest::none) << i;
  return set;
}

std::int64_t deadline_after(std::int64_t nanoseconds) noexcept {
  std::int64_t deadline = 0;
  return __builtin_add_overflow(system_call.monotonic_nanoseconds(), nanoseconds, &deadline)
             ? std::numeric_limits<std::int64_t>::max()
             : deadline;
}

}  // namespace

// A closed selector's state, for the next selector of this thread: so that making one costs no allocation.
struct selector::state::spare {
  static constexpr std::size_t most_bytes = 64 * 1024;

  // Trivial, so that it may be looked at also after the thread's other objects are gone.
  static thread_local constinit inline state* kept = nullptr;
  static thread_local constinit inline bool thread_ends = false;

  ~spare() {
    thread_ends = true;
    delete std::exchange(kept, nullptr);
  }

  static state* take(backend id) noexcept {
    return kept != nullptr && kept->id_ == id ? std::exchange(kept, nullptr) : nullptr;
  }

  static void keep(state* s) noexcept {
    static thread_local spare at_thread_exit;
    (void)at_thread_exit;
    delete std::exchange(kept, s);
  }
};

void selector::recycle::operator()(state* s) const noexcept {
  s->reset();
  if (state::spare::thread_ends || s->footprint() > state::spare::most_bytes) {
    delete s;
  } else {
    state::spare::keep(s);
  }
}

selector::state::state(const backend_row& row) noexcept
    : multiplexer_(row.make(table_)),
      level_interests_(interests_of(row.info.can)),
      modes_(modes_of(row.info.can)),
      fd_limit_(row.info.can.fd_limit),
      id_(row.info.id) {
  fork_guard::install();
}

fault selector::state::make(backend id, owner& out) noexcept {
  owner s(spare::take(id));
  if (s == nullptr) {
    const backend_row* row = find_row(id);
    if (row == nullptr) return errc::not_supported;
    std::unique_ptr<state> fresh(new (std::nothrow) state(*row));
    if (fresh == nullptr || fresh->multiplexer_ == nullptr) return fault::from_errno(ENOMEM);
    s.reset(fresh.release());
  }
  s->usable_in_ = fork_guard::now();
  const poll_set* polls = s->multiplexer_->only_polls;
  // Recycled, it has room already.
  if (polls == nullptr || !polls->has_room()) {
    if (const fault f = s->multiplexer_->open()) return f;
  }
  out = std::move(s);
  return {};
}

void selector::state::reset() noexcept {
  if (poll_set* polls = multiplexer_->only_polls) {
    polls->clear();
  } else {
    multiplexer_->close();
  }
  table_.reset();
  channel_.reset();
  selected_ = 0;
}

std::size_t selector::state::footprint() const noexcept {
  const poll_set* polls = multiplexer_->only_polls;
  const std::size_t sets = polls != nullptr ? sizeof *polls + polls->footprint() : multiplexer_->footprint();
  return sizeof *this + table_.footprint() + sets + events_.footprint();
}

fault selector::state::validate(int fd, interest wanted, trigger mode) const noexcept {
  if (fd < 0 || fd >= fd_limit_) return errc::fd_out_of_range;
  const auto bits = static_cast<unsigned>(wanted);
  if (bits == 0 || bits >= 16) return errc::invalid_interest;
  if ((level_interests_ >> bits & 1) == 0) return errc::not_supported;
  if (mode > trigger::exclusive || (modes_ & bit(mode)) == 0) return errc::not_supported;
  // The kernel takes nothing but these together with EPOLLEXCLUSIVE.
  const bool plain = (wanted & ~(interest::read | interest::write)) == interest::none;
  if (mode == trigger::exclusive && !plain) return errc::not_supported;
  return {};
}

fault selector::state::register_fd(int fd, interest wanted, user_data data, trigger mode,
                                   const registration*& out) noexcept {
  if (const fault f = validate(fd, wanted, mode)) return f;
  registration* r = nullptr;
  if (const fault f = table_.make_vacancy(fd, r)) return f;
  fill(*r, wanted, data, mode);
  table_.occupy(*r);
  if (const fault f = add(fd, *r)) {
    table_.vacate(*r);
    return f;
  }
  out = r;
  return {};
}

fault selector::state::modify(int fd, interest wanted, user_data data, trigger mode, key& out) noexcept {
  registration* r = table_.find(fd);
  if (r == nullptr) return errc::not_registered;
  return change(fd, *r, wanted, data, mode, out);
}

fault selector::state::modify(int fd, interest wanted, key& out) noexcept {
  registration* r = table_.find(fd);
  if (r == nullptr) return errc::not_registered;
  return change(fd, *r, wanted, r->data, r->mode, out);
}

fault selector::state::change(int fd, registration& r, interest wanted, user_data data, trigger mode,
                              key& out) noexcept {
  if (const fault f = validate(fd, wanted, mode)) return f;
  const bool same = r.state == watch::live && r.wanted == wanted && r.mode == mode;
  // An edge or a oneshot is armed again by this, so it has to reach the kernel.
  if (!same || mode == trigger::edge || mode == trigger::oneshot) {
    const registration old = r;
    r.wanted = wanted;
    r.mode = mode;
    r.state = watch::live;
    const fault f = is_parked(old.state) ? multiplexer_->unpark(fd, r) : multiplexer_->modify(fd, r, old);
    if (f) {
      r.wanted = old.wanted;
      r.mode = old.mode;
      r.state = old.state;
      return f;
    }
  }
  r.data = data;
  out = key_of(fd, r);
  return {};
}

fault selector::state::pause(int fd, key& out) noexcept {
  registration* r = table_.find(fd);
  if (r == nullptr) return errc::not_registered;
  if (r->state != watch::paused) {
    multiplexer_->park(fd, *r);
    r->state = watch::paused;
  }
  out = key_of(fd, *r);
  return {};
}

fault selector::state::resume(int fd, key& out) noexcept {
  registration* r = table_.find(fd);
  if (r == nullptr) return errc::not_registered;
  if (is_parked(r->state)) return change(fd, *r, r->wanted, r->data, r->mode, out);
  out = key_of(fd, *r);
  return {};
}

fault selector::state::unregister(int fd, key& out) noexcept {
  registration* r = table_.find(fd);
  if (r == nullptr) return errc::not_registered;
  out = key_of(fd, *r);
  blank_entry(fd, *r);
  // Forgotten whatever the kernel answers: the descriptor may be closed, or another file's by now.
  multiplexer_->remove(fd, *r);
  table_.erase(*r);
  return {};
}

fault selector::state::unregister(const key& k, key& out) noexcept {
  const registration* r = table_.find(k.fd);
  if (r == nullptr || r->generation != k.generation) return errc::not_registered;
  return unregister(k.fd, out);
}

void selector::state::blank_entry(int fd, const registration& r) noexcept {
  if (r.selected >= selected_) return;
  event& e = events_[r.selected];
  if (e.fd != fd || e.generation != r.generation) return;
  e = {.fd = fd, .ready = interest::none, .flags = status::none, .generation = r.generation, .data = {}};
}

bool selector::state::ends_wait(const wait_options& options) {
  if (options.sigmask != nullptr) return true;
  if (options.on_interrupt == nullptr) return false;
  struct guard {
    std::uint32_t& usable_in;
    const std::uint32_t before = std::exchange(usable_in, inside_hook);
    ~guard() { usable_in = before; }
  } const inside{.usable_in = usable_in_};
  return options.on_interrupt(options.context);
}

// `found`: see select_quickly. A wait that has a deadline comes here without one.
fault selector::state::select(timeout t, const wait_options& options, wait_result found, selection& out) {
  selected_ = 0;
  if (options.limit == 0) return fault::from_errno(EINVAL);
  const std::size_t limit = std::min(options.limit, table_.size() + 1);
  if (!events_.reserve(limit)) return fault::from_errno(ENOMEM);
  const std::int64_t span = t.is_infinite() ? wait_for_ever : t.duration().count();
  const std::int64_t deadline = span > 0 ? deadline_after(span) : 0;
  wait_request request = {
      .nanoseconds = span, .mask = options.sigmask, .out = events_.data(), .limit = limit};
  for (bool asked = !found.failed.is_errno(EAGAIN);; asked = false) {
    if (!asked) found = multiplexer_->wait(request);
    if (!found.failed) {
      if (found.woken) channel_->consume();
      if (found.entries != 0 || found.woken || span == 0) break;
    } else if (!found.failed.is_errno(EINTR)) {
      return found.failed;
    } else if (ends_wait(options)) {
      out = selection(events_.data(), 0, false, true);
      return {};
    }
    if (span > 0) {
      const std::int64_t left = deadline - system_call.monotonic_nanoseconds();
      if (left <= 0 && !found.failed) break;
      // After an interruption there is always one more look: what is ready wins over the end of time.
      request.nanoseconds = std::max<std::int64_t>(left, 0);
    }
  }
  deliver(found, out);
  return {};
}

// With a number that is not registered: to unregister a stale key that had it would disconnect the waker.
fault selector::state::make_channel(std::shared_ptr<const waker::channel>& out) noexcept {
  if (const fault f = waker::channel::make(out)) return f;
  if (table_.find(out->fd) == nullptr) return {};
  const std::shared_ptr<const waker::channel> taken = std::move(out);
  return make_channel(out);
}

fault selector::state::make_waker(waker& out) noexcept {
  if (channel_ == nullptr) {
    std::shared_ptr<const waker::channel> made;
    if (const fault f = make_channel(made)) return f;
    if (const fault f = multiplexer_->watch_waker(made->fd)) return f;
    channel_ = std::move(made);
  }
  out = waker(channel_);
  return {};
}

fault selector::state::reinit_after_fork() noexcept {
  if (usable_in_ == fork_guard::now()) return {};
  if (in_hook()) return errc::busy;
  selected_ = 0;
  if (const fault f = multiplexer_->leave_parent()) return f;
  channel_.reset();
  usable_in_ = fork_guard::now();
  return {};
}

fault selector::state::get_key(int fd, key& out) const noexcept {
  const registration* r = table_.find(fd);
  if (r == nullptr) return errc::not_registered;
  out = key_of(fd, *r);
  return {};
}

template <class Wanted>
fault selector::state::list(std::vector<key>& out, Wanted wanted) noexcept {
  try {
    out.reserve(table_.size());
  } catch (const std::bad_alloc&) {
    return fault::from_errno(ENOMEM);
  }
  table_.for_each([&](int fd, registration& r) {
    if (wanted(fd, r)) out.push_back(key_of(fd, r));
  });
  return {};
}

fault selector::state::get_map(std::vector<key>& out) noexcept {
  return list(out, [](int, const registration&) { return true; });
}

fault selector::state::audit(std::vector<key>& out) noexcept {
  return list(out, [this](int fd, const registration& r) { return !multiplexer_->is_healthy(fd, r); });
}

}  // namespace selectors
