#include "gate/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "gate/protocol.hpp"

namespace selectors::gate {
namespace {

constexpr const char* drift = "recreate_over_reuse/epoll/32";
constexpr const char* twin = "overhead_reuse/epoll/32/all";
const double nan = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

reduction bursts_of(const std::string& metric, const std::vector<double>& ratios) {
  reduction r;
  r.metrics = {metric};
  for (const double ratio : ratios) {
    burst_summary b;
    b.log_ratios = {std::log(ratio)};
    r.bursts.push_back(b);
  }
  return r;
}

estimate spanning(double low, double high) {
  return {std::sqrt(low * high), low, high, 12, 12};
}

TEST(Compare, IsInsideUpToAndOnTheLimits) {
  const bounds limits{0.95, 1.05};
  EXPECT_EQ(compare(spanning(0.96, 1.04), limits), decision::inside);
  EXPECT_EQ(compare(spanning(0.95, 1.05), limits), decision::inside);
  EXPECT_EQ(compare(spanning(0.9499, 1.05), limits), decision::undecided);
  EXPECT_EQ(compare(spanning(0.95, 1.0501), limits), decision::undecided);
}

TEST(Compare, IsOutsideOnlyWhenWhollyBeyondALimit) {
  const bounds limits{0.95, 1.05};
  EXPECT_EQ(compare(spanning(1.0501, 1.2), limits), decision::outside);
  EXPECT_EQ(compare(spanning(1.05, 1.2), limits), decision::undecided) << "it touches the limit";
  EXPECT_EQ(compare(spanning(0.8, 0.9499), limits), decision::outside);
  EXPECT_EQ(compare(spanning(0.8, 0.95), limits), decision::undecided);
  EXPECT_EQ(compare(spanning(0.9, 1.1), limits), decision::undecided) << "it spans both";
}

TEST(Compare, TakesAMissingLimitAsNone) {
  EXPECT_EQ(compare(spanning(0.01, 1.05), {std::nullopt, 1.05}), decision::inside);
  EXPECT_EQ(compare(spanning(1.06, 1.07), {std::nullopt, 1.05}), decision::outside);
  EXPECT_EQ(compare(spanning(0.95, 99), {0.95, std::nullopt}), decision::inside);
  EXPECT_EQ(compare(spanning(0.5, 0.6), {0.95, std::nullopt}), decision::outside);
  EXPECT_EQ(compare(spanning(0.5, 0.6), {}), decision::inside);
}

TEST(Compare, NeverTrustsWhatIsNoPositiveFiniteNumber) {
  const bounds limits{0.95, 1.05};
  for (const double bad : {nan, inf, -inf, 0.0, -1.0}) {
    EXPECT_EQ(compare({bad, 1, 1}, limits), decision::broken) << bad;
    EXPECT_EQ(compare({1, bad, 1}, limits), decision::broken) << bad;
    EXPECT_EQ(compare({1, 1, bad}, limits), decision::broken) << bad;
    EXPECT_EQ(compare({bad, bad, bad}, {}), decision::broken) << bad;
  }
}

TEST(Estimate, IsTheMedianWithItsIntervalWidenedByTheFloorOfItsKind) {
  const auto r = bursts_of(drift, {2, 2, 2, 2, 2, 2, 2, 2});
  const auto e = estimate_metric(r, drift, 0, 8);
  ASSERT_TRUE(e);
  EXPECT_DOUBLE_EQ(e->centre, 2);
  EXPECT_NEAR(e->low, 2 / (1 + drift_floor), 1e-12);
  EXPECT_NEAR(e->high, 2 * (1 + drift_floor), 1e-12);
  EXPECT_NEAR(e->half_width(), 0.005, 1e-4);
  const auto t = bursts_of(twin, {2, 2, 2, 2, 2, 2, 2, 2});
  EXPECT_NEAR(estimate_metric(t, twin, 0, 8)->high, 2 * (1 + twin_floor), 1e-12);
}

TEST(Estimate, SkipsBurstsWithoutOneAndNeedsEight) {
  const auto r = bursts_of(drift, {2, nan, 2, 2, 2, nan, 2, 2, 2, 2});
  const auto e = estimate_metric(r, drift, 0, 10);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->valid, 8);
  EXPECT_EQ(e->bursts, 10);
  EXPECT_FALSE(estimate_metric(r, drift, 0, 9)) << "seven valid bursts give no interval";
  EXPECT_FALSE(estimate_metric(r, twin, 0, 10)) << "not measured";
}

TEST(Looks, FollowEachOtherUpToTheCap) {
  EXPECT_EQ(next_look(0), 12);
  EXPECT_EQ(next_look(11), 12);
  EXPECT_EQ(next_look(12), 18);
  EXPECT_EQ(next_look(18), 27);
  EXPECT_EQ(next_look(39), 40);
  EXPECT_EQ(next_look(59), 60);
  EXPECT_EQ(next_look(60), std::nullopt);
  EXPECT_EQ(next_look(200), std::nullopt);
}

TEST(Decide, WaitsForTheFirstLook) {
  const bounds limits{0.9, 1.1};
  EXPECT_EQ(decide(bursts_of(drift, std::vector<double>(11, 1)), drift, limits).result, decision::undecided);
  EXPECT_TRUE(decide(bursts_of(drift, std::vector<double>(11, 1)), drift, limits).last)
      << "shown, not judged";
  EXPECT_EQ(decide(bursts_of(drift, std::vector<double>(12, 1)), drift, limits).result, decision::inside);
}

TEST(Decide, StandsByTheFirstLookThatDecides) {
  std::vector<double> ratios(12, 1.0);
  ratios.resize(60, 1.5);  // whatever comes later
  const auto d = decide(bursts_of(drift, ratios), drift, {0.9, 1.1});
  EXPECT_EQ(d.result, decision::inside);
  EXPECT_EQ(d.last->bursts, 12);
}

TEST(Decide, GoesOnWhileAnIntervalStraddles) {
  std::vector<double> ratios;
  for (int i = 0; i < 12; ++i) ratios.push_back(i % 3 == 0 ? 1.2 : 1.0);
  ratios.resize(27, 1.0);
  const auto d = decide(bursts_of(drift, ratios), drift, {0.9, 1.1});
  EXPECT_EQ(d.result, decision::inside);
  EXPECT_GT(d.last->bursts, 12);
}

TEST(Decide, LooksOnlyAtTheLooks) {
  // Undecided at 12 and at 18; bursts 19 to 26 would decide, and must not be asked.
  std::vector<double> ratios;
  for (int i = 0; i < 18; ++i) ratios.push_back(i % 2 == 0 ? 1.2 : 1.0);
  ratios.resize(26, 1.0);
  EXPECT_EQ(decide(bursts_of(drift, ratios), drift, {0.9, 1.1}).result, decision::undecided);
  EXPECT_EQ(decide(bursts_of(drift, ratios), drift, {0.9, 1.1}).last->bursts, 18);
}

TEST(Decide, NeverLooksBeyondTheCap) {
  std::vector<double> ratios;
  for (int i = 0; i < 60; ++i) ratios.push_back(i % 2 == 0 ? 1.2 : 1.0);
  ratios.resize(400, 1.0);
  EXPECT_EQ(decide(bursts_of(drift, ratios), drift, {0.9, 1.1}).result, decision::undecided);
}

TEST(Decide, PassesOverALookWithTooFewFastBursts) {
  std::vector<double> ratios(6, nan);
  ratios.resize(18, 1.0);
  const auto d = decide(bursts_of(drift, ratios), drift, {0.9, 1.1});
  EXPECT_EQ(d.result, decision::inside);
  EXPECT_EQ(d.last->bursts, 18);
}

}  // namespace
}  // namespace selectors::gate
