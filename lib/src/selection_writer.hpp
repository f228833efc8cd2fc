// How every backend writes an entry: one place for "only what was asked for" and for where an entry stands.
#pragma once

#include <cstddef>
#include <cstdint>

#include <selectors/event.hpp>

#include "backend.hpp"
#include "readiness_bits.hpp"

namespace selectors {

class selection_writer {
 public:
  explicit selection_writer(const wait_request& request) noexcept
      : out_(request.out), size_(request.filled), limit_(request.limit) {}

  bool full() const noexcept { return size_ == limit_; }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(size_); }
  std::size_t room() const noexcept { return limit_ - size_; }

  // `ready` is not none, or `flags` has invalid; and there is room.
  void add(int fd, registration& r, interest ready, status flags) noexcept {
    r.selected = static_cast<std::uint32_t>(size_);
    out_[size_++] = {.fd = fd, .ready = ready, .flags = flags, .generation = r.generation, .data = r.data};
  }

  // Whether this wait has an entry for it already.
  bool has(int fd, const registration& r) const noexcept {
    return r.selected < size_ && out_[r.selected].fd == fd && out_[r.selected].generation == r.generation;
  }

  const event& operator[](std::size_t i) const noexcept { return out_[i]; }

 private:
  event* out_;
  std::size_t size_;
  std::size_t limit_;
};

}  // namespace selectors
