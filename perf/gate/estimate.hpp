#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "metrics.hpp"
#include "reduce.hpp"

namespace selectors::gate {

/// A ratio as a run of bursts tells it. The burst, not the round, is the independent unit: rounds of one process
/// share its memory layout and the machine's state, and an interval over them is far too narrow.
struct estimate {
  double centre = 0;  ///< median over bursts
  double low = 0;     ///< sign interval, widened by the floor of the metric's kind
  double high = 0;
  int bursts = 0;  ///< looked at
  int valid = 0;   ///< of these, with an estimate of their own

  double half_width() const { return (high - low) / 2 / centre; }  ///< relative
};

/// From bursts [first, first + count). Nothing when the metric was not measured or too few of them have an estimate.
std::optional<estimate> estimate_metric(const reduction& data, std::string_view metric, std::size_t first,
                                        std::size_t count);

/// What a run of bursts says about one pair of limits.
enum class decision {
  inside,     ///< the whole interval is within the limits, ends included
  outside,    ///< the whole interval is beyond one limit
  undecided,  ///< it straddles a limit, or there is no interval yet
  broken,     ///< not a finite number: no comparison may be trusted with it
};

struct bounds {
  std::optional<double> lower;
  std::optional<double> upper;
};

/// One interval against one pair of limits. A missing limit is no limit.
decision compare(const estimate& e, const bounds& limits);

struct decided {
  decision result = decision::undecided;
  std::optional<estimate> last;  ///< at the look that decided, else at the last one
};

/// Sequential: at each look in turn, the first that is not undecided stands. More bursts never revoke it, so that the
/// error spent at a look is spent once and a driver that stops early sees what a later reader of the file sees.
decided decide(const reduction& data, std::string_view metric, const bounds& limits);

/// The next number of bursts at which something can be decided; nothing at the cap.
std::optional<int> next_look(int bursts);

}  // namespace selectors::gate
