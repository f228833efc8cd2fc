#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "problem.hpp"
#include "protocol.hpp"

namespace selectors::gate {

struct machine_facts {
  std::string arch;
  std::string cpu_model;
  int cpu_family = 0;
  int cpu_model_number = 0;
  std::string kernel;
  std::string virtualization;
  int cpus = 0;

  bool operator==(const machine_facts&) const = default;
};

struct build_facts {
  std::string type;  ///< CMake's build type; only "Release" is judged
  std::string compiler;
  std::string libc;
  std::string commit;  ///< 40 hex digits, or "unknown"
  bool dirty = false;  ///< the work tree differed from the commit
  std::vector<std::string> sanitizers;
  std::string binary_sha256;

  bool operator==(const build_facts&) const = default;
};

struct protocol_facts {
  std::string id = std::string(protocol_id);
  int rounds_per_burst = gate::rounds_per_burst;
  int batch_us = gate::batch_us;

  bool operator==(const protocol_facts&) const = default;
};

/// Thread CPU nanoseconds per operation, one number per arm in the order of `measurement::arms`.
using round_times = std::vector<double>;

/// One fresh process.
struct burst {
  std::string at;  ///< when it began, ISO 8601
  double load = 0;
  long involuntary_switches = 0;
  std::vector<round_times> rounds;
};

struct counted {
  std::string metric;
  double value = 0;
};

/// What the lab hands to the gate.
struct measurement {
  machine_facts machine;
  build_facts build;
  protocol_facts protocol;
  bool interrupted = false;
  std::vector<std::string> arms;
  std::vector<burst> bursts;
  std::vector<counted> counts;
};

/// Larger than any run up to the cap; a file beyond it is not one of ours.
inline constexpr std::size_t max_measurement_bytes = std::size_t{256} << 20;

/// Strict: shape, known version, this program's protocol, every arm and count once, every round complete and
/// every time finite and > 0. Nothing when there was a problem; all of them are appended.
std::optional<measurement> read_measurement(const std::filesystem::path& path, problems& out);

/// One line per burst, written atomically. Throws std::filesystem::filesystem_error, and
/// std::invalid_argument for a time that is not a finite number (JSON cannot hold it, and a reader would only
/// see "null").
void write_measurement(const measurement& m, const std::filesystem::path& path);

}  // namespace selectors::gate
