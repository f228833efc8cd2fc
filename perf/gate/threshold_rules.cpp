#include "threshold_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "evidence.hpp"
#include "file_io.hpp"
#include "gates.hpp"
#include "metrics.hpp"
#include "protocol.hpp"
#include "sha256.hpp"

namespace selectors::gate {
namespace {

using nlohmann::json;

constexpr double tightest_drift = 0.02;
constexpr double tightest_twin = 0.005;
constexpr double loosest = 0.25;
constexpr double centre_tolerance = 0.001;
constexpr double least_room = 2;  // times the p95 half-width of the evidence

class rules {
 public:
  rules(const json_document& document, const profile& p, date now, problems& out)
      : document_(document), profile_(p), now_(now), out_(out) {}

  void run() {
    const auto& root = document_.root();
    if (root["protocol"] != protocol_id) {
      complain("$.protocol", "E_PROTOCOL",
               fmt::format("limits were measured with {}, this program runs {}: propose anew",
                           root["protocol"].get<std::string>(), protocol_id));
    }
    check_kind();
    if (root.contains("review")) check_review(root["review"], "$.review");
    for (std::size_t i = 0; i < root["limits"].size(); ++i)
      check_limit(root["limits"][i], fmt::format("$.limits[{}]", i));
    for (std::size_t i = 0; i < root["ungated"].size(); ++i) {
      check_ungated(root["ungated"][i], fmt::format("$.ungated[{}]", i));
    }
  }

 private:
  void complain(std::string path, std::string code, std::string message) {
    out_.push_back(document_.complain(std::move(path), std::move(code), std::move(message)));
  }

  bool machine_class() const { return profile_.kind == profile_kind::machine_class; }

  void check_kind() {
    const auto& root = document_.root();
    for (const auto* key : {"match", "control", "review"}) {
      if (machine_class() && !root.contains(key)) {
        complain("$", "E_MISSING_KEY", fmt::format("a machine_class profile needs \"{}\"", key));
      } else if (!machine_class() && root.contains(key)) {
        complain(fmt::format("$.{}", key), "E_UNKNOWN_KEY",
                 fmt::format("a portable profile has no \"{}\"", key));
      }
    }
    if (root.contains("control") && root["control"]["arm"] != control_arm) {
      complain("$.control.arm", "E_ARM", fmt::format("the control arm is {}", control_arm));
    }
  }

  /// The metrics an entry names; complains about names that are unknown or were used before.
  std::vector<const metric*> claim(const json& entry, const std::string& path) {
    const auto pattern = entry["metric"].get<std::string>();
    std::vector<const metric*> found;
    for (const auto& m : metric_table()) {
      if (m.kind != metric_kind::self && matches_pattern(pattern, m.name)) found.push_back(&m);
    }
    if (found.empty()) complain(path + ".metric", "E_METRIC_ORPHAN", explain_orphan(pattern));
    for (const auto* m : found) {
      const auto [first, fresh] = claimed_.emplace(m->name, path);
      if (!fresh)
        complain(path + ".metric", "E_DUP_BOUND",
                 fmt::format("{} is already named by {}", m->name, first->second));
    }
    return found;
  }

  static std::string explain_orphan(const std::string& pattern) {
    if (find_metric(pattern) != nullptr) return pattern + " belongs to the gate itself and takes no limit";
    std::vector<std::string> known;
    for (const auto& m : metric_table()) known.push_back(m.name);
    const auto near = nearest_name(pattern, known);
    return fmt::format("{}: no such metric; {}", pattern, near ? "did you mean " + *near + "?" : "renamed?");
  }

  void check_limit(const json& j, const std::string& path) {
    const auto metrics = claim(j, path);
    if (j.contains("review")) check_review(j["review"], path + ".review");
    if (metrics.empty()) return;
    for (const auto* m : metrics) {
      if (j["unit"] == m->unit) continue;
      complain(path + ".unit", "E_UNIT",
               fmt::format("{} is a {}, got \"{}\"", m->name, m->unit, j["unit"].get<std::string>()));
      return;
    }
    if (metrics.front()->kind == metric_kind::exact) {
      check_exact(j, path);
    } else {
      check_ratio(j, path, metrics);
    }
  }

