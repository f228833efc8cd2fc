#pragma once

#include <algorithm>
#include <vector>

#include "harness/clock.hpp"

namespace selectors::perf {

// Thread CPU time of the parts of a piece of work that count. What looking at the clock costs is taken off, so
// that a single wait can be timed.
class stopwatch {
 public:
  void start() noexcept { started_ = thread_cpu_ns(); }
  void stop() noexcept {
    total_ += thread_cpu_ns() - started_;
    ++laps_;
  }

  // Never below a nanosecond: quotients are made of it.
  double elapsed_ns() const { return std::max(total_ - laps_ * lap_cost(), 1.0); }

 private:
  static double lap_cost() {
    static const double cost = [] {
      std::vector<double> laps(2001);
      for (double& lap : laps) {
        const double begin = thread_cpu_ns();
        lap = thread_cpu_ns() - begin;
      }
      std::nth_element(laps.begin(), laps.begin() + 1000, laps.end());
      return laps[1000];
    }();
    return cost;
  }

  double started_ = 0;
  double total_ = 0;
  double laps_ = 0;
};

}  // namespace selectors::perf
