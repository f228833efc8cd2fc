#include "cost_simulation.hpp"

namespace selectors::tests {

holdings cost_simulation::have() const {
  return {.registered = size(),
          .polled = polled(),
          .masked = count([](const descriptor& d) { return d.polled && d.in_epoll == entry::masked; }),
          .armed = count([](const descriptor& d) { return d.polled && d.in_epoll == entry::armed; }),
          .has_set = has_set_};
}

void cost_simulation::census() {
  constexpr cost most = 16'000;
  int quiet = 0;
  cost surplus = 0;
  for (const descriptor& d : all_) {
    if (!d.polled || d.quiet < entry_price(d)) continue;
    ++quiet;
    surplus += std::min(d.quiet, most) - entry_price(d);
  }
  model_.census(quiet, surplus);
}

void cost_simulation::pay_for(const wait_facts& w) {
  const regime r = now();
  if (r != regime::watching) paid_ += c::poll_call + c::poll_each * cost{polled()};
  if (w.nested) paid_ += w.ready_watched != 0 ? c::nested_ready : c::nested_idle;
  if (r == regime::watching || w.asked_epoll) paid_ += watching_cost(w.ready_watched);
}

void cost_simulation::watch(descriptor& d) {
  if (!has_set_) paid_ += c::create;
  has_set_ = true;
  const cost price = d.in_epoll == entry::none ? c::add : d.in_epoll == entry::masked ? c::change : 0;
  if (price != 0) model_.paid(static_cast<int>(d.in_epoll == entry::none ? c::own : c::change));
  paid_ += price;
  d.polled = false;
  d.in_epoll = entry::armed;
  d.account = 0;
  d.last_ready = waits_;
}

void cost_simulation::mask_armed() {
  for (descriptor& d : all_) {
    if (!d.polled || d.in_epoll != entry::armed) continue;
    d.in_epoll = entry::masked;
    paid_ += c::change;
  }
}

void cost_simulation::follow(advice a) {
  if (a == advice::stay) return;
  ++moves_;
  for (descriptor& d : all_) {
    if (a == advice::watch_all && d.polled) watch(d);
    if (a == advice::watch_quiet && d.polled && d.quiet >= entry_price(d)) watch(d);
    if (a == advice::poll_all) d.polled = true;
    if (a == advice::poll_busy && !d.polled && d.last_ready == waits_ && d.account >= cost_model::busy_at) {
      d.polled = true;
      d.in_epoll = entry::masked;
      paid_ += c::change;
    }
  }
  for (descriptor& d : all_) d.quiet = d.polled && a != advice::watch_quiet ? 0 : d.quiet;
  if (now() == regime::mixed) mask_armed();
  model_.settled();
}

void cost_simulation::churn(int count_of_them) {
  const bool polls = now() == regime::polling;
  for (int i = 0; i < count_of_them; ++i) {
    descriptor& d = all_[static_cast<std::size_t>(i)];
    watching_ += c::remove + c::add;
    if (d.in_epoll != entry::none) {
      paid_ += c::remove;
      model_.paid(c::remove);
    } else {
      model_.spared(c::remove);
    }
    d = {};
    d.last_ready = waits_;
    if (polls) {
      model_.spared(c::own);
    } else {
      d.polled = false;
      d.in_epoll = entry::armed;
      paid_ += c::add;
      model_.paid(c::own);
    }
  }
}

}  // namespace selectors::tests
