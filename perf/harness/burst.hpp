// One burst: all rounds of one fresh process. It is the independent unit of the gate's statistics - address
// layout, kernel objects and the machine's state are drawn anew for each.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/arm.hpp"

namespace selectors::perf {

struct burst {
  std::vector<std::string> arms;
  std::string at;                         // when it began
  double load = 0;                        // of the last minute, before it began
  std::int64_t involuntary_switches = 0;  // during the rounds
  std::vector<std::vector<double>> rounds;
};

// Runs the rounds as one Google Benchmark benchmark, "burst", of which an iteration is a round. Throws
// broken_measurement.
burst run_burst(const arm_list& arms, int rounds_wanted, std::uint64_t seed);

// What one burst process says: its arms, its build and its burst in the form of the measurement file. Times
// are rounded to a hundredth of a nanosecond.
nlohmann::json to_json(const burst& b);

}  // namespace selectors::perf