  void check_exact(const json& j, const std::string& path) {
    for (const auto* key : {"lower", "reviewed", "upper", "waiver"}) {
      if (j.contains(key))
        complain(path + "." + key, "E_BOUND_KIND", "a counted metric takes \"equals\" alone");
    }
    if (!j.contains("equals")) {
      complain(path, "E_BOUND_MISSING", "a counted metric needs \"equals\"");
    } else if (!(j["equals"].get<double>() >= 0)) {
      complain(path + ".equals", "E_VALUE", fmt::format("expected a count >= 0, got {}", j["equals"].dump()));
    }
  }

  void check_ratio(const json& j, const std::string& path, const std::vector<const metric*>& metrics) {
    if (j.contains("equals"))
      complain(path + ".equals", "E_BOUND_KIND", "a ratio takes lower and upper, not \"equals\"");
    if (machine_class()) {
      for (const auto* key : {"lower", "reviewed", "upper"}) {
        if (!j.contains(key))
          complain(path, "E_BOUND_MISSING", fmt::format("a machine_class limit needs \"{}\"", key));
      }
    } else if (!j.contains("lower") && !j.contains("upper")) {
      complain(path, "E_BOUND_MISSING", "expected \"lower\", \"upper\" or both");
    }
    const auto lower = number(j, "lower");
    const auto upper = number(j, "upper");
    const auto reviewed = number(j, "reviewed");
    const bool ordered = check_order(path, lower, upper);
    if (!reviewed) return;
    if (metrics.size() > 1) {
      complain(path + ".reviewed", "E_BOUND_CENTRE",
               "a pattern has no common reviewed value: name each metric");
    } else if (!(*reviewed > 0) || (lower && *reviewed < *lower) || (upper && *reviewed > *upper)) {
      complain(path + ".reviewed", "E_BOUND_CENTRE",
               fmt::format("reviewed {} is not between the limits", *reviewed));
    } else if (ordered) {
      check_width(j, path, *metrics.front(), *reviewed, lower, upper);
    }
  }

  static std::optional<double> number(const json& j, const char* key) {
    return j.contains(key) ? std::optional(j[key].get<double>()) : std::nullopt;
  }

  bool check_order(const std::string& path, std::optional<double> lower, std::optional<double> upper) {
    if (lower && !(*lower > 0)) {
      complain(path + ".lower", "E_BOUND_ORDER", fmt::format("lower {} is not > 0", *lower));
    } else if (upper && !(*upper > 0)) {
      complain(path + ".upper", "E_BOUND_ORDER", fmt::format("upper {} is not > 0", *upper));
    } else if (lower && upper && !(*lower < *upper)) {
      complain(path + ".lower", "E_BOUND_ORDER",
               fmt::format("lower {} is not below upper {}", *lower, *upper));
    } else {
      return true;
    }
    return false;
  }

  void check_width(const json& j, const std::string& path, const metric& m, double reviewed,
                   std::optional<double> lower, std::optional<double> upper) {
    const double below = lower ? 1 - *lower / reviewed : 1;
    const double above = upper ? *upper / reviewed - 1 : 1;
    const double narrow = std::min(below, above);
    const double wide = std::max(lower ? below : 0, upper ? above : 0);
    const double floor = m.kind == metric_kind::twin ? tightest_twin : tightest_drift;
    // Limits are written with few digits; a hair below the floor is the writing, not the intent.
    constexpr double writing = 1e-9;
    if (narrow < floor - writing) {
      complain(path, "E_BOUND_TIGHT",
               fmt::format("{}: +-{:.2f} % is tighter than {:.1f} %: it would alarm on unchanged code",
                           m.name, narrow * 100, floor * 100));
    }
    if (wide > loosest + writing && !j.contains("waiver")) {
      complain(path, "E_BOUND_LOOSE",
               fmt::format("{}: {:.1f} % is wider than {:.0f} %: say why in \"waiver\"", m.name, wide * 100,
                           loosest * 100));
    }
    check_against_evidence(j, path, m, reviewed, narrow);
  }

