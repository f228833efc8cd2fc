// The questions of the regret lab: what does the adaptive backend lose to the best fixed one, and where?
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/regret.hpp"

namespace selectors::perf {

struct regret_arm {
  std::string_view name;
  std::string_view question;
  std::optional<double> median_limit;  // of the median of its cells
  double worst_limit;
};

std::span<const regret_arm> regret_arms();
const regret_arm* find_regret_arm(std::string_view name);

// The whole grid, or a short one of the cells that matter most.
std::vector<regret_cell> regret_cells(bool quick);

using regret_cells_of = std::vector<regret_cell>;

// Each appends the cells of some arms.
void add_kept(regret_cells_of& cells);       // reuse, blocking, threaded
void add_churn(regret_cells_of& cells);      // churn
void add_lives(regret_cells_of& cells);      // recreate, lives, cold
void add_traffic(regret_cells_of& cells);    // traffic, phases
void add_adversary(regret_cells_of& cells);  // adversary

// How many of `n` are ready: the columns of the grid. Counts that fall together appear once.
struct ready_count {
  std::string_view name;
  int count;
};
std::vector<ready_count> ready_counts(int n);

// Descriptors; select(2) takes part up to `largest_for_select`.
inline constexpr int grid_sizes[] = {1, 2, 4, 8, 32, 128, 480, 2000, 8000};
inline constexpr int largest_for_select = 480;
std::span<const int> sizes_up_to(int largest);

}  // namespace selectors::perf
