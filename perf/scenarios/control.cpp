#include <algorithm>

#include "gate/metrics.hpp"
#include "harness/clock.hpp"
#include "scenarios/library.hpp"
#include "scenarios/raw_calls.hpp"
#include "scenarios/scenarios.hpp"

namespace selectors::perf {
namespace {

constexpr double injected_share = 0.05;

void spin(int turns) {
  for (int i = 0; i < turns; ++i) asm volatile("" ::: "memory");
}

// The fastest of several tries: what slows a try down is never the work itself.
template <class Work>
double fastest_ns(Work work) {
  double best = 1e18;
  for (int attempt = 0; attempt < 15; ++attempt) {
    const double start = thread_cpu_ns();
    work();
    best = std::min(best, thread_cpu_ns() - start);
  }
  return best;
}

int turns_for(kept_selector& work) {
  constexpr int operations = 40;
  constexpr int turns = 50'000;
  for (int i = 0; i < 500; ++i) work();
  const double operation_ns = fastest_ns([&] {
                                for (int i = 0; i < operations; ++i) work();
                              }) /
                              operations;
  const double turn_ns = fastest_ns([] { spin(turns); }) / turns;
  return std::max(1, static_cast<int>(injected_share * operation_ns / turn_ns));
}

}  // namespace

void add_control(arm_list& arms, const socket_sets& sockets) {
  const auto descriptors = sockets.descriptors(32, "all");
  const found wanted = socket_sets::expected(descriptors, "all");

  arms.add(std::string(gate::control_arm), wanted, [=] {
    std::vector<pollfd> set;
    raw::fill(set, descriptors);
    return [set = std::move(set)]() mutable { return raw::wait(set); };
  });
  arms.add("twin/reuse/epoll/32", wanted, [=] { return kept_selector(backend::epoll, descriptors); });
  arms.add("injected/reuse/epoll/32", wanted, [=] {
    kept_selector work(backend::epoll, descriptors);
    const int turns = turns_for(work);
    return [work = std::move(work), turns]() mutable {
      const found f = work();
      spin(turns);
      return f;
    };
  });
}

void add_all(arm_list& arms, const socket_sets& sockets) {
  add_control(arms, sockets);
  add_recreate(arms, sockets);
  add_reuse(arms, sockets);
  add_empty(arms);
  add_raw(arms, sockets);
}

}  // namespace selectors::perf
