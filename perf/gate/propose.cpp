#include "propose.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evidence.hpp"
#include "gates.hpp"
#include "json_facts.hpp"
#include "metrics.hpp"
#include "schema_check.hpp"
#include "sha256.hpp"

namespace selectors::gate {
namespace {

using nlohmann::ordered_json;

constexpr double least_drift = 0.03;
constexpr double least_twin = 0.01;
constexpr double room = 3;  // times the gates' p95 half-width
constexpr double loosest = 0.25;
constexpr int digits = 4;

double round_digits(double value, int significant, double (*rounding)(double)) {
  const double scale = std::pow(10.0, significant - 1 - std::floor(std::log10(value)));
  return rounding(value * scale) / scale;
}

double down(double v) {
  return std::floor(v);
}
double up(double v) {
  return std::ceil(v);
}
double nearest(double v) {
  return std::round(v);
}

// "6.18.5-generic" -> "6.18": a patch level does not make another machine class.
std::string kernel_series(const std::string& kernel) {
  const auto first = kernel.find('.');
  const auto end = first == std::string::npos ? first : kernel.find_first_not_of("0123456789", first + 1);
  return kernel.substr(0, end);
}

bool alike(const measurement& a, const measurement& b) {
  return a.machine == b.machine && a.build == b.build && a.protocol == b.protocol && a.arms == b.arms;
}

// One long run; the reference of the control must be that of all of it, not of each file.
std::optional<reduction> join(const std::vector<measurement>& runs, std::vector<std::string>& faults) {
  if (runs.empty()) {
    faults.emplace_back("no measurement");
    return std::nullopt;
  }
  measurement all = runs.front();
  std::vector<int> sources(all.bursts.size(), 0);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (!alike(runs[i], runs.front())) {
      faults.push_back(fmt::format(
          "measurement {} is of another machine, build, protocol or list of arms than the first", i + 1));
    }
    all.bursts.insert(all.bursts.end(), runs[i].bursts.begin(), runs[i].bursts.end());
    sources.resize(all.bursts.size(), static_cast<int>(i));
  }
  if (!faults.empty()) return std::nullopt;
  auto data = reduce(all, std::nullopt);
  for (std::size_t i = 0; i < sources.size(); ++i) data.bursts[i].source = sources[i];
  return data;
}

class drafting {
 public:
  drafting(const reduction& data, const proposal_request& request, std::vector<std::string>& faults)
      : data_(data), request_(request), faults_(faults) {}

  ordered_json limits() {
    auto out = ordered_json::array();
    for (const auto& m : metric_table()) {
      if (m.kind == metric_kind::drift || (m.kind == metric_kind::twin && request_.with_twins))
        add_limit(m, out);
    }
    return out;
  }

  std::vector<std::string> remarks() { return std::move(remarks_); }

 private:
  void add_limit(const metric& m, ordered_json& out) {
    const auto noise = spread_of(data_, m.name);
    if (!noise) {
      faults_.push_back(
          fmt::format("{} has no estimate: an arm is missing, or the control never ran fast", m.name));
      return;
    }
    const double least = m.kind == metric_kind::drift ? least_drift : least_twin;
    const double half = std::max({least, room * noise->p95_half_width, noise->reach});
    if (!(half < 1)) {
      faults_.push_back(fmt::format("{} scatters by {:.0f} %: too noisy for a limit", m.name, half * 100));
      return;
    }
    if (half > loosest) {
      remarks_.push_back(fmt::format("{}: +-{:.0f} % needs a \"waiver\", or measure on a quieter machine",
                                     m.name, half * 100));
    }
    out.push_back(
        {{"metric", m.name},
         {"unit", m.unit},
         {"lower", round_digits(noise->centre * (1 - half), digits, down)},
         {"reviewed", round_digits(noise->centre, digits + 1, nearest)},
         {"upper", round_digits(noise->centre * (1 + half), digits, up)},
         {"rationale", fmt::format("median of {} gates; half-widths up to {:.2f} %, farthest end {:.2f} %",
                                   noise->gates, noise->p95_half_width * 100, noise->reach * 100)}});
  }

  const reduction& data_;
  const proposal_request& request_;
  std::vector<std::string>& faults_;
  std::vector<std::string> remarks_;
};

ordered_json head(const reduction& data, const proposal_request& request, const std::string& evidence_text) {
  auto match = data.machine;
  match.kernel = kernel_series(match.kernel);
  return {{"schema", "selectors-perf-thresholds"},
          {"schema_version", schema_version},
          {"revision", request.revision},
          {"kind", to_string(profile_kind::machine_class)},
          {"protocol", data.protocol.id},
          {"policy", {{"max_age_days", 180}}},
          {"match", to_json(match)},
          {"control",
           {{"arm", control_arm},
            {"unit", "ns"},
            {"fast", round_digits(data.control_own_fast, digits, nearest)},
            {"max_shift", 0.05}}},
          {"review",
           {{"proposed_by", request.proposed_by},
            {"reviewed_by", ""},
            {"date", fmt::format("{:%Y-%m-%d}", std::chrono::sys_seconds(request.when))},
            {"commit", data.build.commit},
            {"evidence", request.evidence},
            {"evidence_sha256", sha256_hex(evidence_text)}}}};
}

}  // namespace

std::optional<proposal> propose(const std::vector<measurement>& runs, const proposal_request& request,
                                std::vector<std::string>& faults) {
  const auto data = join(runs, faults);
  if (!data) return std::nullopt;
  const auto unfit = faults_of(*data);
  faults.insert(faults.end(), unfit.begin(), unfit.end());
  if (!faults.empty()) return std::nullopt;
  drafting draft(*data, request, faults);
  auto limits = draft.limits();
  if (!faults.empty()) return std::nullopt;
  proposal out;
  out.evidence_text = evidence_text({request.profile, *data});
  auto profile = head(*data, request, out.evidence_text);
  profile["limits"] = std::move(limits);
  profile["ungated"] = ordered_json::array();
  out.profile_text = dump_by_line(profile);
  out.remarks = draft.remarks();
  return out;
}

}  // namespace selectors::gate
