// Which side of a fork this is, without a system call.
#pragma once

#include <atomic>
#include <cstdint>

namespace selectors::fork_guard {

// Grows in each forked child. Async-signal-safe to read.
extern std::atomic<std::uint32_t> generation;

// From the first call on, forks are counted. Thread-safe.
void install() noexcept;

inline std::uint32_t now() noexcept {
  return generation.load(std::memory_order_relaxed);
}

}  // namespace selectors::fork_guard
