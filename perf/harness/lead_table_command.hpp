// `selectors-perf lead-table`: measures what it was not given, prints the published table, writes the summary.
#pragma once

#include <filesystem>
#include <string>

namespace selectors::perf {

struct lead_table_options {
  std::filesystem::path lab;     // output of selectors-lab as JSON; empty: run it
  std::filesystem::path python;  // output of python_lab.py; empty: run it
  std::string python_command = "python3";
  std::filesystem::path report = "build/report";
};

// Returns the exit code; throws std::runtime_error.
int lead_table_command(const lead_table_options& options);

}  // namespace selectors::perf
