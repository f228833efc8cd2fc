#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gate/measurement.hpp"
#include "gate/thresholds.hpp"

/// A machine that behaves as the real ones do: noise within a round, a little between bursts, and spells in which
/// everything is slower, unlike work by unlike amounts.
namespace selectors::gate::testing {

struct model {
  int bursts = 12;
  std::uint64_t seed = 1;
  double round_noise = 0.02;
  double burst_noise = 0.001;
  double slow_share = 0.3;                 ///< of the bursts
  std::map<std::string, double> factor{};  ///< true slowdown per arm, on top of the usual times
  std::vector<std::string> arms{};         ///< empty: all
};

measurement synthesise(const model& m);

/// What an arm takes on the imagined machine when it is fast, nanoseconds.
double usual_time(const std::string& arm);

/// A ratio of two arms on that machine.
double usual_ratio(const std::string& metric);

machine_facts example_machine();
build_facts release_build();

/// Portable limits that the imagined machine keeps.
profile portable_limits();
/// The same machine's drift limits, +-3 % around the true ratios.
profile class_limits();
threshold_set both();

/// The arms of the metrics named, the control, and those of the self metrics.
std::vector<std::string> arms_of(const std::vector<std::string>& metrics);

}  // namespace selectors::gate::testing
