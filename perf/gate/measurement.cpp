#include "measurement.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "file_io.hpp"
#include "json_document.hpp"
#include "json_facts.hpp"
#include "metrics.hpp"
#include "schema_check.hpp"

namespace selectors::gate {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

void check_protocol(const json_document& document, const protocol_facts& protocol, problems& out) {
  if (protocol == protocol_facts{}) return;
  out.push_back(document.complain(
      "$.protocol", "E_PROTOCOL",
      fmt::format(
          "measured with {} ({} rounds of {} us), this program judges {} ({} rounds of {} us): measure anew",
          protocol.id, protocol.rounds_per_burst, protocol.batch_us, protocol_id, rounds_per_burst,
          batch_us)));
}

void check_counts(const json_document& document, problems& out) {
  std::set<std::string> seen;
  const auto& counts = document.root()["counts"];
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto name = counts[i]["metric"].get<std::string>();
    const auto place = fmt::format("$.counts[{}].metric", i);
    const auto* known = find_metric(name);
    if (known == nullptr || known->kind != metric_kind::exact) {
      out.push_back(
          document.complain(place, "E_METRIC_ORPHAN", fmt::format("{}: no such counted metric", name)));
    }
    if (!seen.insert(name).second) {
      out.push_back(document.complain(place, "E_DUP_METRIC", fmt::format("{} is counted twice", name)));
    }
  }
}

// One complaint per burst is enough: a broken arm breaks all of its rounds alike.
std::optional<std::string> what_is_wrong(const json& round, const std::vector<std::string>& arms) {
  if (!round.is_array())
    return fmt::format("must be an array of {} numbers, got {}", arms.size(), round.type_name());
  if (round.size() != arms.size()) return fmt::format("{} numbers for {} arms", round.size(), arms.size());
  for (std::size_t a = 0; a < arms.size(); ++a) {
    const auto& value = round[a];
    if (!value.is_number()) return fmt::format("{}: expected a number, got {}", arms[a], value.dump());
    const auto time = value.get<double>();
    if (!(std::isfinite(time) && time > 0))
      return fmt::format("{}: expected a time > 0, got {}", arms[a], value.dump());
  }
  return std::nullopt;
}

std::vector<round_times> read_rounds(const json_document& document, std::size_t index, const json& rounds,
                                     const std::vector<std::string>& arms, problems& out) {
  const auto place = fmt::format("$.bursts[{}].rounds", index);
  if (rounds.size() != static_cast<std::size_t>(rounds_per_burst)) {
    out.push_back(document.complain(place, "E_ROUNDS",
                                    fmt::format("{} rounds, expected {}", rounds.size(), rounds_per_burst)));
    return {};
  }
  std::vector<round_times> times;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    if (const auto wrong = what_is_wrong(rounds[r], arms)) {
      out.push_back(document.complain(fmt::format("{}[{}]", place, r), "E_TIME", *wrong));
      return {};
    }
    times.push_back(rounds[r].get<round_times>());
  }
  return times;
}

}  // namespace

std::optional<measurement> read_measurement(const std::filesystem::path& path, problems& out) {
  const auto before = out.size();
  const auto document = json_document::read(path, max_measurement_bytes, out);
  if (!document || !check_schema(*document, file_kind::measurement, out)) return std::nullopt;
  const auto& root = document->root();
  measurement m;
  m.machine = machine_from(root["machine"]);
  m.build = build_from(root["build"]);
  m.protocol = protocol_from(root["protocol"]);
  m.interrupted = root["interrupted"];
  m.arms = root["arms"].get<std::vector<std::string>>();
  m.counts = counts_from(root["counts"]);
  check_protocol(*document, m.protocol, out);
  check_counts(*document, out);
  const auto& bursts = root["bursts"];
  for (std::size_t i = 0; i < bursts.size(); ++i) {
    const auto& b = bursts[i];
    m.bursts.push_back(
        {b["at"], b["load"], b["involuntary_switches"], read_rounds(*document, i, b["rounds"], m.arms, out)});
  }
  if (out.size() != before) return std::nullopt;
  return m;
}

void write_measurement(const measurement& m, const std::filesystem::path& path) {
  auto bursts = ordered_json::array();
  for (const auto& b : m.bursts) {
    for (const auto& round : b.rounds) {
      for (const double time : round) {
        if (!std::isfinite(time)) throw std::invalid_argument("a measured time is not a finite number");
      }
    }
    bursts.push_back({{"at", b.at},
                      {"load", b.load},
                      {"involuntary_switches", b.involuntary_switches},
                      {"rounds", b.rounds}});
  }
  const ordered_json out = {{"schema", "selectors-perf-measurement"},
                            {"schema_version", schema_version},
                            {"machine", to_json(m.machine)},
                            {"build", to_json(m.build)},
                            {"protocol", to_json(m.protocol)},
                            {"interrupted", m.interrupted},
                            {"arms", m.arms},
                            {"bursts", std::move(bursts)},
                            {"counts", to_json(m.counts)}};
  write_file_atomically(path, dump_by_line(out));
}

}  // namespace selectors::gate
