#include "adaptive_backend.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>

namespace selectors {

constinit std::optional<regime> forced_regime;

namespace {

using c = kernel_costs;

constinit thread_local life_record experience;

constexpr std::uint32_t any_number = std::numeric_limits<std::uint32_t>::max();

}  // namespace

holdings adaptive_backend::have() const noexcept {
  return {.registered = registered(),
          .polled = static_cast<int>(polled_.size()),
          .refused = refused_,
          .masked = static_cast<int>(watched_.masked()),
          .armed = armed_,
          .has_set = watched_.has_set()};
}

fault adaptive_backend::open() noexcept {
  appends_to = &polled_;
  return polled_.make_room();
}

void adaptive_backend::close() noexcept {
  end_lease();
  if (waits_ > 1 || watched_.has_set()) {
    largest_ = std::max(largest_, registered());
    model_.close_life(experience, largest_, watched_.has_set());
  }
  polled_.clear();
  watched_.close();
  model_.reset();
  armed_ = refused_ = exclusive_ = largest_ = 0;
  waker_ = -1;
  waits_ = 0;
  counted_generation_ = table_.last_generation();
  ages_.fill(counted_generation_);
  survivors_ = 8;
  look_first_ = 2;
  watched_was_ready_ = has_unwanted_ = handle_given_ = false;
}

[[gnu::flatten]] wait_result adaptive_backend::wait(const wait_request& request) {
  end_lease();
  if ((waits_++ & 7u) == 0) [[unlikely]]
    every_few_waits();
  if (request.nanoseconds != 0) return wait_blocking(request);
  if (polled_.size() == 0 && watched_.size() == 0 && waker_ < 0) return {};
  return wait_once(request);
}

wait_result adaptive_backend::wait_blocking(const wait_request& request) {
  if (look_first_ >= 2) {
    // A call that may block sets up a timer and queues itself on every descriptor; where waits have been returning at
    // once, looking first is cheaper.
    wait_request look = request;
    look.nanoseconds = 0;
    const wait_result found = wait_once(look);
    if (found.failed || found.woken || found.entries != request.filled) {
      look_first_ = 3;
      return found;
    }
    --look_first_;
    lease.end();
  }
  const wait_result found = wait_once(request);
  if (found.entries > 1 || (waits_ & 7u) == 0) look_first_ = 2;
  return found;
}

inline wait_result adaptive_backend::wait_once(const wait_request& request) {
  if (request.limit < table_.size() || forced_regime) [[unlikely]]
    before_unusual_wait(request);
  if (watched_.size() == 0) return poll_all(request);
  if (polled_.size() == 0) return watch_all(request);
  return watched() == 0 ? poll_all(request) : ask_both(request);
}

// What the poll set has parked may not be heard from the epoll set either: it is told before that one is asked.
inline wait_result adaptive_backend::ask_poll(const wait_request& request) {
  const wait_result found = polled_.wait(request);
  if (polled_.take_parked()) [[unlikely]]
    follow_parked(request, found);
  return found;
}

inline wait_result adaptive_backend::poll_all(const wait_request& request) {
  const wait_result found = ask_poll(request);
  if (found.failed) [[unlikely]]
    return found;
  const wait_facts w = {.ready = static_cast<int>(found.entries - request.filled),
                        .before_first = static_cast<int>(polled_.before_first()),
                        .blocking = request.nanoseconds != 0};
  const int polled = static_cast<int>(polled_.size());
  polled_.advance_clock(static_cast<std::uint32_t>(cost_model::scan_cost(polled, w)));
  if (table_.last_generation() != counted_generation_) [[unlikely]]
    count_registrations();
  if (!model_.keeps_polling(polled, w)) {
    advice next = model_.leave_polling(have(), w.ready);
    if (next == advice::watch_all && !watched_.has_set()) {
      take_census();
      next = model_.leave_polling(have(), w.ready);
    }
    follow(next, request, found);
  } else if (may_lease(request) && watched_.size() == 0 && model_.is_calm_polling()) {
    lease = {.polls = &polled_, .granted = 7, .fewest = cost_model::calm_from(polled), .most = any_number};
  }
  return found;
}

inline wait_result adaptive_backend::watch_all(const wait_request& request) {
  const wait_result found = watched_.wait(request);
  if (found.failed) [[unlikely]]
    return without_epoll(request, {}, found);
  const int ready = static_cast<int>(found.entries - request.filled);
  const int registered = static_cast<int>(watched_.size());
  if (ready == 0) {
    model_.after_watching_nothing();
  } else {
    watched_was_ready_ = true;
    // Two busy ones are the least that a poll call of their own could pay for.
    const int busy = ready >= 2 ? count_busy(request, found) : 0;
    if (!model_.keeps_watching(registered, ready, busy)) {
      follow(model_.leave_watching(have(), ready, busy), request, found);
      return found;
    }
  }
  if (may_lease(request) && ready < 2 && model_.is_calm_watching(registered)) {
    lease = {.epolls = &watched_, .granted = 31, .fewest = 0, .most = 1};
  }
  return found;
}

wait_result adaptive_backend::ask_both(const wait_request& request) {
  wait_facts w = {.blocking = request.nanoseconds != 0};
  wait_request look = request;
  look.nanoseconds = 0;
  wait_result found = {.failed = {}, .entries = static_cast<std::uint32_t>(request.filled)};
  wait_result from_epoll = found;
  const auto ask_epoll = [&] {
    look.filled = found.entries;
    from_epoll = watched_.wait(look);
    w.asked_epoll = true;
    w.ready_watched = static_cast<int>(from_epoll.entries - found.entries);
    return !from_epoll.failed;
  };
  // Where it was ready last time it is asked at once; polling it first would be a call for nothing. Nor can it be polled
  // before it has been made anew.
  if ((watched_was_ready_ || !watched_.is_whole()) && !ask_epoll())
    return without_epoll(request, found, from_epoll);
  const bool woken_by_epoll = from_epoll.woken;
  if (w.asked_epoll && (w.ready_watched != 0 || woken_by_epoll || !w.blocking)) {
    look.filled = from_epoll.entries;
    found = ask_poll(look);
  } else {
    polled_.watch_nested(watched_.fd());
    w.nested = true;
    found = ask_poll(request);
    polled_.watch_nested(-1);
    if (!found.failed && polled_.nested_was_ready() && found.entries < request.limit) {
      const wait_result from_poll = found;
      if (!ask_epoll()) return without_epoll(request, from_poll, from_epoll);
      found = from_epoll;
      found.woken |= from_poll.woken;
    }
  }
  found.woken |= woken_by_epoll;
  if (found.failed) [[unlikely]] {
    // What epoll has delivered stands; the interruption will be met again.
    if (from_epoll.entries == request.filled) return found;
    found = from_epoll;
  }
  w.ready = static_cast<int>(found.entries - request.filled);
  w.before_first = static_cast<int>(polled_.before_first());
  watched_was_ready_ = w.ready_watched != 0;
  const holdings h = have();
  polled_.advance_clock(static_cast<std::uint32_t>(cost_model::scan_cost(h.polled, w)));
  const int busy = w.ready_watched != 0 ? count_busy(request, found) : 0;
  follow(model_.after_mixed(h, w, busy), request, found);
  return found;
}

// Right after what is done every few waits, so that a lease ends where that is due again.
inline bool adaptive_backend::may_lease(const wait_request& request) const noexcept {
  return (waits_ & 7u) == 1 && request.nanoseconds == 0 && !forced_regime;
}

// The waits that went straight to a set enter the accounts as copies of the one before.
inline void adaptive_backend::end_lease() noexcept {
  if (lease.granted != 0) [[unlikely]]
    account_for_lease();
}

void adaptive_backend::account_for_lease() noexcept {
  waits_ += lease.taken;
  if (lease.polls != nullptr) {
    polled_.advance_clock(lease.taken * c::poll_each);
    model_.repeated_polling(lease.taken);
  } else {
    model_.repeated_watching(lease.taken, static_cast<int>(watched_.size()));
  }
  lease = {};
  if (polled_.take_parked()) recount_parked();
}

// What need not be done at every wait.
void adaptive_backend::every_few_waits() noexcept {
  if (waits_ == 1) {
    before_first_wait();
    return;
  }
  std::rotate(ages_.begin(), ages_.begin() + 1, ages_.end());
  ages_.back() = table_.last_generation();
  if (has_unwanted_) watch_unwanted();
  if (handle_given_ && polled_.size() != 0) move_to_epoll(true);
  if (polled_.size() != 0) {
    take_census();
  } else {
    model_.count_empty_watches(have());
  }
}

// Registering in the polling regime tells nobody (appends_to), so it is counted afterwards.
void adaptive_backend::count_registrations() noexcept {
  const std::uint32_t registrations = (table_.last_generation() - counted_generation_) / 2;
  model_.spared(c::own * static_cast<int>(std::min<std::uint32_t>(registrations, 1u << 20)));
  counted_generation_ = table_.last_generation();
}

void adaptive_backend::before_unusual_wait(const wait_request& request) noexcept {
  if (forced_regime) hold(*forced_regime);
  if (request.limit < table_.size()) prepare_limited();
}

void adaptive_backend::before_first_wait() noexcept {
  counted_generation_ = table_.last_generation();
  ages_.fill(counted_generation_);
  largest_ = registered();
  if (model_.first_wait(experience, have()) == advice::watch_all) move_to_epoll(true);
}

// Turns are kept within a set, so all that may be ready has to be in one. Where that cannot be, the sets take turns.
void adaptive_backend::prepare_limited() noexcept {
  if (polled_.size() == 0 || watched() == 0) return;
  if (refused_ != 0) {
    move_to_poll();
  } else {
    move_to_epoll(true);
  }
  watched_was_ready_ = !watched_was_ready_;
}

void adaptive_backend::hold(regime r) noexcept {
  if (r == regime::polling) move_to_poll();
  if (r == regime::watching) move_to_epoll(true);
  if (r != regime::mixed || need_set()) return;
  polled_.for_each([this](int fd, registration& member) {
    if (fd % 2 == 0) (void)put_in_epoll(fd, member);
  });
  table_.for_each([this](int fd, registration& member) {
    const bool movable = exclusive_ == 0 && !handle_given_ && member.state == watch::live;
    if (fd % 2 == 0 || member.position != 0 || !movable || must_be_watched(member)) return;
    (void)mask_and_poll(fd, member);
  });
  regime_may_have_changed();
}

// The epoll set cannot be made whole: what can be polled is polled, and nothing is lost by it.
wait_result adaptive_backend::without_epoll(const wait_request& request, const wait_result& before,
                                            const wait_result& failed) {
  const bool has_found = before.entries != request.filled || before.woken;
  if (failed.failed.is_errno(EINTR)) return has_found ? before : failed;
  bool can_do_without = !handle_given_ && !polled_.make_room(table_.size());
  table_.for_each([&](int, const registration& r) {
    if (!is_parked(r.state) && (r.mode == trigger::edge || r.mode == trigger::exclusive))
      can_do_without = false;
  });
  // Otherwise the next wait tries again.
  if (!can_do_without) return has_found ? before : failed;
  watched_.close();
  armed_ = refused_ = 0;
  table_.for_each([&](int fd, registration& r) {
    r.in_epoll = entry::none;
    if (is_parked(r.state) || r.position != 0) return;
    r.state = watch::live;  // if it was muted
    polled_.insert(fd, r);
  });
  model_.settled();
  regime_may_have_changed();
  return has_found ? before : ask_poll(request);
}

std::unique_ptr<multiplexer> make_adaptive_backend(registration_table& table) noexcept {
  return std::unique_ptr<multiplexer>(new (std::nothrow) adaptive_backend(table));
}

}  // namespace selectors
