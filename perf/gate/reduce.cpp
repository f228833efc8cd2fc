#include "reduce.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metrics.hpp"
#include "statistics.hpp"

namespace selectors::gate {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct column {
  std::size_t numerator;
  std::size_t denominator;
  bool gated;
  bool non_finite = false;
};

bool usable(double time) {
  return std::isfinite(time) && time > 0;
}

std::optional<std::size_t> index_of(const std::vector<std::string>& arms, std::string_view arm) {
  const auto found = std::find(arms.begin(), arms.end(), arm);
  if (found == arms.end()) return std::nullopt;
  return static_cast<std::size_t>(found - arms.begin());
}

std::vector<double> control_times(const burst& b, std::optional<std::size_t> control) {
  std::vector<double> times;
  if (!control) return times;
  for (const auto& round : b.rounds) {
    if (usable(round[*control])) times.push_back(round[*control]);
  }
  return times;
}

double own_fast_of(const measurement& m, std::optional<std::size_t> control) {
  std::vector<double> all;
  for (const auto& b : m.bursts) {
    const auto times = control_times(b, control);
    all.insert(all.end(), times.begin(), times.end());
  }
  return quantile(all, fast_quantile);
}

double median_time(const measurement& m, std::size_t arm) {
  std::vector<double> all;
  for (const auto& b : m.bursts) {
    for (const auto& round : b.rounds) {
      if (usable(round[arm])) all.push_back(round[arm]);
    }
  }
  return median(all);
}

std::size_t fastest(const measurement& m, const std::vector<std::size_t>& arms) {
  if (arms.size() == 1) return arms.front();
  return *std::min_element(arms.begin(), arms.end(), [&](std::size_t a, std::size_t b) {
    return median_time(m, a) < median_time(m, b);
  });
}

// Nothing when an arm of the metric was not measured.
std::optional<column> column_of(const measurement& m, const metric& wanted) {
  std::vector<std::size_t> places;
  for (const auto& arm : arms_of(wanted)) {
    const auto place = index_of(m.arms, arm);
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  if (places.empty()) return std::nullopt;
  const auto numerator = places.front();
  places.erase(places.begin());
  return column{numerator, fastest(m, places), wanted.kind == metric_kind::drift};
}

double burst_estimate(const burst& b, const std::vector<bool>& kept, column& c) {
  std::vector<double> logs;
  for (std::size_t r = 0; r < b.rounds.size(); ++r) {
    if (c.gated && !kept[r]) continue;
    const double above = b.rounds[r][c.numerator];
    const double below = b.rounds[r][c.denominator];
    if (!usable(above) || !usable(below)) {
      c.non_finite = true;
      return nan;
    }
    logs.push_back(std::log(above / below));
  }
  return logs.size() < static_cast<std::size_t>(min_kept_rounds) ? nan : median(logs);
}

burst_summary summarise(const burst& b, std::optional<std::size_t> control, double reference,
                        std::vector<column>& columns) {
  const auto times = control_times(b, control);
  burst_summary s{b.at, b.load, b.involuntary_switches};
  s.control_low = quantile(times, fast_quantile);
  s.control_median = median(times);
  s.control_high = quantile(times, 1 - fast_quantile);
  s.rounds = static_cast<int>(b.rounds.size());
  std::vector<bool> kept;
  for (const auto& round : b.rounds) {
    kept.push_back(control && round[*control] <= (1 + control_tolerance) * reference);
  }
  s.kept = static_cast<int>(std::count(kept.begin(), kept.end(), true));
  for (auto& c : columns) s.log_ratios.push_back(burst_estimate(b, kept, c));
  return s;
}

}  // namespace

reduction reduce(const measurement& m, std::optional<double> profile_fast) {
  const auto control = index_of(m.arms, control_arm);
  reduction out{m.machine, m.build, m.protocol, m.interrupted};
  out.arms = m.arms;
  out.counts = m.counts;
  out.control_own_fast = own_fast_of(m, control);
  out.control_reference = out.control_own_fast;
  if (profile_fast) out.control_reference = std::min(out.control_reference, *profile_fast * reference_slack);
  std::vector<column> columns;
  for (const auto& metric : metric_table()) {
    const auto found = column_of(m, metric);
    if (!found) continue;
    columns.push_back(*found);
    out.metrics.push_back(metric.name);
  }
  for (const auto& b : m.bursts) out.bursts.push_back(summarise(b, control, out.control_reference, columns));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].non_finite) out.non_finite.push_back(out.metrics[i]);
  }
  return out;
}

}  // namespace selectors::gate
