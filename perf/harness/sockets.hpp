// The descriptors that every arm waits for: socket pairs, non-blocking, loaded once and never read.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "harness/arm.hpp"

namespace selectors::perf {

// Read ends have the lowest free numbers and stay below FD_SETSIZE: what select(2) costs depends on the
// highest number, and no set may pay for the size of another. Throws std::system_error.
class socket_sets {
 public:
  // `sizes` in ascending order.
  explicit socket_sets(std::span<const int> sizes);
  ~socket_sets();
  socket_sets(const socket_sets&) = delete;
  socket_sets& operator=(const socket_sets&) = delete;

  // `n` read ends. `ready` is "all": each holds a byte; or "one": only one does, in the middle, so that a
  // scan that stops early and one that does not are both charged half the way.
  std::span<const int> descriptors(int n, std::string_view ready) const;

  // What a wait on these descriptors must find.
  static found expected(std::span<const int> descriptors, std::string_view ready);

 private:
  int add_pair();

  std::vector<int> open_;
  std::vector<int> all_;
  std::vector<std::vector<int>> one_;
};

}  // namespace selectors::perf
