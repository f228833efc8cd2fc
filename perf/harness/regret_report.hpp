// What the regret lab found, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gate/measurement.hpp"
#include "scenarios/regret.hpp"

namespace selectors::perf {

struct measured_cell {
  std::string arm;
  int n = 0;
  std::string ready;
  std::string detail;
  std::string name;  // of the cell within its arm
  regret_result result;
  int rounds = 0;
  std::vector<std::pair<backend, double>> median_ns;  // per operation; the adaptive backend first
};

measured_cell summary_of(const regret_cell& cell, const cell_times& times);

// An arm as a whole. Limits hold for the whole grid; of a part the report says so.
struct regret_row {
  regret_arm arm;
  int cells = 0;
  double median = 0;
  double worst = 0;
  std::string worst_cell;

  bool median_ok() const noexcept { return !arm.median_limit || rounded(median) <= *arm.median_limit; }
  bool worst_ok() const noexcept { return rounded(worst) <= arm.worst_limit; }
  bool ok() const noexcept { return median_ok() && worst_ok(); }

 private:
  // Limits have two decimals, and so has the table: what it prints decides.
  static double rounded(double ratio) noexcept;
};

struct regret_report {
  std::string at;
  gate::machine_facts machine;
  gate::build_facts build;
  bool whole_grid = false;
  std::vector<measured_cell> cells;
};

// In the order of regret_arms(), those with cells only.
std::vector<regret_row> rows_of(const regret_report& report);
bool all_ok(const regret_report& report);

std::string to_text(const regret_report& report);  // at most 80 columns
std::string to_markdown(const regret_report& report, bool with_picture);
nlohmann::ordered_json to_json(const regret_report& report);

}  // namespace selectors::perf
