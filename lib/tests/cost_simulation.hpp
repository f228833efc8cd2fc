// A selector without a kernel: it follows the advice of the cost model as the adaptive backend does, and pays the model's
// own prices. Beside it the two that never change.
#pragma once

#include <algorithm>
#include <cost_model.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace selectors::tests {

class cost_simulation {
 public:
  using cost = std::int64_t;

  explicit cost_simulation(int count) : all_(static_cast<std::size_t>(count)) {}

  // Which descriptors are ready: f(index).
  template <class F>
  void wait(F&& is_ready);
  // `count` registrations end and as many begin, at the front.
  void churn(int count);

  regime now() const noexcept {
    const int p = polled();
    return p == size() ? regime::polling : p == 0 ? regime::watching : regime::mixed;
  }
  int size() const noexcept { return static_cast<int>(all_.size()); }
  int moves() const noexcept { return moves_; }
  // As if it were closed now.
  cost paid() const noexcept { return paid_ + (has_set_ ? c::close_each * cost{entries()} : 0); }
  cost best_fixed() const noexcept { return std::min(polling_, watching_ + c::close_each * cost{size()}); }
  double regret() const noexcept { return static_cast<double>(paid()) / static_cast<double>(best_fixed()); }

 private:
  using c = kernel_costs;

  enum class entry { none, armed, masked };
  struct descriptor {
    bool polled = true;
    entry in_epoll = entry::none;
    cost quiet = 0;   // polled: what its scans have cost since it was ready
    int account = 0;  // watched
    int last_ready = 0;
  };

  template <class P>
  int count(P&& p) const {
    return static_cast<int>(std::count_if(all_.begin(), all_.end(), p));
  }
  int polled() const {
    return count([](const descriptor& d) { return d.polled; });
  }
  int entries() const {
    return count([](const descriptor& d) { return d.in_epoll != entry::none; });
  }
  holdings have() const;
  static cost watching_cost(int ready) {
    return c::epoll_call + (ready != 0 ? c::epoll_first : 0) + c::epoll_each * cost{ready};
  }
  static cost entry_price(const descriptor& d) { return d.in_epoll == entry::none ? c::own : c::change; }

  void census();
  void pay_for(const wait_facts& w);
  void follow(advice a);
  void watch(descriptor& d);
  void mask_armed();

  cost_model model_;
  std::vector<descriptor> all_;
  int waits_ = 0;
  int moves_ = 0;
  bool has_set_ = false;
  bool was_ready_ = false;
  cost paid_ = 0;
  cost polling_ = 0;
  cost watching_ = c::create + c::add * static_cast<cost>(all_.size());
};

template <class F>
void cost_simulation::wait(F&& is_ready) {
  if (++waits_ % 8 == 0 && polled() != 0) census();
  wait_facts w;
  int busy = 0;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    descriptor& d = all_[i];
    const bool ready = is_ready(static_cast<int>(i));
    w.ready += static_cast<int>(ready);
    d.quiet = ready ? 0 : d.quiet + c::poll_each;
    if (!ready || d.polled) continue;
    ++w.ready_watched;
    const int missed = waits_ - d.last_ready - 1;
    d.last_ready = waits_;
    d.account = cost_model::watched_account(d.account, static_cast<std::uint32_t>(missed),
                                            c::epoll_each - c::poll_each);
    busy += static_cast<int>(d.account >= cost_model::busy_at);
  }
  polling_ += c::poll_call + c::poll_each * cost{size()};
  watching_ += watching_cost(w.ready);
  const regime before = now();
  w.nested = before == regime::mixed && !was_ready_;
  w.asked_epoll = before == regime::mixed && (was_ready_ || w.ready_watched != 0);
  was_ready_ = w.ready_watched != 0;
  pay_for(w);
  if (before == regime::polling) {
    follow(model_.after_polling(have(), w));
  } else if (before == regime::mixed) {
    follow(model_.after_mixed(have(), w, w.ready_watched != 0 ? busy : 0));
  } else if (w.ready == 0) {
    model_.after_watching_nothing();
  } else {
    follow(model_.after_watching(have(), w.ready, w.ready >= 2 ? busy : 0));
  }
}

}  // namespace selectors::tests
