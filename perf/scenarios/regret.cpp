#include "scenarios/regret.hpp"

#include <algorithm>
#include <array>

namespace selectors::perf {
namespace {

constexpr std::array<regret_arm, 10> arms{{
    {"reuse", "a kept selector, the same descriptors ready each time, timeout 0", 0.95, 1.05},
    {"blocking", "the same with a timeout of a second, and for ever", 1.00, 1.05},
    {"recreate", "a new selector for each wait", 1.08, 1.15},
    {"lives", "a new selector for every 4 to 256 waits", 1.03, 1.12},
    {"cold", "the same in a thread that has no memory of earlier lives", 1.15, 2.00},
    {"churn", "some descriptors unregistered and registered again before each wait", 1.03, 1.15},
    {"phases", "one ready for a while, then all, then one again", 0.95, 1.12},
    {"traffic", "bytes written and read, I/O included, ready ones by lot or by a power law", 1.00, 1.10},
    {"adversary", "readiness by somebody who sees the regime", std::nullopt, 1.75},
    {"threaded", "reuse in a process with a second thread: poll costs more there", 0.98, 1.08},
}};

bool is_quick(const regret_cell& cell) {
  const bool of_size = cell.n == 8 || cell.n == 32 || cell.n == 128;
  const bool detailed = cell.detail.empty() || cell.detail == "W=16" || cell.detail == "L=64" ||
                        cell.detail == "1s" || cell.detail == "c=1 same" || cell.detail == "uniform";
  return of_size && detailed;
}

}  // namespace

std::span<const regret_arm> regret_arms() {
  return arms;
}

const regret_arm* find_regret_arm(std::string_view name) {
  const auto* at =
      std::find_if(arms.begin(), arms.end(), [&](const regret_arm& a) { return a.name == name; });
  return at == arms.end() ? nullptr : at;
}

std::vector<ready_count> ready_counts(int n) {
  std::vector<ready_count> counts{{"0", 0}, {"1", 1}};
  if (n / 10 > 1) counts.push_back({"10%", n / 10});
  if (n / 2 > 1) counts.push_back({"50%", n / 2});
  if (n > 1) counts.push_back({"all", n});
  return counts;
}

std::span<const int> sizes_up_to(int largest) {
  return {std::begin(grid_sizes), std::upper_bound(std::begin(grid_sizes), std::end(grid_sizes), largest)};
}

std::vector<regret_cell> regret_cells(bool quick) {
  std::vector<regret_cell> cells;
  add_kept(cells);
  add_churn(cells);
  add_lives(cells);
  add_traffic(cells);
  add_adversary(cells);
  if (quick) std::erase_if(cells, [](const regret_cell& cell) { return !is_quick(cell); });
  // In the order of the table.
  std::stable_sort(cells.begin(), cells.end(), [](const regret_cell& a, const regret_cell& b) {
    return find_regret_arm(a.arm) < find_regret_arm(b.arm);
  });
  return cells;
}

}  // namespace selectors::perf
