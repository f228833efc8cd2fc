#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "thresholds.hpp"

namespace selectors::gate {

/// What the commands take from the world outside their arguments; tests put in their own.
struct surroundings {
  date now;
  bool colour = false;  ///< a terminal, and NO_COLOR is not set
  bool github = false;  ///< inside GitHub Actions: annotate
};

/// `selectors-gate ARGUMENTS`: runs one command and returns the exit code. Everything it has to say goes to `out`,
/// mistakes in the arguments to `err`.
int run_command(std::vector<std::string> arguments, const surroundings& world, std::ostream& out,
                std::ostream& err);

}  // namespace selectors::gate
