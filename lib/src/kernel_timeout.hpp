// A wait's nanoseconds, as the system calls take them.
#pragma once

#include <time.h>

#include <climits>
#include <cstdint>

namespace selectors {

// Negative: for ever.
constexpr std::int64_t wait_for_ever = -1;

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
constexpr std::int64_t nanoseconds_per_millisecond = 1'000'000;

// poll(2) and epoll_wait(2) count in milliseconds; the calls that take a timespec cost 15-20 % more, so they
// serve the finer timeouts only.
constexpr bool needs_timespec(std::int64_t nanoseconds) noexcept {
  return nanoseconds > 0 && nanoseconds % nanoseconds_per_millisecond != 0;
}

// Rounded up. What an int cannot hold is cut (24.8 days); whoever waits has a deadline and waits on.
constexpr int to_milliseconds(std::int64_t nanoseconds) noexcept {
  if (nanoseconds <= 0) [[likely]]
    return nanoseconds < 0 ? -1 : 0;
  const std::int64_t whole = (nanoseconds - 1) / nanoseconds_per_millisecond + 1;
  return whole > INT_MAX ? INT_MAX : static_cast<int>(whole);
}

constexpr timespec to_timespec(std::int64_t nanoseconds) noexcept {
  return {.tv_sec = static_cast<time_t>(nanoseconds / nanoseconds_per_second),
          .tv_nsec = static_cast<long>(nanoseconds % nanoseconds_per_second)};
}

}  // namespace selectors
