#include "harness/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "gate/metrics.hpp"
#include "gate/protocol.hpp"
#include "harness/clock.hpp"

namespace selectors::perf {
namespace {

// Far below a scheduler slice, so that most batches are never preempted, and long enough for the two looks at
// the clock not to matter.
constexpr double batch_ns = gate::batch_us * 1e3;

// Operations before the clock starts: who ran last, and whose data the caches still hold, is drawn by lot and
// should not show in anybody's time.
int prelude(int batch) {
  return std::clamp(batch / 8, 1, 5);
}

double time_per_operation(arm& a, int operations) {
  const double start = thread_cpu_ns();
  a.run(operations);
  return (thread_cpu_ns() - start) / operations;
}

// A first look tells how long a batch will be; two such batches then fill the caches and give the time to
// calibrate by.
double warm_up(arm& a) {
  const int roughly = batch_size(std::max(1.0, time_per_operation(a, 3)));
  return std::max(1.0, std::min(time_per_operation(a, roughly), time_per_operation(a, roughly)));
}

}  // namespace

int batch_size(double operation_ns) {
  if (!std::isfinite(operation_ns) || operation_ns <= 0)
    throw std::invalid_argument(fmt::format("an operation cannot take {} ns", operation_ns));
  return static_cast<int>(std::max(1.0, std::min(std::round(batch_ns / operation_ns), 1e6)));
}

void level_twins(const std::vector<std::string>& names, std::vector<int>& batches) {
  const auto batch_of = [&](const std::string& name) -> int* {
    const auto at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? nullptr : &batches[static_cast<std::size_t>(at - names.begin())];
  };
  // One arm may have several twins: repeat until all of them agree.
  for (bool changed = true; changed;) {
    changed = false;
    // Rivals are left alone: the fastest is as fast as its opponent, and the others would drag both down.
    for (const auto& m : gate::metric_table()) {
      if (m.kind != gate::metric_kind::twin && m.kind != gate::metric_kind::self) continue;
      if (!m.rivals.empty()) continue;
      int* const a = batch_of(m.numerator);
      int* const b = batch_of(m.denominator);
      if (a == nullptr || b == nullptr || *a == *b) continue;
      *a = *b = std::min(*a, *b);
      changed = true;
    }
  }
}

rounds::rounds(arm_list& arms, std::uint64_t seed) : arms_(arms), order_(arms.arms().size()), random_(seed) {
  for (const auto& a : arms.arms()) batches_.push_back(batch_size(warm_up(*a)));
  level_twins(arms.names(), batches_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

void rounds::make_anew() {
  arms_.make_all(random_());
  for (const auto& a : arms_.arms()) warm_up(*a);
}

std::vector<double> rounds::next() {
  if (done_ != 0 && done_ % gate::rounds_per_making == 0) make_anew();
  ++done_;
  std::vector<double> times(order_.size());
  std::shuffle(order_.begin(), order_.end(), random_);
  for (const std::size_t i : order_) {
    arm& work = *arms_.arms()[i];
    work.run(prelude(batches_[i]));
    times[i] = time_per_operation(work, batches_[i]);
  }
  return times;
}

}  // namespace selectors::perf
