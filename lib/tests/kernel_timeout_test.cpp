// How a wait's nanoseconds reach the kernel.
#include <gtest/gtest.h>

#include <limits>

#include <kernel_timeout.hpp>

namespace selectors::tests {
namespace {

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t longest_int = INT_MAX * millisecond;
constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();

TEST(KernelMilliseconds, AreExactForWholeOnesAndRoundedUpOtherwise) {
  static_assert(to_milliseconds(0) == 0);
  static_assert(to_milliseconds(1) == 1);
  static_assert(to_milliseconds(millisecond - 1) == 1);
  static_assert(to_milliseconds(millisecond) == 1);
  static_assert(to_milliseconds(millisecond + 1) == 2);
  static_assert(to_milliseconds(250 * millisecond) == 250);
}

TEST(KernelMilliseconds, NegativeIsForEver) {
  static_assert(to_milliseconds(wait_for_ever) == -1);
  static_assert(to_milliseconds(std::numeric_limits<std::int64_t>::min()) == -1);
}

TEST(KernelMilliseconds, AreCutWhereAnIntEnds) {
  static_assert(to_milliseconds(longest_int - 1) == INT_MAX);
  static_assert(to_milliseconds(longest_int) == INT_MAX);
  static_assert(to_milliseconds(longest_int + 1) == INT_MAX);
  static_assert(to_milliseconds(longest) == INT_MAX);
}

TEST(KernelTimespec, ServesTheFinerTimeoutsOnly) {
  static_assert(!needs_timespec(0) && !needs_timespec(wait_for_ever));
  static_assert(!needs_timespec(millisecond) && !needs_timespec(longest_int));
  static_assert(needs_timespec(1) && needs_timespec(millisecond - 1) && needs_timespec(millisecond + 1));
}

TEST(KernelTimespec, IsNormalised) {
  static_assert(to_timespec(1).tv_sec == 0 && to_timespec(1).tv_nsec == 1);
  static_assert(to_timespec(1'500'000'000).tv_sec == 1 && to_timespec(1'500'000'000).tv_nsec == 500'000'000);
  static_assert(to_timespec(999'999'999).tv_sec == 0 && to_timespec(999'999'999).tv_nsec == 999'999'999);
  EXPECT_EQ(to_timespec(longest).tv_sec, 9'223'372'036);
  EXPECT_EQ(to_timespec(longest).tv_nsec, 854'775'807);
}

}  // namespace
}  // namespace selectors::tests
