#include "fork_guard.hpp"

#include <pthread.h>

namespace selectors::fork_guard {

constinit std::atomic<std::uint32_t> generation{1};

void install() noexcept {
  // Should there be no memory for the handler, forks go unnoticed: as after vfork(2), which runs none.
  [[maybe_unused]] static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { generation.store(now() + 1, std::memory_order_relaxed); });
}

}  // namespace selectors::fork_guard
