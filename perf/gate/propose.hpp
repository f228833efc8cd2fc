#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "measurement.hpp"
#include "thresholds.hpp"

namespace selectors::gate {

struct proposal_request {
  std::string profile;  ///< name of the machine class
  std::string proposed_by;
  date when;
  int revision = 1;
  bool with_twins = false;  ///< two-sided limits for the overheads too, beside the promises of portable.json
  std::string evidence;     ///< file name as the profile will say it, relative to the profile
};

struct proposal {
  std::string profile_text;  ///< a thresholds file that lacks only its reviewer
  std::string evidence_text;
  std::vector<std::string> remarks;  ///< for the eye that reviews it
};

/// Limits from measured noise. Centre: the median of the gates. Half-width: three times the 95th percentile of the
/// gates' half-widths, at least 3 % for unlike work and 1 % for twins, and never so narrow that one of the gates the
/// proposal was made from would not have passed; rounded outward. Nothing, and every reason in `faults`, when the
/// runs must not become limits.
std::optional<proposal> propose(const std::vector<measurement>& runs, const proposal_request& request,
                                std::vector<std::string>& faults);

}  // namespace selectors::gate
