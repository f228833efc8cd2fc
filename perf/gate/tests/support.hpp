#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gate/problem.hpp"
#include "gate/thresholds.hpp"

namespace selectors::gate::testing {

/// A folder of its own for one test, gone afterwards.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// perf/gate/tests in the source tree.
std::filesystem::path sources();

std::string slurp(const std::filesystem::path& file);
void spill(const std::filesystem::path& file, const std::string& text);
std::string replaced(std::string text, const std::string& from, const std::string& to);

/// A copy of tests/good: a portable profile, a machine class, and its evidence.
void copy_good(const std::filesystem::path& folder);

/// The day on which the good files are good.
date test_day();

bool has_code(const problems& found, const std::string& code);
std::string joined(const problems& found);

struct finished {
  int code;
  std::string output;  ///< both streams
};

/// The real program, through a shell, with `environment` ("NAME=value") put before it.
finished run_program(const std::vector<std::string>& arguments, const std::string& environment = {});

/// Compares with tests/approved/NAME. SELECTORS_BLESS=1 in the environment writes the file instead; the difference is
/// then for a person to read before it is committed.
void expect_approved(const std::string& name, const std::string& text);

}  // namespace selectors::gate::testing