  void check_against_evidence(const json& j, const std::string& path, const metric& m, double reviewed,
                              double narrow) {
    const auto& root = document_.root();
    const json* r = j.contains("review") ? &j["review"] : root.contains("review") ? &root["review"] : nullptr;
    if (r == nullptr) return;
    const auto found = evidence_.find((*r)["evidence"].get<std::string>());
    if (found == evidence_.end() || !found->second) return;  // said where the review was checked
    const auto noise = spread_of(found->second->data, m.name);
    if (!noise) {
      complain(path, "E_EVIDENCE", fmt::format("{} has no estimate in {}", m.name, found->first));
      return;
    }
    if (std::abs(reviewed / noise->centre - 1) > centre_tolerance) {
      complain(path + ".reviewed", "E_BOUND_CENTRE",
               fmt::format("reviewed {} differs from the evidence, {:.5g}", reviewed, noise->centre));
    }
    if (narrow < least_room * noise->p95_half_width) {
      complain(path, "E_BOUND_TIGHT",
               fmt::format("{}: +-{:.2f} % leaves no room for the measured noise, +-{:.2f} %", m.name,
                           narrow * 100, noise->p95_half_width * 100));
    }
  }

  void check_ungated(const json& j, const std::string& path) {
    claim(j, path);
    const auto until = parse_date(j["until"].get<std::string>());
    if (!until) {
      complain(path + ".until", "E_DATE", fmt::format("expected YYYY-MM-DD, got {}", j["until"].dump()));
    } else if (*until < now_) {
      complain(path + ".until", "E_EXPIRED",
               fmt::format("exempt until {}: limit it again", j["until"].dump()));
    }
  }

  void check_review(const json& r, const std::string& path) {
    for (const auto* key : {"proposed_by", "reviewed_by"}) {
      if (r[key].get<std::string>().find_first_not_of(" \t") == std::string::npos) {
        complain(path + "." + key, "E_REVIEW", fmt::format("\"{}\" is empty", key));
      }
    }
    const auto commit = r["commit"].get<std::string>();
    if (commit.size() != 40 || commit.find_first_not_of("0123456789abcdef") != std::string::npos) {
      complain(path + ".commit", "E_REVIEW", fmt::format("expected 40 hex digits, got \"{}\"", commit));
    }
    check_date(r["date"].get<std::string>(), path + ".date");
    const auto file = r["evidence"].get<std::string>();
    if (!evidence_.contains(file)) {
      evidence_[file] = load_evidence(file, r["evidence_sha256"].get<std::string>(), commit, path);
    }
  }

  void check_date(const std::string& text, const std::string& path) {
    const auto day = parse_date(text);
    if (!day || *day > now_) {
      complain(path, "E_REVIEW", fmt::format("expected a past date YYYY-MM-DD, got \"{}\"", text));
      return;
    }
    const auto age = (now_ - *day).count();
    if (age > profile_.max_age_days) {
      complain(
          path, "E_EXPIRED",
          fmt::format("the review is {} days old, at most {}: propose anew", age, profile_.max_age_days));
    }
  }

  std::optional<evidence> load_evidence(const std::string& file, const std::string& sha256,
                                        const std::string& commit, const std::string& path) {
    const auto place = path + ".evidence";
    problems inner;
    const auto where = profile_.file.parent_path() / file;
    const auto text = read_file(where, max_evidence_bytes, inner);
    if (text && sha256_hex(*text) != sha256) {
      complain(path + ".evidence_sha256", "E_EVIDENCE",
               fmt::format("{} has another hash: {}", file, sha256_hex(*text)));
      return std::nullopt;
    }
    auto e = text ? read_evidence(where, inner) : std::nullopt;
    for (const auto& p : inner) complain(place, "E_EVIDENCE", to_string(p));
    if (!e) return std::nullopt;
    const auto before = out_.size();
    for (const auto& fault : faults_of(e->data)) complain(place, "E_EVIDENCE", file + ": " + fault);
    if (e->profile != profile_.name) {
      complain(place, "E_EVIDENCE",
               fmt::format("{} is of profile {}, not {}", file, e->profile, profile_.name));
    }
    if (e->data.build.commit != commit) {
      complain(path + ".commit", "E_EVIDENCE",
               fmt::format("{} was measured at {}", file, e->data.build.commit));
    }
    return out_.size() == before ? std::move(e) : std::nullopt;
  }

  const json_document& document_;
  const profile& profile_;
  const date now_;
  problems& out_;
  std::map<std::string, std::string> claimed_;  // metric -> path of the entry that names it
  std::map<std::string, std::optional<evidence>> evidence_;
};

}  // namespace

void check_rules(const json_document& document, const profile& p, date now, problems& out) {
  rules(document, p, now, out).run();
}

}  // namespace selectors::gate
