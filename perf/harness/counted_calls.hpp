// Counts what the library does: its system calls, through the library's own table of them, and allocations,
// through replaced operators new and wrapped malloc. This holds for the whole program that links
// counted_calls.cpp.
#pragma once

#include <cstdint>

namespace selectors::perf {

struct counters {
  std::int64_t system_calls = 0;
  std::int64_t allocations = 0;
};

// Since the program began; this program has one thread.
const counters& counted() noexcept;

// Puts a counter in front of every entry of the library's table. Once.
void count_system_calls();

}  // namespace selectors::perf
