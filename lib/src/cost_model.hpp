// When a selector should watch a descriptor with poll(2) and when with epoll(7): the decision rule of the adaptive
// backend. Pure: no system calls, no clock; it is told what happened, in counts, and answers with advice.
//
// THE PROBLEM. poll costs something for each descriptor that it is given, epoll for each that is ready; but to get a
// descriptor into an epoll set costs as much as polling it some thirty times. Whether that pays depends on the future.
// It is the problem of renting or buying: rent (poll) until the rent paid beyond what the bought thing (epoll) would
// have cost equals its price, then buy. Whoever does so never pays more than twice what the best foreknowledge would
// have paid, plus the hysteresis below.
//
// THE ACCOUNTS. Each wait is priced in all three regimes - poll everything; poll the busy ones and a nested epoll set
// of the quiet ones; epoll everything - from counts alone:
//
//   polling   poll_call + poll_each * n
//   mixed     poll_call + poll_each * busy + nested + (quiet ones ready ? epoll_call + epoll_first + epoll_each * k : 0)
//   watching  epoll_call + (k ? epoll_first : 0) + epoll_each * k
//
// and the difference between what was paid and what another regime would have cost goes into that regime's account,
// which never falls below zero: old luck does not pay for new loss. An account that has reached the price of the change
// (from the second change on plus four waits' worth, so that a regime is not left at the first doubt) makes it. Going back to polling is free of
// system calls - registrations stay armed in the epoll set - so after the first purchase both directions are cheap, and
// an adversary who knows the regime gains a few waits' difference per change and no more: asymptotically
// (poll_each + epoll_each) / (2 poll_each), about 1.7, against the better fixed choice.
//
// Single descriptors move on accounts of their own: a polled one is quiet when its share of the scans since it was last
// ready has cost as much as its entry would; a watched one is busy when its reports have cost as much more than
// scanning it as a change of its entry.
//
// THE MEMORY. Selectors that live for one wait or a few never get that far, so a program that makes many would pay the
// rent again and again. Each thread remembers, by size, whether selectors that were closed would have repaid epoll;
// after two that would have, the next buys at its first wait, and one that bought in vain raises the price.
#pragma once

#include <array>
#include <cstdint>

namespace selectors {

// Nanoseconds; only the ratios count, and halving or doubling any of them changes the outcome by a few per cent. In the
// middle (geometrically) between two machines: one with costly system calls, where an entry costs as much as 29 scans,
// and one with cheap ones, where it costs 12. Measured on AF_UNIX sockets; pipes and TCP are within a third of it.
struct kernel_costs {
  static constexpr int poll_call = 190;
  static constexpr int poll_each = 54;
  static constexpr int poll_each_queued = 150;  // a call that may block, before the first ready one
  static constexpr int poll_timer = 230;        // more, when the call may block
  static constexpr int epoll_call = 138;
  static constexpr int epoll_first = 86;  // more, when anything is ready
  static constexpr int epoll_each = 108;  // for each that is ready
  static constexpr int epoll_timer = 170;
  static constexpr int nested_idle = 95;  // an epoll set in a poll set
  static constexpr int nested_ready = 164;
  static constexpr int add = 730;
  static constexpr int remove = 520;
  static constexpr int change = 294;
  static constexpr int create = 1430;
  static constexpr int close_each = 286;        // an entry, when the set is closed
  static constexpr int own = add + close_each;  // the price of an entry
};

enum class regime : std::uint8_t { polling, mixed, watching };

enum class advice : std::uint8_t {
  stay,
  watch_all,    // everything into the epoll set
  watch_quiet,  // the quiet ones
  poll_all,     // everything polled; entries stay armed
  poll_busy,    // the busy ones polled, their entries masked
};

// What the backend has, in descriptors.
struct holdings {
  int registered = 0;  // watched in either way
  int polled = 0;
  int refused = 0;  // polled, because epoll will not have them
  int masked = 0;   // polled, with a masked entry
  int armed = 0;    // polled, with an armed entry
  bool has_set = false;

  int fresh() const noexcept { return polled - refused - masked - armed; }
};

// What one wait did.
struct wait_facts {
  int ready = 0;          // all entries
  int ready_watched = 0;  // of them, from the epoll set
  int before_first = 0;   // polled descriptors before the first ready one
  bool blocking = false;  // the call could have blocked
  bool nested = false;    // mixed: the epoll set was polled, too
  bool asked_epoll = false;
};

// Whether selectors of a size usually live long enough for epoll: of one thread.
class life_record {
 public:
  int of(int size) const noexcept { return records_[index(size)]; }
  void note(int size, bool bought, std::int64_t epoll_gain, std::int64_t purchase_gain) noexcept;

  static constexpr int convinced = 2;

 private:
  static unsigned index(int size) noexcept {
    return 31u - static_cast<unsigned>(__builtin_clz(static_cast<unsigned>(size) | 1u));
  }

  std::array<std::int8_t, 32> records_{};  // convinced and above: buy at once; below zero: bought in vain
};

class cost_model {
  using account = std::int64_t;

 public:
  // A new selector.
  void reset() noexcept { *this = cost_model(); }

  // Before the first wait of a life: watch_all when experience says so.
  advice first_wait(const life_record& record, const holdings& h) noexcept;

