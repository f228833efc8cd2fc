#pragma once

#include <ctime>

namespace selectors::perf {

// Nanoseconds that this thread has run. Being preempted does not count, so one batch is as good on a busy
// machine as on an idle one - as long as nothing measured ever sleeps, and with timeout 0 nothing does.
inline double thread_cpu_ns() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

}  // namespace selectors::perf
