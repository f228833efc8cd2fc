// Other programs, run to their end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace selectors::perf {

struct process_result {
  bool started = false;      // false: there is no such program
  bool timed_out = false;    // it was killed for taking too long
  bool interrupted = false;  // it was killed because of `interruption`
  int exit_code = -1;        // -1 when it did not exit by itself
  std::string output;
  std::string errors;

  bool succeeded() const noexcept { return exit_code == 0; }
};

// Looks `command[0]` up in PATH unless it holds a slash. Throws std::system_error when not even a process can
// be made.
process_result run_process(const std::vector<std::string>& command,
                           std::chrono::milliseconds at_most = std::chrono::minutes(2));

// From construction to destruction SIGINT and SIGTERM do not end this program: they end the process that
// run_process waits for, and a pause, and are remembered. One at a time.
class interruption {
 public:
  interruption();
  ~interruption();
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;

  static bool requested() noexcept;
};

// Sleeps, unless interrupted.
void pause_for(std::chrono::milliseconds time);

}  // namespace selectors::perf
