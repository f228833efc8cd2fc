// The library's own backends as subjects.
#pragma once

#include <vector>

#include <selectors/backends.hpp>
#include <selectors/conformance/subject.hpp>

namespace selectors::conformance {

// One row for each backend of this build that works on this machine, and one for the adaptive backend held in each of
// its regimes.
std::vector<subject_info> library_subjects();

subject_info library_subject_info(const backend_info& b);

}  // namespace selectors::conformance
