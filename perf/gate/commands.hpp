#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "cli.hpp"

/// The commands behind `selectors-gate`, with their arguments read. Each returns the exit code.
namespace selectors::gate {

struct check_arguments {
  std::filesystem::path measurement;
  std::filesystem::path thresholds = "thresholds";
  std::filesystem::path report = "build/report";
  bool require_profile = false;
};

struct explain_arguments {
  std::string metric;
  std::filesystem::path thresholds = "thresholds";
  std::filesystem::path report = "build/report";
};

struct validate_arguments {
  std::vector<std::filesystem::path> files;  ///< none: the whole folder of thresholds
  std::filesystem::path thresholds = "thresholds";
  std::filesystem::path base;  ///< an older copy of that folder: changed files must have a higher revision
};

struct propose_arguments {
  std::vector<std::filesystem::path> measurements;
  std::filesystem::path output;
  std::filesystem::path evidence;
  std::filesystem::path thresholds = "thresholds";
  std::string profile;
  std::string proposed_by;
  bool with_twins = false;
};

struct replay_arguments {
  std::filesystem::path evidence;     ///< either this
  std::filesystem::path measurement;  ///< or that
  std::filesystem::path thresholds = "thresholds";
  bool require_profile = false;
  bool gates = false;  ///< judge each of the ordinary runs the recording is made of, and count the verdicts
};

int check(const check_arguments& a, const surroundings& world, std::ostream& out);
int explain(const explain_arguments& a, const surroundings& world, std::ostream& out);
int validate(const validate_arguments& a, const surroundings& world, std::ostream& out);
int make_proposal(const propose_arguments& a, const surroundings& world, std::ostream& out);
int replay(const replay_arguments& a, const surroundings& world, std::ostream& out);

}  // namespace selectors::gate
