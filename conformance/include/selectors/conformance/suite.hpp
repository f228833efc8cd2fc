// Putting subjects on trial.
#pragma once

#include <vector>

#include <selectors/conformance/subject.hpp>

namespace selectors::conformance {

// The whole of main(): one GoogleTest test for every case and subject that it applies to, named
// `<subject>/<Chapter>.<Claim>`, then whatever the arguments ask for (`--help` tells). Returns the exit code:
// 0 when everything holds, 1 when a claim fails, 2 for bad arguments or an output that cannot be written.
int run_suite(int argc, char** argv, const std::vector<subject_info>& subjects);

}  // namespace selectors::conformance
