// Both sets, and the cost model that says which descriptor belongs to which. cost_model.hpp has the reasons.
//
// A live registration is *polled* (position is not 0) or *watched* (it has an armed entry and is not polled). A polled
// one may have an entry too: armed, left over from an earlier purchase, while nothing asks the epoll set; masked while
// something does. Some cannot be polled: edge-triggered and exclusive ones, and those whose unwanted condition poll
// would report for ever. Some cannot be watched: what epoll refuses (regular files) stays polled.
#include "adaptive_backend.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

#include "backend.hpp"
#include "descriptor.hpp"
#include "epoll_set.hpp"
#include "poll_set.hpp"

namespace selectors {

constinit std::optional<regime> forced_regime;

namespace {

using c = kernel_costs;

constinit thread_local life_record experience;

// A watched registration's `since`: the number of the wait that it was last ready in, and its account above.
constexpr std::uint32_t wait_bits = 23;
constexpr std::uint32_t wait_mask = (1u << wait_bits) - 1;

bool must_be_watched(const registration& r) noexcept {
  return r.mode == trigger::edge || r.mode == trigger::exclusive || r.state == watch::muted;
}

class adaptive_backend final : public multiplexer {
 public:
  explicit adaptive_backend(registration_table& table) noexcept
      : table_(table), polled_(table), watched_(table) {}

  fault open() noexcept override;
  void close() noexcept override;
  fault add(int fd, registration& r) noexcept override;
  fault modify(int fd, registration& r, const registration& old) noexcept override;
  void remove(int fd, registration& r) noexcept override;
  void park(int fd, registration& r) noexcept override;
  fault unpark(int fd, registration& r) noexcept override;
  wait_result wait(const wait_request& request) override;
  fault watch_waker(int fd) noexcept override;
  bool is_healthy(int fd, const registration& r) noexcept override;
  fault native_handle(int& handle) noexcept override;
  fault leave_parent() noexcept override;
  std::size_t footprint() const noexcept override {
    return sizeof *this + polled_.footprint() + watched_.footprint();
  }

 private:
  int watched() const noexcept { return static_cast<int>(watched_.size() - watched_.masked()) - armed_; }
  int registered() const noexcept { return static_cast<int>(polled_.size()) + watched(); }
  holdings have() const noexcept;

  fault need_set() noexcept;
  fault put_in_poll(int fd, registration& r) noexcept;
  void take_from_poll(registration& r) noexcept;
  fault put_in_epoll(int fd, registration& r) noexcept;
  fault place(int fd, registration& r) noexcept;
  fault watch_alone(int fd, registration& r) noexcept;
  void regime_may_have_changed() noexcept;

  wait_result wait_once(const wait_request& request);
  wait_result poll_all(const wait_request& request);
  [[gnu::noinline]] wait_result ask_both(const wait_request& request);
  [[gnu::noinline]] wait_result wait_blocking(const wait_request& request);
  wait_result watch_all(const wait_request& request);
  [[gnu::noinline]] void every_few_waits() noexcept;
  [[gnu::noinline]] void count_registrations() noexcept;
  [[gnu::cold, gnu::noinline]] void before_unusual_wait(const wait_request& request) noexcept;
  void before_first_wait() noexcept;
  void prepare_limited() noexcept;
  void hold(regime r) noexcept;
  [[gnu::cold, gnu::noinline]] wait_result without_epoll(const wait_request& request,
                                                         const wait_result& before,
                                                         const wait_result& failed);
  void take_census() noexcept;
  [[gnu::noinline]] int count_busy(const wait_request& request, const wait_result& found) noexcept;

  [[gnu::noinline]] void follow(advice a, const wait_request& request, const wait_result& found) noexcept;
  void move_to_epoll(bool all) noexcept;
  void move_to_poll() noexcept;
  void poll_busy(const wait_request& request, const wait_result& found) noexcept;
  void mask_armed() noexcept;
  [[gnu::cold, gnu::noinline]] void follow_parked(const wait_request& request,
                                                  const wait_result& found) noexcept;
  void watch_unwanted() noexcept;
  bool is_quiet(const registration& r) const noexcept;

