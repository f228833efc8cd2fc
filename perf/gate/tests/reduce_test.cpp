#include "gate/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gate/metrics.hpp"
#include "synthetic.hpp"

namespace selectors::gate {
namespace {

constexpr const char* drift = "recreate_over_reuse/epoll/32";
constexpr const char* twin = "overhead_reuse/epoll/32/all";

// Exact times, so that every expectation below is exact too.
measurement still(int bursts = 1) {
  testing::model m;
  m.bursts = bursts;
  m.round_noise = 0;
  m.burst_noise = 0;
  m.slow_share = 0;
  m.arms = testing::arms_of({drift, twin});
  return testing::synthesise(m);
}

std::size_t arm(const measurement& m, std::string_view name) {
  return static_cast<std::size_t>(std::find(m.arms.begin(), m.arms.end(), name) - m.arms.begin());
}

double ratio(const reduction& r, std::string_view metric, std::size_t burst = 0) {
  const auto column = std::find(r.metrics.begin(), r.metrics.end(), metric) - r.metrics.begin();
  return std::exp(r.bursts.at(burst).log_ratios.at(static_cast<std::size_t>(column)));
}

/// The first `count` rounds: everything slow, unlike work by an unlike amount.
void slow_down(measurement& m, std::size_t count, double control_factor) {
  for (std::size_t r = 0; r < count; ++r) {
    auto& round = m.bursts[0].rounds[r];
    round[arm(m, control_arm)] *= control_factor;
    round[arm(m, "recreate/epoll/32")] *= 1.5;
    round[arm(m, "reuse/epoll/32/all")] *= 1.2;
    round[arm(m, "raw_reuse/epoll/32/all")] *= 1.2;
  }
}

TEST(Reduce, TakesTheRatioOfTheTwoArms) {
  const auto r = reduce(still(), std::nullopt);
  EXPECT_NEAR(ratio(r, drift), testing::usual_ratio(drift), 1e-3);
  EXPECT_NEAR(ratio(r, twin), 1.02, 1e-3);
  EXPECT_NEAR(ratio(r, injected_metric), 1.05, 1e-3);
  EXPECT_DOUBLE_EQ(r.control_own_fast, 1750);
  EXPECT_EQ(r.bursts[0].kept, 70);
  EXPECT_EQ(r.bursts[0].rounds, 70);
  EXPECT_TRUE(r.non_finite.empty());
}

TEST(Reduce, HoldsTheMetricsWhoseArmsWereMeasured) {
  const auto r = reduce(still(), std::nullopt);
  EXPECT_NE(std::find(r.metrics.begin(), r.metrics.end(), drift), r.metrics.end());
  EXPECT_EQ(std::find(r.metrics.begin(), r.metrics.end(), "select_lead_empty/poll"), r.metrics.end());
}

TEST(Reduce, DropsSlowRoundsForDriftAndKeepsThemForTwins) {
  auto m = still();
  slow_down(m, 60, 1.25);
  const auto r = reduce(m, std::nullopt);
  EXPECT_EQ(r.bursts[0].kept, 10);
  EXPECT_NEAR(ratio(r, drift), testing::usual_ratio(drift), 1e-3)
      << "the median of all rounds would be 25 % off";
  EXPECT_NEAR(ratio(r, twin), 1.02, 1e-3);
}

TEST(Reduce, CountsARoundUpToTheToleranceAndNotBeyond) {
  auto m = still();
  slow_down(m, 60, 1.04);
  EXPECT_EQ(reduce(m, std::nullopt).bursts[0].kept, 70);
  m = still();
  slow_down(m, 60, 1.0401);
  EXPECT_EQ(reduce(m, std::nullopt).bursts[0].kept, 10);
}

TEST(Reduce, NeedsFiveKeptRoundsForAnEstimate) {
  auto m = still();
  slow_down(m, 65, 1.25);
  EXPECT_TRUE(std::isfinite(ratio(reduce(m, std::nullopt), drift)));
  m = still();
  slow_down(m, 66, 1.25);
  // Four of 70 rounds are too few to be the low quantile; the profile knows what fast is.
  EXPECT_TRUE(std::isnan(ratio(reduce(m, 1750), drift)));
  EXPECT_NEAR(ratio(reduce(m, 1750), twin), 1.02, 1e-3);
}

TEST(Reduce, TakesTheReferenceFromWhicheverIsFaster) {
  const auto m = still();
  EXPECT_DOUBLE_EQ(reduce(m, 1700).control_reference, 1700 * 1.02);
  EXPECT_DOUBLE_EQ(reduce(m, 2000).control_reference, 1750);
  // A run that fell wholly into a slow spell is not its own measure of fast.
  EXPECT_EQ(reduce(m, 1500).bursts[0].kept, 0);
}

TEST(Reduce, TakesTheFastestRivalOfTheWholeRun) {
  constexpr auto regret = "regret/recreate/8";
  testing::model quiet{
      .bursts = 2, .round_noise = 0, .burst_noise = 0, .slow_share = 0, .factor = {}, .arms = {}};
  quiet.arms = testing::arms_of({regret});
  auto m = testing::synthesise(quiet);
  const auto set = [&](std::size_t burst, std::size_t round, std::string_view name, double time) {
    m.bursts[burst].rounds[round][arm(m, name)] = time;
  };
  // In every round one of the fixed ones takes 80, but only poll takes 100 as a rule.
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t r = 0; r < m.bursts[b].rounds.size(); ++r) {
      set(b, r, "recreate/adaptive/8", 110);
      set(b, r, "recreate/poll/8", r % 5 == 0 ? 80 : 100);
      set(b, r, "recreate/select/8", r % 5 < 3 ? 300 : 80);
      set(b, r, "recreate/epoll/8", 900);
    }
  }
  EXPECT_NEAR(ratio(reduce(m, std::nullopt), regret), 1.1, 1e-9);
  // The second burst makes up its mind no differently from the first, although poll is slow there.
  for (std::size_t r = 0; r < 30; ++r) set(1, r, "recreate/poll/8", 330);
  EXPECT_NEAR(ratio(reduce(m, std::nullopt), regret, 1), 1.1, 1e-9);
}

TEST(Reduce, HasNoRegretWhereARivalWasNotMeasured) {
  auto m = still();
  m.arms = {std::string(control_arm), "recreate/adaptive/8", "recreate/poll/8", "recreate/epoll/8"};
  m.bursts[0].rounds = {{1, 2, 3, 4}};
  EXPECT_TRUE(reduce(m, std::nullopt).metrics.empty());
}

TEST(Reduce, MarksTimesThatAreNoTimes) {
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto m = still();
    m.bursts[0].rounds[69][arm(m, "raw_reuse/epoll/32/all")] = bad;
    const auto r = reduce(m, std::nullopt);
    EXPECT_EQ(r.non_finite, std::vector<std::string>{twin}) << bad;
  }
}

TEST(Reduce, HasNoFastStateWithoutAControl) {
  auto m = still();
  m.arms[arm(m, control_arm)] = "renamed";
  const auto r = reduce(m, std::nullopt);
  EXPECT_TRUE(std::isnan(r.control_own_fast));
  EXPECT_EQ(r.bursts[0].kept, 0);
}

}  // namespace
}  // namespace selectors::gate
