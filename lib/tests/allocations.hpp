// This program's operator new, which counts and fails on demand. Link it only into a program that is about that.
#pragma once

#include <climits>
#include <cstddef>

namespace selectors::tests {

// Of the calling thread, so far.
std::size_t allocations() noexcept;

// What all threads hold now.
std::size_t live_bytes() noexcept;

// While it lives the calling thread gets no memory: from the (after + 1)-th request on, `times` times.
class failing_allocations {
 public:
  explicit failing_allocations(int after = 0, int times = INT_MAX) noexcept;
  failing_allocations(const failing_allocations&) = delete;
  failing_allocations& operator=(const failing_allocations&) = delete;
  ~failing_allocations();
};

}  // namespace selectors::tests
