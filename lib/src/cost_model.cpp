#include "cost_model.hpp"

#include <algorithm>
#include <cstdlib>

namespace selectors {
namespace {

using c = kernel_costs;

// What leaving a regime must have earned, besides four waits of the difference.
constexpr int hysteresis = c::poll_call + c::add + c::remove;

}  // namespace

void life_record::note(int size, bool bought, std::int64_t epoll_gain, std::int64_t purchase_gain) noexcept {
  std::int8_t& record = records_[index(size)];
  constexpr std::int8_t most = convinced + 1;
  constexpr std::int8_t least = -3;
  if (epoll_gain > c::create + std::int64_t{c::own} * size) {
    record = std::min<std::int8_t>(static_cast<std::int8_t>(record + 1), most);
  } else if (bought && purchase_gain < 0) {
    record = record > 0 ? std::int8_t{0} : std::max<std::int8_t>(static_cast<std::int8_t>(record - 1), least);
  } else if (record > 0) {
    record = 0;
  }
}

advice cost_model::first_wait(const life_record& record, const holdings& h) noexcept {
  const int experience = record.of(h.registered);
  if (experience < 0) price_factor_ = 1 - experience;
  return experience >= life_record::convinced ? advice::watch_all : advice::stay;
}

bool cost_model::repays_watching(const holdings& h) const noexcept {
  const account price =
      account{h.fresh()} * c::own + account{h.masked} * c::change + (h.has_set ? 0 : c::create);
  const account hesitation = h.has_set ? 4 * step_ : 0;
  return step_ > 0 && h.polled > h.refused && to_watching_ >= price * price_factor_ + hesitation;
}

advice cost_model::leave_polling(const holdings& h, int ready) noexcept {
  const bool some_quiet = quiet_ != 0 && quiet_ < h.polled;
  const advice for_quiet = some_quiet ? after_quiet(h, ready, watching_cost(ready)) : advice::stay;
  if (!repays_watching(h)) return for_quiet;
  // Busy ones had better not be bought the first time.
  return for_quiet == advice::stay || h.has_set ? advice::watch_all : for_quiet;
}

// The quiet ones go when that repays their entries, and when what remains to be polled is worth a call of its own.
advice cost_model::after_quiet(const holdings& h, int ready_polled, int epoll_cost) const noexcept {
  const int watched = h.registered - h.polled;
  if (c::poll_each * (watched + quiet_) <= c::nested_idle + c::poll_each) return advice::stay;
  const account price = (h.has_set ? 0 : c::create) + account{c::change} * h.armed;
  if (quiet_surplus_ < price_factor_ * price) return advice::stay;
  const int saved_on_busy = (c::epoll_each - c::poll_each) * ready_polled + c::epoll_call + c::epoll_first;
  const int margin = epoll_cost / 10;
  const bool busy_ones_pay = saved_on_busy - c::poll_call - c::nested_idle > margin;
  return busy_ones_pay && c::poll_each * quiet_ > margin ? advice::watch_quiet : advice::stay;
}

advice cost_model::after_mixed(const holdings& h, const wait_facts& w, int busy) noexcept {
  const account watching = watching_cost(w.ready) + (w.blocking ? c::epoll_timer : 0) + spared_;
  const account polling = c::poll_call + account{c::poll_each} * h.registered;
  account mixed = c::poll_call + account{c::poll_each} * h.polled;
  if (w.nested) mixed += w.ready_watched != 0 ? c::nested_ready : c::nested_idle;
  if (w.nested && w.blocking)
    mixed += (c::poll_each_queued - c::poll_each) * account{w.before_first} + c::poll_timer;
  if (w.asked_epoll) mixed += watching_cost(w.ready_watched);
  spared_ = 0;
  epoll_gain_ += polling - watching;
  purchase_gain_ += polling - mixed;
  if (busy != 0) return advice::poll_busy;

  const account over_watching = mixed - watching;
  to_watching_ = std::max<account>(0, to_watching_ + over_watching);
  if (over_watching > 0 && to_watching_ >= 4 * over_watching) {
    const account price = account{h.fresh()} * c::own + account{h.masked} * c::change + 4 * over_watching;
    if (to_watching_ >= price && h.polled > h.refused) return advice::watch_all;
  }
  const account over_polling = mixed - polling;
  to_polling_ = std::max<account>(0, to_polling_ + over_polling);
  if (to_polling_ > 0 && over_polling + 2 * c::add > 0 &&
      to_polling_ >= 4 * std::abs(over_polling) + hysteresis) {
    return advice::poll_all;
  }
  const bool some_quiet = quiet_ != 0 && quiet_ < h.polled;
  return some_quiet ? after_quiet(h, w.ready - w.ready_watched, static_cast<int>(watching)) : advice::stay;
}

advice cost_model::leave_watching(const holdings& h, int ready, int busy) noexcept {
  count_empty_watches(h);
  to_polling_ = std::max<account>(0, to_polling_);
  if (to_polling_ > 0 && step_ <= c::add + c::remove && to_polling_ >= 4 * std::abs(step_) + hysteresis) {
    return advice::poll_all;
  }
  if (busy == 0) return advice::stay;
  const int watching = watching_cost(ready);
  const int rest = busy == ready ? 0 : watching - c::epoll_each * busy;
  const int saved = watching - (c::poll_call + c::poll_each * busy + c::nested_idle + rest) - watching / 10;
  to_mixed_ = std::max<account>(0, to_mixed_ + saved);
  return saved > 0 && to_mixed_ >= 4 * account{saved} + c::change ? advice::poll_busy : advice::stay;
}

void cost_model::count_empty_watches(const holdings& h) noexcept {
  const account gain =
      account{empty_watches_} * (c::poll_call + account{c::poll_each} * h.registered - c::epoll_call);
  empty_watches_ = 0;
  epoll_gain_ += gain;
  purchase_gain_ += gain;
  to_polling_ = std::max<account>(0, to_polling_ - gain);
}

void cost_model::close_life(life_record& record, int size, bool bought) noexcept {
  count_empty_watches({.registered = size});
  record.note(size, bought, epoll_gain_, purchase_gain_);
}

int cost_model::watched_account(int account, std::uint32_t missed, int gain) noexcept {
  constexpr std::uint32_t forgotten = 16;
  if (missed > forgotten) account = 0;
  return std::min(std::max(account - static_cast<int>(missed) * c::poll_each, 0) + gain, busy_at);
}

}  // namespace selectors
