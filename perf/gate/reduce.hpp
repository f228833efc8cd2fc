#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measurement.hpp"

namespace selectors::gate {

/// One burst, reduced to what the judge looks at.
struct burst_summary {
  std::string at;
  double load = 0;
  long involuntary_switches = 0;
  int source = 0;  ///< which of several measurement files it came from
  double control_low = 0;
  double control_median = 0;
  double control_high = 0;
  int rounds = 0;
  int kept = 0;  ///< rounds in which the control ran at its fast speed

  /// Per metric of `reduction::metrics`: median over rounds of ln(numerator / denominator); NaN when too few
  /// rounds were kept to say. Of a metric with rivals the denominator is the fastest of them over the whole run.
  std::vector<double> log_ratios = {};
};

/// A measurement without its rounds. Any verdict follows from this.
struct reduction {
  machine_facts machine = {};
  build_facts build = {};
  protocol_facts protocol = {};
  bool interrupted = false;
  double control_own_fast =
      0;  ///< low quantile of the control over the whole run; NaN when it was not measured
  double control_reference = 0;  ///< what "fast" was taken to be
  std::vector<std::string> arms = {};
  std::vector<std::string> metrics = {};     ///< those whose arms were all measured
  std::vector<std::string> non_finite = {};  ///< metrics with a time that was no positive finite number
  std::vector<burst_summary> bursts = {};
  std::vector<counted> counts = {};
};

/// `profile_fast` is the control's fast speed in the profile that will judge; without it the run is its own
/// reference. Drift metrics use only rounds with a fast control: unlike work changes its ratio by several
/// percent between the machine's speed states. Twins hardly move, so they keep every round.
reduction reduce(const measurement& m, std::optional<double> profile_fast);

}  // namespace selectors::gate
