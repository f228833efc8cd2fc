#include "gates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate.hpp"
#include "metrics.hpp"
#include "protocol.hpp"
#include "statistics.hpp"

namespace selectors::gate {

std::vector<slice> gate_slices(const reduction& data) {
  constexpr auto whole = static_cast<std::size_t>(bursts_per_gate);
  std::vector<slice> out;
  std::size_t first = 0;
  while (first < data.bursts.size()) {
    std::size_t end = first;
    while (end < data.bursts.size() && data.bursts[end].source == data.bursts[first].source) ++end;
    while (first < end) {
      const auto left = end - first;
      const auto count = left < 2 * whole ? (left >= whole + whole / 2 ? left / 2 : left) : whole;
      out.push_back({first, count});
      first += count;
    }
  }
  return out;
}

std::optional<spread> spread_of(const reduction& data, std::string_view metric) {
  std::vector<estimate> gates;
  for (const auto& s : gate_slices(data)) {
    if (const auto e = estimate_metric(data, metric, s.first, s.count)) gates.push_back(*e);
  }
  if (gates.empty()) return std::nullopt;
  std::vector<double> centres;
  std::vector<double> half_widths;
  for (const auto& g : gates) {
    centres.push_back(g.centre);
    half_widths.push_back(g.half_width());
  }
  spread out{median(centres), quantile(half_widths, 0.95), 0, static_cast<int>(gates.size())};
  for (const auto& g : gates) {
    out.reach = std::max({out.reach, g.high / out.centre - 1, 1 - g.low / out.centre});
  }
  return out;
}

std::vector<std::string> faults_of(const reduction& data) {
  std::vector<std::string> out;
  if (data.bursts.size() < static_cast<std::size_t>(min_proposal_bursts)) {
    out.push_back(fmt::format("{} bursts, expected at least {}", data.bursts.size(), min_proposal_bursts));
  }
  if (data.build.type != "Release")
    out.push_back(fmt::format("a {} build, expected Release", data.build.type));
  if (!data.build.sanitizers.empty())
    out.push_back("a build with the " + data.build.sanitizers.front() + " sanitizer");
  if (data.build.dirty) out.emplace_back("the work tree was dirty: commit first, then measure");
  if (data.build.commit == "unknown") out.emplace_back("the commit of the build is not known");
  if (data.protocol != protocol_facts{}) out.push_back("measured with protocol " + data.protocol.id);
  const auto twin = estimate_metric(data, twin_metric, 0, data.bursts.size());
  if (!twin || compare(*twin, {1 - twin_tolerance, 1 + twin_tolerance}) != decision::inside) {
    out.emplace_back("contaminated: the interval of self/twin is not inside 1 +- 0.5 %");
  }
  const auto injected = estimate_metric(data, injected_metric, 0, data.bursts.size());
  if (!injected || !(injected->low > 1 + injected_tolerance)) {
    out.emplace_back("blind: the injected slowdown was not seen");
  }
  return out;
}

}  // namespace selectors::gate
