// The command line of a conformance run.
#pragma once

#include <stdexcept>
#include <string>

namespace selectors::conformance {

class usage_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct options {
  std::string json;   // file to write results to; empty: none
  bool list = false;  // list cases with their promises and end
  bool help = false;
  std::string filter;  // of GoogleTest: what is selected
};

// Reads and removes this kit's own arguments; GoogleTest's are left for it. Throws usage_error that names the argument
// and what was expected.
options read_options(int& argc, char** argv);

// Whether GoogleTest's filter selects the name.
bool selected(const std::string& filter, const std::string& name);

extern const char* const usage;

}  // namespace selectors::conformance
