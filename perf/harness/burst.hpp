// One burst: all rounds of one fresh process. It is the independent unit of the gate's statistics - address
// layout, kernel objects and the machine's state are drawn anew for each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gate/measurement.hpp"
#include "harness/arm.hpp"

namespace selectors::perf {

struct burst {
  std::vector<std::string> arms;
  gate::build_facts build;
  gate::burst rounds;
};

// Runs the rounds as one Google Benchmark benchmark, "burst", of which an iteration is a round. Throws
// broken_measurement.
burst run_burst(arm_list& arms, int rounds_wanted, std::uint64_t seed);

// How a burst travels from its process to the driver. Times are rounded to a hundredth of a nanosecond.
std::string to_text(const burst& b);
burst parse_burst(const std::string& text);  // throws std::runtime_error

}  // namespace selectors::perf
