#include "estimate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "protocol.hpp"
#include "statistics.hpp"

namespace selectors::gate {
namespace {

std::optional<std::size_t> column_of(const reduction& data, std::string_view metric) {
  const auto found = std::find(data.metrics.begin(), data.metrics.end(), metric);
  if (found == data.metrics.end()) return std::nullopt;
  return static_cast<std::size_t>(found - data.metrics.begin());
}

double floor_of(std::string_view metric) {
  const auto* known = find_metric(metric);
  return known != nullptr && known->kind == metric_kind::drift ? drift_floor : twin_floor;
}

}  // namespace

std::optional<estimate> estimate_metric(const reduction& data, std::string_view metric, std::size_t first,
                                        std::size_t count) {
  const auto column = column_of(data, metric);
  if (!column) return std::nullopt;
  const auto last = std::min(first + count, data.bursts.size());
  std::vector<double> logs;
  for (std::size_t i = first; i < last; ++i) {
    const double value = data.bursts[i].log_ratios[*column];
    if (std::isfinite(value)) logs.push_back(value);
  }
  if (logs.size() < static_cast<std::size_t>(min_valid_bursts)) return std::nullopt;
  const auto range = sign_interval(logs, level_per_look);
  if (!range) return std::nullopt;
  const double floor = floor_of(metric);
  return estimate{std::exp(median(logs)), std::exp(range->low) / (1 + floor),
                  std::exp(range->high) * (1 + floor), static_cast<int>(last - first),
                  static_cast<int>(logs.size())};
}

decision compare(const estimate& e, const bounds& limits) {
  // First of all: with NaN every comparison below is false, and "not outside" would read as a pass.
  const auto sound = [](double value) { return std::isfinite(value) && value > 0; };
  if (!sound(e.centre) || !sound(e.low) || !sound(e.high)) return decision::broken;
  const bool within_lower = !limits.lower || *limits.lower <= e.low;
  const bool within_upper = !limits.upper || e.high <= *limits.upper;
  if (within_lower && within_upper) return decision::inside;
  const bool below = limits.lower && e.high < *limits.lower;
  const bool above = limits.upper && e.low > *limits.upper;
  return below || above ? decision::outside : decision::undecided;
}

decided decide(const reduction& data, std::string_view metric, const bounds& limits) {
  decided out;
  for (const int look : looks) {
    if (data.bursts.size() < static_cast<std::size_t>(look)) break;
    auto now = estimate_metric(data, metric, 0, static_cast<std::size_t>(look));
    if (!now) continue;
    out.last = now;
    out.result = compare(*now, limits);
    if (out.result != decision::undecided) break;
  }
  if (!out.last) out.last = estimate_metric(data, metric, 0, data.bursts.size());
  return out;
}

std::optional<int> next_look(int bursts) {
  for (const int look : looks) {
    if (look > bursts) return look;
  }
  return std::nullopt;
}

}  // namespace selectors::gate
