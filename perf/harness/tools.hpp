// The programs that the driver starts, and what it makes of their output.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gate/measurement.hpp"
#include "harness/burst.hpp"
#include "harness/process.hpp"

namespace selectors::perf {

// Beside this program. Throws std::runtime_error, with the way to build it, when it is not there.
std::filesystem::path tool(const std::string& name);

// Runs a tool of the lab and returns what it printed. Throws broken_measurement when it says so, and
// std::runtime_error with its last line for everything else. After an interruption, which is for the caller to
// ask, there may be half an output, and the two below return nothing.
std::string output_of(const std::vector<std::string>& command, std::chrono::milliseconds at_most);

burst fresh_burst(const std::string& arms);
std::vector<gate::counted> count_operations();
std::vector<gate::counted> read_counts(const std::filesystem::path& file);
std::string to_text(const std::vector<gate::counted>& counts);

}  // namespace selectors::perf