  registration_table& table_;
  poll_set polled_;
  epoll_set watched_;
  cost_model model_;
  int armed_ = 0;      // polled, with an armed entry
  int refused_ = 0;    // polled, because epoll will not have them
  int exclusive_ = 0;  // while there are any, nothing may stand between them and their epoll set
  int largest_ = 0;
  int waker_ = -1;
  std::uint32_t waits_ = 0;
  std::uint32_t rebuilds_ = 0;           // of the epoll set, that armed_ knows of
  std::array<std::uint32_t, 3> ages_{};  // the last generations of 16 to 24, 8 to 16 and up to 8 waits ago
  std::uint32_t counted_generation_ = 0;
  std::int8_t survivors_ = 8;   // whether what is registered usually lives long: from 8 on
  std::int8_t look_first_ = 2;  // from 2 on, waits that could block have found something at once
  bool watched_was_ready_ = false;
  bool handle_given_ = false;
};

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
  watched_was_ready_ = handle_given_ = false;
}

// ---------------------------------------------------------------------------------------------- registrations

fault adaptive_backend::need_set() noexcept {
  if (watched_.has_set()) return {};
  if (const fault f = watched_.open()) return f;
  rebuilds_ = watched_.rebuilds();
  const fault f = waker_ < 0 ? fault() : watched_.watch_waker(waker_);
  if (f) watched_.close();
  return f;
}

fault adaptive_backend::put_in_poll(int fd, registration& r) noexcept {
  if (const fault f = polled_.make_room()) return f;
  polled_.insert(fd, r);
  armed_ += static_cast<int>(r.in_epoll == entry::armed);
  refused_ += static_cast<int>(r.in_epoll == entry::refused);
  return {};
}

void adaptive_backend::take_from_poll(registration& r) noexcept {
  if (r.position == 0) return;
  armed_ -= static_cast<int>(r.in_epoll == entry::armed);
  refused_ -= static_cast<int>(r.in_epoll == entry::refused);
  polled_.erase(r);
}

// From wherever it is. What is refused is not tried again until it is modified.
fault adaptive_backend::put_in_epoll(int fd, registration& r) noexcept {
  if (r.in_epoll == entry::refused) return fault::from_errno(EPERM);
  const bool was_polled = r.position != 0;
  take_from_poll(r);
  fault f;
  if (r.in_epoll != entry::armed || !was_polled) f = watched_.insert(fd, r);
  r.since = waits_ & wait_mask;
  if (f.is_errno(EPERM)) r.in_epoll = entry::refused;
  if (f && was_polled) polled_.insert(fd, r), refused_ += static_cast<int>(r.in_epoll == entry::refused);
  return f;
}

fault adaptive_backend::place(int fd, registration& r) noexcept {
  if (must_be_watched(r)) return watch_alone(fd, r);
  const bool only_watching = handle_given_ || exclusive_ > 0;
  if (watched() != 0 || only_watching) {
    if (survivors_ >= 8 || only_watching) {
      const fault f = put_in_epoll(fd, r);
      // A selector that watches itself, through whichever others, is wrong in every regime.
      if (!f || f.is_errno(ELOOP) || f.is_errno(EINVAL)) {
        model_.paid(c::own);
        if (f) take_from_poll(r);
        return f;
      }
    }
    model_.spared(c::own);
  }
  return put_in_poll(fd, r);
}

// Where epoll cannot be done without, its errors are the caller's.
fault adaptive_backend::watch_alone(int fd, registration& r) noexcept {
  if (const fault f = need_set()) return f;
  if (const fault f = put_in_epoll(fd, r)) {
    if (r.position == 0 && r.in_epoll == entry::refused) r.in_epoll = entry::none;
    return f;
  }
  if (r.mode == trigger::exclusive && ++exclusive_ == 1) move_to_epoll(true);
  return {};
}

fault adaptive_backend::add(int fd, registration& r) noexcept {
  const fault f = place(fd, r);
  regime_may_have_changed();
  return f;
}

fault adaptive_backend::modify(int fd, registration& r, const registration& old) noexcept {
  const bool polled = r.position != 0;
  if (polled && r.in_epoll == entry::refused) {
    --refused_;
    r.in_epoll = entry::none;
  }
  fault f;
  if (!polled) {
    model_.paid(c::change);
    f = watched_.update(fd, r, old);
    if (!f && old.mode == trigger::exclusive) --exclusive_;
    if (!f && r.mode == trigger::exclusive && ++exclusive_ == 1) move_to_epoll(true);
  } else if (must_be_watched(r)) {
    f = watch_alone(fd, r);
    if (f) {
      registration before = r;
      before.wanted = old.wanted;
      polled_.update(before);
    }
  } else {
    model_.spared(c::change);
    polled_.update(r);
    // An entry that is out of date serves nobody, but in the mixed regime it would wake.
    if (r.in_epoll == entry::armed && watched_.insert(fd, r)) {
      --armed_;
      watched_.erase(fd, r);
    }
  }
  regime_may_have_changed();
  return f;
}

void adaptive_backend::remove(int fd, registration& r) noexcept {
  largest_ = std::max(largest_, registered());
  const bool young = static_cast<std::int32_t>(r.generation - ages_.front()) > 0;
  if (waits_ != 0)
    survivors_ = static_cast<std::int8_t>(young ? std::max(survivors_ - 2, 0) : std::min(survivors_ + 1, 15));
  if (exists(r.in_epoll)) {
    model_.paid(c::remove);
  } else {
    model_.spared(c::remove);
  }
  park(fd, r);
}

void adaptive_backend::park(int fd, registration& r) noexcept {
  if (r.mode == trigger::exclusive && r.in_epoll == entry::armed) --exclusive_;
  take_from_poll(r);
  watched_.erase(fd, r);
  if (r.in_epoll == entry::refused) r.in_epoll = entry::none;
  regime_may_have_changed();
}

fault adaptive_backend::unpark(int fd, registration& r) noexcept {
  // A oneshot that fired in the epoll set has a disarmed entry there, which nothing but arming makes good again.
  const fault f = exists(r.in_epoll) ? watched_.insert(fd, r) : place(fd, r);
  regime_may_have_changed();
  return f;
}

fault adaptive_backend::watch_waker(int fd) noexcept {
  if (watched_.has_set()) {
    if (const fault f = watched_.watch_waker(fd)) return f;
  }
  if (const fault f = polled_.watch_waker(fd)) return f;
  waker_ = fd;
  return {};
}

bool adaptive_backend::is_healthy(int fd, const registration& r) noexcept {
  return exists(r.in_epoll) ? watched_.is_healthy(fd, r) : is_open(fd) && r.state != watch::stale;
}

// ---------------------------------------------------------------------------------------------- waits

[[gnu::flatten]] wait_result adaptive_backend::wait(const wait_request& request) {
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

inline wait_result adaptive_backend::poll_all(const wait_request& request) {
  const wait_result found = polled_.wait(request);
  if (found.failed) [[unlikely]]
    return found;
  if (polled_.take_parked()) [[unlikely]]
    follow_parked(request, found);
  const wait_facts w = {.ready = static_cast<int>(found.entries - request.filled),
                        .before_first = static_cast<int>(polled_.before_first()),
                        .blocking = request.nanoseconds != 0};
  const int polled = static_cast<int>(polled_.size());
  polled_.advance_clock(static_cast<std::uint32_t>(cost_model::scan_cost(polled, w)));
  if (table_.last_generation() != counted_generation_) [[unlikely]]
    count_registrations();
  if (!model_.keeps_polling(polled, w)) follow(model_.leave_polling(have(), w.ready), request, found);
  return found;
}

inline wait_result adaptive_backend::watch_all(const wait_request& request) {
  const wait_result found = watched_.wait(request);
  if (found.failed) [[unlikely]]
    return without_epoll(request, {}, found);
  const int ready = static_cast<int>(found.entries - request.filled);
  if (ready == 0) {
    model_.after_watching_nothing();
    return found;
  }
  watched_was_ready_ = true;
  // Two busy ones are the least that a poll call of their own could pay for.
  const int busy = ready >= 2 ? count_busy(request, found) : 0;
  const int registered = static_cast<int>(watched_.size());
  if (!model_.keeps_watching(registered, ready, busy)) {
    follow(model_.leave_watching(have(), ready, busy), request, found);
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
  // Where it was ready last time it is asked at once; polling it first would be a call for nothing.
  if (watched_was_ready_ && !ask_epoll()) return without_epoll(request, {}, from_epoll);
  const bool woken_by_epoll = from_epoll.woken;
  if (w.asked_epoll && (w.ready_watched != 0 || woken_by_epoll || !w.blocking)) {
    look.filled = from_epoll.entries;
    found = polled_.wait(look);
  } else {
    polled_.watch_nested(watched_.fd());
    w.nested = true;
    found = polled_.wait(request);
    polled_.watch_nested(-1);
    if (!found.failed && polled_.nested_was_ready()) {
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
  if (polled_.take_parked()) [[unlikely]]
    follow_parked(request, found);
  w.ready = static_cast<int>(found.entries - request.filled);
  w.before_first = static_cast<int>(polled_.before_first());
  watched_was_ready_ = w.ready_watched != 0;
  const holdings h = have();
  polled_.advance_clock(static_cast<std::uint32_t>(cost_model::scan_cost(h.polled, w)));
  const int busy = w.ready_watched != 0 ? count_busy(request, found) : 0;
  follow(model_.after_mixed(h, w, busy), request, found);
  return found;
}

// What need not be done at every wait.
void adaptive_backend::every_few_waits() noexcept {
  if (waits_ == 1) {
    before_first_wait();
    return;
  }
  std::rotate(ages_.begin(), ages_.begin() + 1, ages_.end());
  ages_.back() = table_.last_generation();
  if (polled_.size() != 0) take_census();
}

// Registering in the polling regime tells nobody (appends_to), so it is counted afterwards.
void adaptive_backend::count_registrations() noexcept {
  const std::uint32_t registrations = (table_.last_generation() - counted_generation_) / 2;
  model_.spared(c::own * static_cast<int>(std::min<std::uint32_t>(registrations, 1u << 20)));
  counted_generation_ = table_.last_generation();
}

void adaptive_backend::before_unusual_wait(const wait_request& request) noexcept {
  if (request.limit < table_.size()) prepare_limited();
  if (forced_regime) hold(*forced_regime);
}

void adaptive_backend::before_first_wait() noexcept {
  counted_generation_ = table_.last_generation();
  ages_.fill(counted_generation_);
  largest_ = registered();
  if (model_.first_wait(experience, have()) == advice::watch_all) move_to_epoll(true);
}

// Turns are kept within a set, so all that may be ready has to be in one.
void adaptive_backend::prepare_limited() noexcept {
  if (polled_.size() == 0 || watched() == 0) return;
  move_to_epoll(true);
  if (polled_.size() != 0) move_to_poll();
}

void adaptive_backend::hold(regime r) noexcept {
  if (r == regime::polling) move_to_poll();
  if (r == regime::watching) move_to_epoll(true);
  if (r != regime::mixed || need_set()) return;
  polled_.for_each([this](int fd, registration& member) {
    if (fd % 2 == 0) (void)put_in_epoll(fd, member);
  });
  if (watched() != 0) mask_armed();
  regime_may_have_changed();
}

// The epoll set cannot be made whole: what can be polled is polled, and nothing is lost by it.
wait_result adaptive_backend::without_epoll(const wait_request& request, const wait_result& before,
                                            const wait_result& failed) {
  const bool has_found = before.entries != request.filled || before.woken;
  if (failed.failed.is_errno(EINTR)) return has_found ? before : failed;
  bool all = true;
  watched_.close();
  armed_ = 0;
  table_.for_each([&](int fd, registration& r) {
    r.in_epoll = entry::none;
    if (is_parked(r.state) || r.position != 0) return;
    if (r.state == watch::muted) r.state = watch::live;
    if (must_be_watched(r) || put_in_poll(fd, r)) all = false;
  });
  model_.settled();
  regime_may_have_changed();
  if (has_found) return before;
  return all ? polled_.wait(request) : failed;
}

// ---------------------------------------------------------------------------------------------- moves

bool adaptive_backend::is_quiet(const registration& r) const noexcept {
  const int entry_price = exists(r.in_epoll) ? c::change : c::own;
  return r.in_epoll != entry::refused && polled_.clock() - r.since >= static_cast<std::uint32_t>(entry_price);
}

void adaptive_backend::take_census() noexcept {
  constexpr std::uint32_t most =
      16'000;  // one that has been quiet for an hour counts no more than one of some minutes
  int quiet = 0;
  std::int64_t surplus = 0;
  polled_.for_each([&](int, const registration& r) {
    if (!is_quiet(r)) return;
    ++quiet;
    surplus += std::min(polled_.clock() - r.since, most) -
               static_cast<std::uint32_t>(exists(r.in_epoll) ? c::change : c::own);
  });
  model_.census(quiet, surplus);
}

// Those of the watched entries that have been ready so often that scanning them would be cheaper. Notes what it sees.
int adaptive_backend::count_busy(const wait_request& request, const wait_result& found) noexcept {
  int busy = 0;
  for (std::size_t i = request.filled; i < found.entries; ++i) {
    registration* r = table_.find(request.out[i].fd);
    if (r->position != 0 || must_be_watched(*r)) continue;
    const std::uint32_t missed = ((waits_ - r->since) & wait_mask) - 1;
    const int account = cost_model::watched_account(static_cast<int>(r->since >> wait_bits), missed,
                                                    c::epoll_each - c::poll_each);
    busy += static_cast<int>(account >= cost_model::busy_at);
    r->since = static_cast<std::uint32_t>(account) << wait_bits | (waits_ & wait_mask);
  }
  return busy;
}

void adaptive_backend::follow(advice a, const wait_request& request, const wait_result& found) noexcept {
  if (a == advice::stay) [[likely]]
    return;
  if (a == advice::watch_all) move_to_epoll(true);
  if (a == advice::watch_quiet) move_to_epoll(false);
  if (a == advice::poll_all) move_to_poll();
  if (a == advice::poll_busy) poll_busy(request, found);
  model_.settled();
}

// Whatever epoll does not take stays polled, and may be tried again when the accounts say so again.
void adaptive_backend::move_to_epoll(bool all) noexcept {
  if (polled_.size() == 0 || need_set()) return;
  polled_.for_each([&](int fd, registration& r) {
    if (!all && !is_quiet(r)) return;
    const bool armed = r.in_epoll == entry::armed;
    const bool masked = r.in_epoll == entry::masked;
    if (!put_in_epoll(fd, r) && !armed) model_.paid(masked ? c::change : c::own);
  });
  if (polled_.size() != 0 && watched() != 0) mask_armed();
  regime_may_have_changed();
}

// Free: the entries stay, armed, and are not asked.
void adaptive_backend::move_to_poll() noexcept {
  if (handle_given_ || exclusive_ > 0) return;
  table_.for_each([this](int fd, registration& r) {
    if (r.position != 0 || r.state != watch::live || must_be_watched(r)) return;
    (void)put_in_poll(fd, r);
  });
  if (watched() != 0) mask_armed();
  regime_may_have_changed();
}

void adaptive_backend::poll_busy(const wait_request& request, const wait_result& found) noexcept {
  if (handle_given_ || exclusive_ > 0) return;
  mask_armed();
  for (std::size_t i = request.filled; i < found.entries; ++i) {
    const int fd = request.out[i].fd;
    registration& r = *table_.find(fd);
    const bool busy = static_cast<int>(r.since >> wait_bits) >= cost_model::busy_at;
    if (r.position != 0 || r.state != watch::live || must_be_watched(r) || !busy) continue;
    if (watched_.mask(fd, r)) continue;
    (void)put_in_poll(fd, r);
  }
  if (watched() == 0) model_.settled();
  regime_may_have_changed();
}

// Before the epoll set is asked beside the poll set, so that it does not answer for what is polled.
void adaptive_backend::mask_armed() noexcept {
  if (armed_ == 0) return;
  polled_.for_each([this](int fd, registration& r) {
    if (r.in_epoll != entry::armed) return;
    --armed_;
    if (watched_.mask(fd, r)) watched_.erase(fd, r);
  });
}

// The poll set has parked some of its members: none of them may be heard from the epoll set either.
void adaptive_backend::follow_parked(const wait_request& request, const wait_result& found) noexcept {
  for (std::size_t i = request.filled; i < found.entries; ++i) {
    registration& r = *table_.find(request.out[i].fd);
    if (is_parked(r.state)) watched_.erase(request.out[i].fd, r);
  }
  armed_ = refused_ = 0;
  polled_.for_each([this](int, const registration& r) {
    armed_ += static_cast<int>(r.in_epoll == entry::armed);
    refused_ += static_cast<int>(r.in_epoll == entry::refused);
  });
  watch_unwanted();
}

// poll reports such a condition for ever; epoll, asked for edges, once.
void adaptive_backend::watch_unwanted() noexcept {
  table_.for_each([this](int fd, registration& r) {
    if (r.state != watch::unwanted || need_set()) return;
    r.state = watch::muted;
    if (watched_.insert(fd, r)) r.state = watch::unwanted;
  });
  if (watched() != 0) mask_armed();
  regime_may_have_changed();
}

void adaptive_backend::regime_may_have_changed() noexcept {
  if (watched_.rebuilds() != rebuilds_) {
    // A rebuild has left out the entries of what is polled.
    rebuilds_ = watched_.rebuilds();
    armed_ = 0;
  }
  appends_to = watched() == 0 && !handle_given_ ? &polled_ : nullptr;
}

fault adaptive_backend::native_handle(int& handle) noexcept {
  if (const fault f = need_set()) return f;
  if (const fault f = watched_.handle(handle)) return f;
  handle_given_ = true;
  move_to_epoll(true);
  regime_may_have_changed();
  return {};
}

fault adaptive_backend::leave_parent() noexcept {
  waker_ = -1;
  if (const fault f = polled_.watch_waker(-1)) return f;
  handle_given_ = false;
  if (!watched_.has_set()) return {};
  const fault f = watched_.leave_parent();
  regime_may_have_changed();
  return f;
}

}  // namespace

std::unique_ptr<multiplexer> make_adaptive_backend(registration_table& table) noexcept {
  return std::unique_ptr<multiplexer>(new (std::nothrow) adaptive_backend(table));
}

}  // namespace selectors
