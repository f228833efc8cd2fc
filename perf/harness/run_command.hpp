// `selectors-perf run`: fresh bursts at spaced moments, until the judge can tell or the cap is reached.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace selectors::perf {

struct run_options {
  std::string arms = "*";
  std::optional<int> bursts;  // so many and no question to the judge: for proposals
  int cap = 60;
  std::filesystem::path output = "build/perf-run/measurement.json";
  std::filesystem::path counts;  // empty: count now
  std::filesystem::path thresholds = "thresholds";
  std::filesystem::path report;  // where a run that fails leaves its verdict; empty: nowhere
};

// Returns the exit code; nothing that goes wrong is thrown. An older `output` is gone in any case, so that
// nobody judges it for this run's.
int run_command(const run_options& options);

}  // namespace selectors::perf
