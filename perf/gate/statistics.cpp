#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace selectors::gate {

double quantile(std::span<const double> values, double q) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

std::optional<std::size_t> sign_rank(std::size_t n, double level) {
  const double allowed = (1 - level) / 2;
  double term = std::pow(0.5, static_cast<double>(n));  // P(exactly k of n below the median), k = 0
  double tail = 0;
  std::size_t k = 0;
  while (k <= n && tail + term <= allowed) {
    tail += term;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
    ++k;
  }
  if (k == 0) return std::nullopt;
  return k;
}

std::optional<interval> sign_interval(std::span<const double> values, double level) {
  const auto rank = sign_rank(values.size(), level);
  if (!rank) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return interval{sorted[*rank - 1], sorted[sorted.size() - *rank]};
}

}  // namespace selectors::gate
