#include "thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "file_io.hpp"
#include "json_document.hpp"
#include "json_facts.hpp"
#include "metrics.hpp"
#include "schema_check.hpp"
#include "threshold_rules.hpp"

namespace selectors::gate {
namespace {

using nlohmann::json;

std::optional<double> number(const json& j, const char* key) {
  if (!j.contains(key)) return std::nullopt;
  return j[key].get<double>();
}

std::optional<review> review_of(const json& j) {
  if (!j.contains("review")) return std::nullopt;
  const auto& r = j["review"];
  return review{r["proposed_by"], r["reviewed_by"], r["date"],
                r["commit"],      r["evidence"],    r["evidence_sha256"]};
}

limit limit_from(const json& j) {
  limit l;
  l.metric = j["metric"];
  l.lower = number(j, "lower");
  l.reviewed = number(j, "reviewed");
  l.upper = number(j, "upper");
  l.equals = number(j, "equals");
  l.rationale = j["rationale"];
  if (j.contains("waiver")) l.waiver = j["waiver"].get<std::string>();
  l.reviewed_in = review_of(j);
  return l;
}

// The metrics a pattern stands for. Self metrics are the gate's own business: no file may limit them.
std::vector<std::string> expand(const std::string& pattern) {
  std::vector<std::string> names;
  for (const auto& m : metric_table()) {
    if (m.kind != metric_kind::self && matches_pattern(pattern, m.name)) names.push_back(m.name);
  }
  return names;
}

profile profile_from(const json& root, const std::filesystem::path& file) {
  profile p;
  p.name = file.stem().string();
  p.file = file;
  p.revision = root["revision"];
  p.kind = root["kind"] == "portable" ? profile_kind::portable : profile_kind::machine_class;
  p.max_age_days = root["policy"]["max_age_days"];
  if (root.contains("match")) p.match = machine_match{machine_from(root["match"])};
  if (root.contains("control"))
    p.control = control_reference{root["control"]["fast"], root["control"]["max_shift"]};
  p.reviewed_in = review_of(root);
  for (const auto& j : root["limits"]) {
    auto l = limit_from(j);
    for (auto& name : expand(l.metric)) {
      p.limits.push_back(l);
      p.limits.back().metric = std::move(name);
    }
  }
  for (const auto& j : root["ungated"]) {
    for (auto& name : expand(j["metric"])) p.ungated.push_back({std::move(name), j["reason"], j["until"]});
  }
  return p;
}

bool covers(const profile& p, const std::string& metric) {
  const auto named = [&](const auto& entry) { return entry.metric == metric; };
  return std::any_of(p.limits.begin(), p.limits.end(), named) ||
         std::any_of(p.ungated.begin(), p.ungated.end(), named);
}

void check_covered(const profile& p, const profile* beside, bool drift_too, problems& out) {
  for (const auto& m : metric_table()) {
    if (m.kind == metric_kind::self || (m.kind == metric_kind::drift && !drift_too)) continue;
    if (covers(p, m.name) || (beside != nullptr && covers(*beside, m.name))) continue;
    out.push_back({p.file.string(), 0, 0, "$.limits", "E_METRIC_MISSING",
                   fmt::format("{} has neither a limit nor an \"ungated\" entry in profile {}{}", m.name,
                               p.name, beside != nullptr ? " or " + beside->name : "")});
  }
}

}  // namespace

std::string_view to_string(profile_kind kind) {
  return kind == profile_kind::portable ? "portable" : "machine_class";
}

date today() {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

std::optional<date> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto field = [&](std::size_t first, std::size_t count) {
    int value = -1;
    const auto* end = text.data() + first + count;
    const auto [stopped, error] = std::from_chars(text.data() + first, end, value);
    return error == std::errc{} && stopped == end ? value : -1;
  };
  const int y = field(0, 4);
  const int m = field(5, 2);
  const int d = field(8, 2);
  if (y < 0 || m < 0 || d < 0) return std::nullopt;
  const auto day =
      std::chrono::year_month_day{std::chrono::year{y}, std::chrono::month{static_cast<unsigned>(m)},
                                  std::chrono::day{static_cast<unsigned>(d)}};
  if (!day.ok()) return std::nullopt;
  return date{day};
}

namespace {

// "6.1" is a prefix of "6.1.90" and of "6.1-rc2", not of "6.18".
bool is_version_prefix(std::string_view prefix, std::string_view version) {
  if (!version.starts_with(prefix)) return false;
  const auto rest = version.substr(prefix.size());
  return rest.empty() || rest.front() < '0' || rest.front() > '9';
}

}  // namespace

bool machine_match::fits(const machine_facts& machine) const {
  return machine.arch == wanted.arch && machine.cpu_model.starts_with(wanted.cpu_model) &&
         machine.cpu_family == wanted.cpu_family && machine.cpu_model_number == wanted.cpu_model_number &&
         is_version_prefix(wanted.kernel, machine.kernel) &&
         machine.virtualization == wanted.virtualization && machine.cpus == wanted.cpus;
}

std::optional<profile> load_profile(const std::filesystem::path& file, date now, problems& out) {
  const auto before = out.size();
  const auto document = json_document::read(file, max_thresholds_bytes, out);
  if (!document || !check_schema(*document, file_kind::thresholds, out)) return std::nullopt;
  auto p = profile_from(document->root(), file);
  check_rules(*document, p, now, out);
  if (out.size() != before) return std::nullopt;
  return p;
}

void check_coverage(const threshold_set& set, problems& out) {
  const profile* portable = nullptr;
  for (const auto& p : set.profiles) {
    if (p.kind != profile_kind::portable) continue;
    if (portable != nullptr) {
      out.push_back({p.file.string(), 0, 0, "$.kind", "E_PROFILE_AMBIGUOUS",
                     fmt::format("a second portable profile beside {}", portable->file.string())});
    }
    portable = &p;
  }
  if (portable != nullptr) check_covered(*portable, nullptr, false, out);
  for (const auto& p : set.profiles) {
    if (p.kind == profile_kind::machine_class) check_covered(p, portable, true, out);
  }
}

threshold_set load_thresholds(const std::filesystem::path& directory, date now, problems& out) {
  threshold_set set;
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (error) {
    out.push_back(
        {directory.string(), 0, 0, {}, "E_IO", "cannot read the folder of thresholds: " + error.message()});
    return set;
  }
  std::sort(files.begin(), files.end());  // folders are listed in no order; messages shall have one
  const auto before = out.size();
  for (const auto& file : files) {
    if (auto p = load_profile(file, now, out)) set.profiles.push_back(std::move(*p));
  }
  std::stable_partition(set.profiles.begin(), set.profiles.end(),
                        [](const profile& p) { return p.kind == profile_kind::portable; });
  // A file that failed would be reported a second time, as not covering.
  if (out.size() != before) return set;
  const auto portable = [](const profile& p) { return p.kind == profile_kind::portable; };
  if (std::none_of(set.profiles.begin(), set.profiles.end(), portable)) {
    out.push_back(
        {directory.string(), 0, 0, {}, "E_PROFILE_NONE", "no portable profile, expected portable.json"});
  }
  check_coverage(set, out);
  return set;
}

void check_revisions(const std::filesystem::path& directory, const std::filesystem::path& base,
                     problems& out) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const auto old = base / entry.path().filename();
    if (entry.path().extension() != ".json" || !std::filesystem::exists(old)) continue;
    const auto now_document = json_document::read(entry.path(), max_thresholds_bytes, out);
    const auto old_document = json_document::read(old, max_thresholds_bytes, out);
    if (!now_document || !old_document || now_document->root() == old_document->root()) continue;
    const auto now_revision = now_document->root().value("revision", 0);
    const auto old_revision = old_document->root().value("revision", 0);
    if (now_revision > old_revision) continue;
    out.push_back(
        now_document->complain("$.revision", "E_REVISION",
                               fmt::format("the file changed, its revision did not rise ({} after {})",
                                           now_revision, old_revision)));
  }
}

}  // namespace selectors::gate
