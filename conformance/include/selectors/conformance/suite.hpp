// Putting subjects on trial.
#pragma once

#include <span>
#include <vector>

#include <selectors/conformance/liar.hpp>
#include <selectors/conformance/subject.hpp>

namespace selectors::conformance {

// The whole of main(): one GoogleTest test for every case and every subject that it applies to, named
// `<subject>/<Chapter>.<Claim>`, one for every liar, `liars/<Chapter>.<Name>`, then whatever the arguments ask for
// (`--help` tells). Returns the exit code: 0 when everything holds, 1 when a claim fails or a liar survives, 2 for
// bad arguments, an empty selection or an output that cannot be written.
int run_suite(int argc, char** argv, const std::vector<subject_info>& subjects,
              std::span<const liar> liars = {});

}  // namespace selectors::conformance
