#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "estimate.hpp"
#include "measurement.hpp"
#include "metrics.hpp"
#include "reduce.hpp"
#include "thresholds.hpp"

/// The judge: (bursts, thresholds) -> verdict. Pure: no clock, no file, no environment, so that any verdict can be
/// replayed from recorded bursts.
namespace selectors::gate {

enum class outcome {
  inside,      ///< good
  outside,     ///< regressed or drifted
  undecided,   ///< more bursts may tell
  no_data,     ///< an arm or a count that a limit asks for was not measured
  broken,      ///< the number cannot be trusted: not finite, contaminated, or the gate was blind
  ungated,     ///< exempt for a while, for a stated reason
  not_judged,  ///< a drift metric on a machine without a profile
};

std::string_view to_string(outcome o);

/// One limit, judged. A metric that two profiles limit has two of these.
struct metric_verdict {
  std::string metric;
  metric_kind kind = metric_kind::drift;
  std::string profile;  ///< whose limit it was; empty for self metrics and those not judged
  bounds limits = {};
  std::optional<double> equals = {};
  std::optional<double> value = {};  ///< the estimate, or the count
  std::optional<double> low = {};
  std::optional<double> high = {};
  int bursts = 0;
  outcome result = outcome::undecided;
  std::string reason = {};  ///< empty when there is nothing to add
};

enum class exit_code {
  pass = 0,
  outside = 1,
  bad_input = 2,  ///< or no data
  broken = 3,
  too_noisy = 4,
};

std::string_view to_string(exit_code code);

struct judge_options {
  bool require_profile = false;  ///< a machine that no machine-class profile matches is bad input
};

struct verdict {
  exit_code code = exit_code::bad_input;
  std::string summary;
  std::vector<std::string> notes;  ///< about the run as a whole, each a sentence
  std::vector<metric_verdict> metrics;
  std::vector<profile> profiles;  ///< those that judged
  bool drift_judged = false;
  int bursts = 0;
  std::optional<machine_facts> machine;
  std::optional<build_facts> build;
};

/// The worst metric decides, in the order 2, 3, 1, 4, 0: without data there is nothing to say; a regression that a
/// broken measurement shows is not yet one; and a regression that was seen outweighs what is still too noisy. Bursts
/// short of the first look, and an interrupted run that decided not everything, count as no data.
verdict judge(const measurement& m, const threshold_set& thresholds, const judge_options& options = {});

/// From recorded evidence. Rounds were dropped when it was written, by the reference that held then.
verdict judge(const reduction& data, const threshold_set& thresholds, const judge_options& options = {});

/// The control's fast speed in the profile that will judge this measurement; what `reduce` takes as its reference.
std::optional<double> fast_control(const measurement& m, const threshold_set& thresholds);

/// Would another burst help? True while something is undecided below the cap and nothing is missing or broken.
bool needs_more(const verdict& v);

}  // namespace selectors::gate
