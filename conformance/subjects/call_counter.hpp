// Counts the system calls of the library on the calling thread, through its private seam.
#pragma once

#include <selectors/conformance/subject.hpp>

namespace selectors::conformance {

// Installs the counting table, once per process. False where the build has no seam to count with.
bool count_library_calls();

call_counts library_calls() noexcept;

}  // namespace selectors::conformance
