#include <algorithm>
#include <cerrno>

#include "adaptive_backend.hpp"
#include "descriptor.hpp"

namespace selectors {
namespace {

using c = kernel_costs;

}  // namespace

fault adaptive_backend::need_set() noexcept {
  if (watched_.has_set()) return {};
  // Whoever has the handle expects to hear from what was in the set that is lost.
  if (const fault f = handle_given_ ? watched_.rebuild() : watched_.open()) return f;
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

// No verb of the caller's is the reason, so its key stays what it is, whoever has the number by now.
fault adaptive_backend::arm(int fd, registration& r) noexcept {
  if (!watched_.is_whole()) {
    // It may have a ghost of this very key.
    const fault f = watched_.rebuild_for(r);
    if (f || r.in_epoll == entry::armed) return f;
  }
  if (!exists(r.in_epoll)) return watched_.insert(fd, r);
  const fault f = watched_.arm(fd, r);
  if (f) watched_.forget(fd, r);
  return f;
}

// From wherever it is. What is refused is not tried again until it is modified.
fault adaptive_backend::put_in_epoll(int fd, registration& r) noexcept {
  if (r.in_epoll == entry::refused) return fault::from_errno(EPERM);
  const bool was_polled = r.position != 0;
  take_from_poll(r);
  fault f;
  if (r.in_epoll != entry::armed || !was_polled) f = arm(fd, r);
  r.since = waits_ & wait_mask;
  if (f.is_errno(EPERM)) r.in_epoll = entry::refused;
  if (f && was_polled) polled_.insert(fd, r), refused_ += static_cast<int>(r.in_epoll == entry::refused);
  return f;
}

// Its entry could not be changed: without one, then.
fault adaptive_backend::poll_instead(int fd, registration& r, fault refusal) noexcept {
  if (const fault f = polled_.make_room()) return f;
  watched_.forget(fd, r);
  if (refusal.is_errno(EPERM)) r.in_epoll = entry::refused;
  return put_in_poll(fd, r);
}

// What cannot be watched as it should be stays what it was.
void adaptive_backend::poll_as_before(int fd, registration& r, const registration& old) noexcept {
  if (must_be_watched(old)) return;
  if (r.position == 0 && put_in_poll(fd, r)) return;
  registration before = r;
  before.wanted = old.wanted;
  polled_.update(before);
}

fault adaptive_backend::mask_and_poll(int fd, registration& r) noexcept {
  if (const fault f = polled_.make_room()) return f;
  if (const fault f = watched_.mask(fd, r)) return f;
  return put_in_poll(fd, r);
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
  end_lease();
  const fault f = place(fd, r);
  regime_may_have_changed();
  return f;
}

fault adaptive_backend::modify(int fd, registration& r, const registration& old) noexcept {
  end_lease();
  const bool polled = r.position != 0;
  if (polled && r.in_epoll == entry::refused) {
    --refused_;
    r.in_epoll = entry::none;
  }
  fault f;
  if (!polled) {
    model_.paid(c::change);
    f = watched_.update(fd, r, old);
    if (f && !must_be_watched(r)) f = poll_instead(fd, r, f);
    if (f && !exists(r.in_epoll)) poll_as_before(fd, r, old);
    if (!f && old.mode == trigger::exclusive) --exclusive_;
    if (!f && r.mode == trigger::exclusive && ++exclusive_ == 1) move_to_epoll(true);
  } else if (must_be_watched(r)) {
    // For something else. And no entry can become exclusive.
    armed_ -= static_cast<int>(r.in_epoll == entry::armed);
    if (exists(r.in_epoll)) watched_.forget(fd, r);
    f = watch_alone(fd, r);
    if (f) poll_as_before(fd, r, old);
  } else {
    model_.spared(c::change);
    polled_.update(r);
    // An entry that is out of date serves nobody, but in the mixed regime it would wake.
    if (r.in_epoll == entry::armed && (!watched_.is_whole() || watched_.insert(fd, r))) {
      --armed_;
      watched_.forget(fd, r);
    }
    if (handle_given_) (void)put_in_epoll(fd, r);
  }
  regime_may_have_changed();
  return f;
}

void adaptive_backend::remove(int fd, registration& r) noexcept {
  end_lease();
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
  end_lease();
  if (r.mode == trigger::exclusive && r.in_epoll == entry::armed) --exclusive_;
  take_from_poll(r);
  watched_.erase(fd, r);
  if (r.in_epoll == entry::refused) r.in_epoll = entry::none;
  regime_may_have_changed();
}

fault adaptive_backend::unpark(int fd, registration& r) noexcept {
  end_lease();
  // A oneshot that fired in the epoll set has a disarmed entry there, which nothing but arming makes good again.
  fault f;
  if (exists(r.in_epoll)) {
    f = watched_.insert(fd, r);
    if (f && !must_be_watched(r)) f = poll_instead(fd, r, f);
    if (!f && r.mode == trigger::exclusive && ++exclusive_ == 1) move_to_epoll(true);
  } else {
    f = place(fd, r);
  }
  regime_may_have_changed();
  return f;
}

fault adaptive_backend::watch_waker(int fd) noexcept {
  end_lease();
  if (const fault f = polled_.make_room()) return f;
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

bool adaptive_backend::is_quiet(const registration& r) const noexcept {
  const int entry_price = exists(r.in_epoll) ? c::change : c::own;
  return r.in_epoll != entry::refused && polled_.clock() - r.since >= static_cast<std::uint32_t>(entry_price);
}

void adaptive_backend::take_census() noexcept {
  const bool none_can_be_quiet = static_cast<std::int32_t>(polled_.clock() - quiet_from_) < 0;
  if (none_can_be_quiet && watched_.size() == 0) return;
  constexpr std::uint32_t most =
      16'000;  // one that has been quiet for an hour counts no more than one of some minutes
  int quiet = 0;
  std::int64_t surplus = 0;
  std::uint32_t oldest = 0;
  polled_.for_each([&](int, const registration& r) {
    const std::uint32_t age = polled_.clock() - r.since;
    oldest = std::max(oldest, age);
    if (!is_quiet(r)) return;
    ++quiet;
    surplus += std::min(age, most) - static_cast<std::uint32_t>(exists(r.in_epoll) ? c::change : c::own);
  });
  constexpr std::uint32_t price = c::own;
  quiet_from_ = polled_.clock() + price - std::min(oldest, price);
  model_.census(quiet, surplus);
}

// Those of the watched entries that have been ready so often that scanning them would be cheaper. Notes what it sees.
int adaptive_backend::count_busy(const wait_request& request, const wait_result& found) noexcept {
  int busy = 0;
  for (std::size_t i = request.filled; i < found.entries; ++i) {
    registration* r = table_.find(request.out[i].fd);
    if (r->position != 0 || r->state != watch::live || must_be_watched(*r)) continue;
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
  if (forced_regime) return;
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
  regime_may_have_changed();
}

// Free: the entries stay, armed, and are not asked.
void adaptive_backend::move_to_poll() noexcept {
  if (handle_given_ || exclusive_ > 0) return;
  table_.for_each([this](int fd, registration& r) {
    if (r.position != 0 || r.state != watch::live || must_be_watched(r)) return;
    (void)put_in_poll(fd, r);
  });
  regime_may_have_changed();
}

void adaptive_backend::poll_busy(const wait_request& request, const wait_result& found) noexcept {
  if (handle_given_ || exclusive_ > 0) return;
  for (std::size_t i = request.filled; i < found.entries; ++i) {
    const int fd = request.out[i].fd;
    registration& r = *table_.find(fd);
    const bool busy = static_cast<int>(r.since >> wait_bits) >= cost_model::busy_at;
    if (r.position != 0 || r.state != watch::live || must_be_watched(r) || !busy) continue;
    (void)mask_and_poll(fd, r);
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
    if (watched_.mask(fd, r)) watched_.forget(fd, r);
  });
}

// The poll set has parked some of its members: none of them may be heard from the epoll set either.
void adaptive_backend::follow_parked(const wait_request& request, const wait_result& found) noexcept {
  for (std::size_t i = request.filled; i < found.entries; ++i) {
    registration& r = *table_.find(request.out[i].fd);
    if (is_parked(r.state)) watched_.forget(request.out[i].fd, r);
  }
  recount_parked();
}

void adaptive_backend::recount_parked() noexcept {
  armed_ = refused_ = 0;
  polled_.for_each([this](int, const registration& r) {
    armed_ += static_cast<int>(r.in_epoll == entry::armed);
    refused_ += static_cast<int>(r.in_epoll == entry::refused);
  });
  watch_unwanted();
}

// poll reports such a condition for ever; epoll, asked for edges, once.
void adaptive_backend::watch_unwanted() noexcept {
  has_unwanted_ = false;
  table_.for_each([this](int fd, registration& r) {
    if (r.state != watch::unwanted) return;
    r.state = watch::muted;
    fault f = need_set();
    if (!f) f = arm(fd, r);
    if (f) r.state = watch::unwanted;
    has_unwanted_ |= f && !f.is_errno(EPERM);
  });
  regime_may_have_changed();
}

void adaptive_backend::regime_may_have_changed() noexcept {
  if (watched_.rebuilds() != rebuilds_) {
    // A rebuild has left out the entries of what was polled, and what is not open any more.
    rebuilds_ = watched_.rebuilds();
    armed_ = exclusive_ = 0;
    table_.for_each([this](int, const registration& r) {
      if (r.in_epoll != entry::armed) return;
      armed_ += static_cast<int>(r.position != 0);
      exclusive_ += static_cast<int>(r.mode == trigger::exclusive);
    });
  }
  if (armed_ != 0 && watched() != 0) mask_armed();
  appends_to = watched() == 0 && !handle_given_ ? &polled_ : nullptr;
  // Tried again with the next change, and every few waits.
  if (handle_given_) (void)show_polled();
}

// The handle is an epoll set around the watched ones. Of what is polled all the same, a file that epoll does not take is
// always ready; the rest, whatever the kernel had no room for, may be.
fault adaptive_backend::show_polled() noexcept {
  bool ready = false;
  if (polled_.size() != 0) {
    polled_.for_each([&ready](int, const registration& r) {
      const bool can_be_ready = any(r.wanted & (interest::read | interest::write));
      ready |= r.in_epoll != entry::refused || can_be_ready;
    });
  }
  return watched_.hold_handle(ready);
}

fault adaptive_backend::native_handle(int& handle) noexcept {
  end_lease();
  if (!handle_given_) {
    if (const fault f = need_set()) return f;
  }
  if (const fault f = watched_.handle(handle)) return f;
  handle_given_ = true;
  move_to_epoll(true);
  regime_may_have_changed();
  return show_polled();
}

fault adaptive_backend::leave_parent() noexcept {
  end_lease();
  waker_ = -1;
  if (const fault f = polled_.watch_waker(-1)) return f;
  handle_given_ = false;
  watched_.close();
  armed_ = 0;
  bool needs_set = false;
  table_.for_each([&](int, registration& r) {
    if (exists(r.in_epoll)) r.in_epoll = entry::none;
    needs_set |= !is_parked(r.state) && r.position == 0;
  });
  const fault f = needs_set ? watched_.rebuild() : fault();
  regime_may_have_changed();
  return f;
}

}  // namespace selectors
