#include "evidence.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "json_document.hpp"
#include "json_facts.hpp"
#include "metrics.hpp"
#include "schema_check.hpp"

namespace selectors::gate {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// A millionth of a logarithm is a hundredth of the finest limit, and it keeps the file small.
double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

ordered_json to_json(const burst_summary& b) {
  auto ratios = ordered_json::array();
  for (const double value : b.log_ratios) {
    ratios.push_back(std::isfinite(value) ? ordered_json(rounded(value)) : ordered_json());
  }
  return {{"at", b.at},
          {"load", b.load},
          {"involuntary_switches", b.involuntary_switches},
          {"source", b.source},
          {"control", {rounded(b.control_low), rounded(b.control_median), rounded(b.control_high)}},
          {"rounds", b.rounds},
          {"kept", b.kept},
          {"log_ratios", std::move(ratios)}};
}

burst_summary burst_from(const json& j) {
  burst_summary b;
  b.at = j["at"];
  b.load = j["load"];
  b.involuntary_switches = j["involuntary_switches"];
  b.source = j["source"];
  b.control_low = j["control"][0];
  b.control_median = j["control"][1];
  b.control_high = j["control"][2];
  b.rounds = j["rounds"];
  b.kept = j["kept"];
  for (const auto& value : j["log_ratios"]) {
    b.log_ratios.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  }
  return b;
}

void check_metrics(const json_document& document, problems& out) {
  const auto& metrics = document.root()["metrics"];
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto name = metrics[i].get<std::string>();
    if (find_metric(name) == nullptr) {
      out.push_back(document.complain(fmt::format("$.metrics[{}]", i), "E_METRIC_ORPHAN",
                                      fmt::format("{}: no such metric; renamed?", name)));
    }
  }
  const auto& bursts = document.root()["bursts"];
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    const auto given = bursts[i]["log_ratios"].size();
    if (given == metrics.size()) continue;
    out.push_back(document.complain(fmt::format("$.bursts[{}].log_ratios", i), "E_VALUE",
                                    fmt::format("{} numbers for {} metrics", given, metrics.size())));
  }
}

}  // namespace

std::optional<evidence> read_evidence(const std::filesystem::path& path, problems& out) {
  const auto before = out.size();
  const auto document = json_document::read(path, max_evidence_bytes, out);
  if (!document || !check_schema(*document, file_kind::evidence, out)) return std::nullopt;
  check_metrics(*document, out);
  if (out.size() != before) return std::nullopt;
  const auto& root = document->root();
  evidence e;
  e.profile = root["profile"];
  e.data.machine = machine_from(root["machine"]);
  e.data.build = build_from(root["build"]);
  e.data.protocol = protocol_from(root["protocol"]);
  e.data.interrupted = root["interrupted"];
  e.data.control_own_fast = root["control"]["own_fast"];
  e.data.control_reference = root["control"]["reference"];
  e.data.arms = root["arms"].get<std::vector<std::string>>();
  e.data.metrics = root["metrics"].get<std::vector<std::string>>();
  for (const auto& b : root["bursts"]) e.data.bursts.push_back(burst_from(b));
  e.data.counts = counts_from(root["counts"]);
  return e;
}

std::string evidence_text(const evidence& e) {
  auto bursts = ordered_json::array();
  for (const auto& b : e.data.bursts) bursts.push_back(to_json(b));
  return dump_by_line({{"schema", "selectors-perf-evidence"},
                       {"schema_version", schema_version},
                       {"profile", e.profile},
                       {"machine", gate::to_json(e.data.machine)},
                       {"build", gate::to_json(e.data.build)},
                       {"protocol", gate::to_json(e.data.protocol)},
                       {"interrupted", e.data.interrupted},
                       {"control",
                        {{"arm", control_arm},
                         {"unit", "ns"},
                         {"own_fast", rounded(e.data.control_own_fast)},
                         {"reference", rounded(e.data.control_reference)}}},
                       {"arms", e.data.arms},
                       {"metrics", e.data.metrics},
                       {"bursts", std::move(bursts)},
                       {"counts", gate::to_json(e.data.counts)}});
}

}  // namespace selectors::gate
