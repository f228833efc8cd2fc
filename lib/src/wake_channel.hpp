// The descriptor between a selector and its wakers.
#pragma once

#include <cstdint>
#include <memory>

#include <selectors/waker.hpp>

#include "fault.hpp"

namespace selectors {

// An eventfd: writes add up, one read takes them all. It lives as long as the last waker, so that a late wake
// reaches nobody instead of another file with its number.
struct waker::channel {
  int fd;
  std::uint32_t fork_generation;

  // EMFILE, ENFILE, ENOMEM.
  static fault make(std::shared_ptr<const channel>& out) noexcept;

  channel(int descriptor, std::uint32_t generation) noexcept : fd(descriptor), fork_generation(generation) {}
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  ~channel();

  // Takes all wakes so far. The read is also what makes the waking thread's writes visible here.
  void consume() const noexcept;
};

}  // namespace selectors