  // After a wait in each regime. The ordinary answer is that nothing changes; it is found from one number of what the
  // backend has, and only when it is not the answer all of them are looked at.
  bool keeps_polling(int polled, const wait_facts& w) noexcept {
    using c = kernel_costs;
    static_assert(c::own >= 4 * c::poll_each && c::create >= 4 * (c::poll_call - c::epoll_call),
                  "no price is below four waits' worth");
    step_ = c::poll_call - c::epoll_call + c::poll_each * account{polled} - c::epoll_each * account{w.ready} -
            spared_;
    if (w.ready != 0) step_ -= c::epoll_first;
    if (w.blocking) step_ += queueing(w);
    spared_ = 0;
    epoll_gain_ += step_;
    to_watching_ += step_;
    if (to_watching_ < 0) to_watching_ = 0;
    return quiet_ == 0 && (step_ <= 0 || to_watching_ < 4 * step_);
  }
  bool keeps_watching(int registered, int ready, int busy) noexcept {
    using c = kernel_costs;
    step_ = c::poll_call + c::poll_each * account{registered} - watching_cost(ready);
    epoll_gain_ += step_;
    purchase_gain_ += step_;
    to_polling_ -= step_;
    if (to_polling_ > 0 || busy != 0) [[unlikely]]
      return false;
    to_polling_ = 0;
    return true;
  }
  advice after_polling(const holdings& h, const wait_facts& w) noexcept {
    return keeps_polling(h.polled, w) ? advice::stay : leave_polling(h, w.ready);
  }
  advice after_watching(const holdings& h, int ready, int busy) noexcept {
    return keeps_watching(h.registered, ready, busy) ? advice::stay : leave_watching(h, ready, busy);
  }
  advice after_mixed(const holdings& h, const wait_facts& w, int busy) noexcept;
  // When it does not keep polling, or watching.
  advice leave_polling(const holdings& h, int ready) noexcept;
  advice leave_watching(const holdings& h, int ready, int busy) noexcept;
  // The commonest wait of all, so it is only counted.
  void after_watching_nothing() noexcept { ++empty_watches_; }
  void count_empty_watches(const holdings& h) noexcept;

  // Polling, or watching, is so far from giving way that the next waits need not be accounted one by one: when each finds
  // at least `calm_from(polled)` entries, or at most one.
  bool is_calm_polling() const noexcept { return to_watching_ == 0 && quiet_ == 0; }
  static std::uint32_t calm_from(int polled) noexcept {
    using c = kernel_costs;
    const int saved = c::poll_call - c::epoll_call + c::poll_each * polled - c::epoll_first;
    return static_cast<std::uint32_t>(saved / c::epoll_each + 1);
  }
  bool is_calm_watching(int registered) const noexcept {
    return to_polling_ == 0 && watching_gains(registered) > 0;
  }
  // As many more of them, afterwards: as many like the last one, or that found one entry.
  void repeated_polling(std::uint32_t waits) noexcept { epoll_gain_ += step_ * waits; }
  void repeated_watching(std::uint32_t waits, int registered) noexcept {
    epoll_gain_ += watching_gains(registered) * waits;
    purchase_gain_ += watching_gains(registered) * waits;
  }

  // Changes of registrations: those that went through to the epoll set, and those that did not have to.
  void paid(int cost) noexcept {
    to_polling_ += cost;
    purchase_gain_ -= cost;
  }
  void spared(int cost) noexcept { spared_ += cost; }

  // Every few waits the backend counts the polled descriptors whose scans have cost more than an entry, and by how
  // much.
  void census(int quiet, std::int64_t surplus) noexcept {
    quiet_ = quiet;
    quiet_surplus_ = surplus;
  }

  // The move that was advised is done, or epoll has refused it: the accounts begin anew.
  void settled() noexcept { to_watching_ = to_polling_ = to_mixed_ = quiet_surplus_ = quiet_ = 0; }

  void close_life(life_record& record, int size, bool bought) noexcept;

  // What scanning a polled descriptor has cost in this wait, on average: the advance of its set's clock.
  static int scan_cost(int polled, const wait_facts& w) noexcept {
    using c = kernel_costs;
    if (!w.blocking || polled == 0) return c::poll_each;
    return c::poll_each + (c::poll_each_queued - c::poll_each) * w.before_first / polled;
  }

  // A watched descriptor's account: it is busy at `busy_at`.
  static constexpr int busy_at = kernel_costs::change;
  static int watched_account(int account, std::uint32_t missed, int gain) noexcept;

 private:
  static int watching_cost(int ready) noexcept {
    using c = kernel_costs;
    return c::epoll_call + (ready != 0 ? c::epoll_first : 0) + c::epoll_each * ready;
  }
  static account watching_gains(int registered) noexcept {
    using c = kernel_costs;
    return c::poll_call + c::poll_each * account{registered} - watching_cost(1);
  }
  static int queueing(const wait_facts& w) noexcept {
    using c = kernel_costs;
    return (c::poll_each_queued - c::poll_each) * w.before_first + c::poll_timer - c::epoll_timer;
  }
  bool repays_watching(const holdings& h) const noexcept;
  advice after_quiet(const holdings& h, int ready_polled, int epoll_cost) const noexcept;

  account step_ = 0;           // what the last wait would have saved in the other one of polling and watching
  account to_watching_ = 0;    // rent paid beyond what epoll alone would have cost
  account to_polling_ = 0;     // beyond what polling everything would have cost
  account to_mixed_ = 0;       // beyond what polling the busy ones would have cost
  account spared_ = 0;         // epoll_ctl calls that were not made since the last wait
  account epoll_gain_ = 0;     // of the whole life: what epoll would have gained over poll
  account purchase_gain_ = 0;  // what having bought has gained
  account quiet_surplus_ = 0;
  int quiet_ = 0;
  int price_factor_ = 1;
  std::uint32_t empty_watches_ = 0;
};

}  // namespace selectors
