#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reduce.hpp"

/// A long run seen as many ordinary ones: how much do their verdicts' intervals scatter when nothing changed? That is
/// the noise a limit has to leave room for.
namespace selectors::gate {

struct slice {
  std::size_t first;
  std::size_t count;
};

/// Runs of about `bursts_per_gate` bursts, none across two measurement files; a short rest joins its neighbour.
std::vector<slice> gate_slices(const reduction& data);

struct spread {
  double centre = 0;          ///< median of the gates' estimates
  double p95_half_width = 0;  ///< of the gates' intervals, relative
  double reach = 0;           ///< how far the farthest interval end lies from the centre, relative
  int gates = 0;
};

/// Nothing when no gate has an interval for the metric.
std::optional<spread> spread_of(const reduction& data, std::string_view metric);

/// Why a run must not become evidence: too few bursts, a debug or sanitizer build, an unknown or dirty commit, a
/// contaminated control, an injected slowdown that was not seen. Empty when it may.
std::vector<std::string> faults_of(const reduction& data);

}  // namespace selectors::gate
