#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace selectors::gate {

/// Linear interpolation between order statistics, q in [0, 1]; NaN for no values. Reorders a copy, not the
/// input.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);

struct interval {
  double low;
  double high;
};

/// How many order statistics from either end bound the median of `n` independent values with at least the
/// given confidence: rank k means [x(k), x(n+1-k)]. Nothing when even the extremes do not reach it (99 %
/// needs n >= 8).
std::optional<std::size_t> sign_rank(std::size_t n, double level);

/// The sign (order-statistic) interval of the median. It assumes nothing about the distribution, only
/// independence.
std::optional<interval> sign_interval(std::span<const double> values, double level);

}  // namespace selectors::gate
