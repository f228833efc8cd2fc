// timeout.hpp: any duration becomes whole nanoseconds: rounded up, saturating, never undefined.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <ratio>

#include <selectors/timeout.hpp>

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::duration;

constexpr std::int64_t ns(timeout t) {
  return t.duration().count();
}

TEST(Timeout, WholeUnitsAreExact) {
  static_assert(ns(1ns) == 1);
  static_assert(ns(20ms) == 20'000'000);
  static_assert(ns(1s) == 1'000'000'000);
  static_assert(ns(1h) == 3'600'000'000'000);
  static_assert(ns(std::chrono::days(200 * 365)) == 200 * 365 * 86'400'000'000'000);
  static_assert(ns(duration<std::int8_t>(100)) == 100'000'000'000);
  static_assert(ns(duration<std::uint64_t, std::milli>(7)) == 7'000'000);
  static_assert(ns(duration<int, std::ratio<1, 30>>(60)) == 2'000'000'000);
}

TEST(Timeout, FractionsOfANanosecondAreRoundedUp) {
  static_assert(ns(duration<int, std::pico>(1)) == 1);
  static_assert(ns(duration<int, std::pico>(1000)) == 1);
  static_assert(ns(duration<int, std::pico>(1001)) == 2);
  static_assert(ns(duration<int, std::ratio<1, 3>>(1)) == 333'333'334);
  static_assert(ns(duration<std::int64_t, std::atto>(1)) == 1);
  static_assert(ns(duration<double, std::nano>(0.25)) == 1);
  static_assert(ns(duration<double, std::nano>(1.5)) == 2);
  static_assert(ns(duration<float, std::nano>(3.0f)) == 3);
}

TEST(Timeout, FloatingSecondsAreTheDecimalThatWasMeant) {
  static_assert(ns(duration<double>(0.001)) == 1'000'000);
  static_assert(ns(duration<double>(0.1)) == 100'000'000);
  static_assert(ns(duration<double>(2.5)) == 2'500'000'000);
  static_assert(ns(duration<double, std::milli>(0.5)) == 500'000);
  static_assert(ns(duration<double>(1e-9)) == 1);
  static_assert(ns(duration<double>(std::numeric_limits<double>::denorm_min())) == 1);
}

TEST(Timeout, ZeroAndEverythingNegativeIsZero) {
  static_assert(timeout::zero.is_zero() && !timeout::zero.is_infinite());
  static_assert(timeout(0s) == timeout::zero);
  static_assert(timeout(-1ns) == timeout::zero);
  static_assert(timeout(std::chrono::nanoseconds::min()) == timeout::zero);
  static_assert(timeout(std::chrono::hours::min()) == timeout::zero);
  static_assert(timeout(duration<double>(-0.0)) == timeout::zero);
  static_assert(timeout(duration<double>(-1e300)) == timeout::zero);
  static_assert(timeout(duration<int, std::pico>(-1)) == timeout::zero);
  EXPECT_EQ(timeout(duration<double>(-INFINITY)), timeout::zero);
}

TEST(Timeout, WhatDoesNotFitWaitsForEver) {
  static_assert(timeout::infinite.is_infinite() && !timeout::infinite.is_zero());
  static_assert(timeout(std::chrono::nanoseconds::max()).is_infinite());
  static_assert(timeout(std::chrono::seconds::max()).is_infinite());
  static_assert(timeout(std::chrono::hours::max()).is_infinite());
  static_assert(timeout(std::chrono::years(293)).is_infinite());
  static_assert(timeout(duration<std::uint64_t>::max()).is_infinite());
  static_assert(timeout(duration<std::uint64_t, std::exa>::max()).is_infinite());
  static_assert(timeout(duration<double, std::nano>(9.3e18)).is_infinite());
  EXPECT_TRUE(timeout(duration<double>(1e300)).is_infinite());
  EXPECT_TRUE(timeout(duration<double>(INFINITY)).is_infinite());
  EXPECT_TRUE(timeout(duration<float, std::femto>(INFINITY)).is_infinite());
}

TEST(Timeout, OneNanosecondBelowForEverIsFinite) {
  constexpr timeout longest = std::chrono::nanoseconds(std::numeric_limits<std::int64_t>::max() - 1);
  static_assert(!longest.is_infinite());
  static_assert(ns(longest) == std::numeric_limits<std::int64_t>::max() - 1);
}

TEST(Timeout, NotANumberIsRefused) {
  EXPECT_THROW((void)timeout(duration<double>(NAN)), std::invalid_argument);
  EXPECT_THROW((void)timeout(duration<float, std::milli>(-NAN)), std::invalid_argument);
  EXPECT_THROW((void)timeout(duration<long double>(NAN)), std::invalid_argument);
}

TEST(TimeoutUntil, IsWhatRemains) {
  const auto now = std::chrono::steady_clock::now();
  const timeout t = timeout::until(now + 1h);
  EXPECT_LE(t.duration(), 1h);
  EXPECT_GT(t.duration(), 30min);
}

TEST(TimeoutUntil, APastDeadlineIsZero) {
  EXPECT_EQ(timeout::until(std::chrono::steady_clock::now() - 1ns), timeout::zero);
  EXPECT_EQ(timeout::until({}), timeout::zero) << "the clock's origin";
  EXPECT_EQ(timeout::until(std::chrono::steady_clock::time_point::min()), timeout::zero);
}

TEST(TimeoutUntil, TheLastTimePointIsNoOverflow) {
  const timeout t = timeout::until(std::chrono::steady_clock::time_point::max());
  EXPECT_TRUE(t.is_infinite() || t.duration() > std::chrono::hours(24 * 365 * 200));
}

}  // namespace
}  // namespace selectors::tests
