#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measurement.hpp"
#include "problem.hpp"

/// Reading limits. `thresholds/README.md` describes the files; everything here is about refusing wrong ones
/// early and with every mistake named.
namespace selectors::gate {

struct review {
  std::string proposed_by;
  std::string reviewed_by;
  std::string date;             ///< YYYY-MM-DD
  std::string commit;           ///< of the measured build, 40 hex digits
  std::string evidence;         ///< file, relative to the profile
  std::string evidence_sha256;  ///< of that file
};

struct limit {
  std::string metric;  ///< concrete: patterns of the file are expanded
  std::optional<double> lower;
  std::optional<double> reviewed;  ///< the centre that was reviewed
  std::optional<double> upper;
  std::optional<double> equals;  ///< exact metrics only
  std::string rationale;
  std::optional<std::string> waiver;
  std::optional<review> reviewed_in;  ///< own review, else the profile's
};

struct ungated_metric {
  std::string metric;  ///< concrete
  std::string reason;
  std::string until;  ///< YYYY-MM-DD
};

enum class profile_kind { portable, machine_class };

/// The machines a profile is for. Model and kernel are prefixes ("6.18" fits "6.18.5-generic"), the rest is
/// equal.
struct machine_match {
  machine_facts wanted;
  bool fits(const machine_facts& machine) const;
};

struct control_reference {
  double fast = 0;       ///< ns
  double max_shift = 0;  ///< relative
};

struct profile {
  std::string name;  ///< the file's stem
  std::filesystem::path file;
  int revision = 0;
  profile_kind kind = profile_kind::portable;
  int max_age_days = 0;
  std::optional<machine_match> match;        ///< machine_class only
  std::optional<control_reference> control;  ///< machine_class only
  std::optional<review> reviewed_in;
  std::vector<limit> limits;
  std::vector<ungated_metric> ungated;
};

struct threshold_set {
  std::vector<profile> profiles;
};

std::string_view to_string(profile_kind kind);

using date = std::chrono::sys_days;

date today();
/// "2026-11-30"; nothing for anything else, days that do not exist included.
std::optional<date> parse_date(std::string_view text);

inline constexpr std::size_t max_thresholds_bytes = std::size_t{1} << 20;

/// One profile on its own. Nothing when there was a problem; all of them are appended.
std::optional<profile> load_profile(const std::filesystem::path& file, date now, problems& out);

/// Every *.json directly in `directory`, and the rules that hold between them: exactly one portable profile,
/// which limits every twin and exact metric; each machine class, together with it, every metric. The result
/// is to be used only when no problem was appended.
threshold_set load_thresholds(const std::filesystem::path& directory, date now, problems& out);

/// The rules between profiles, for a set that was put together by hand.
void check_coverage(const threshold_set& set, problems& out);

/// E_REVISION for each file whose content differs from the one of that name in `base` although its revision
/// was not raised. Files that `base` lacks are new.
void check_revisions(const std::filesystem::path& directory, const std::filesystem::path& base,
                     problems& out);

}  // namespace selectors::gate
