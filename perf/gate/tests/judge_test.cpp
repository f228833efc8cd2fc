#include "gate/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gate/evidence.hpp"
#include "synthetic.hpp"

namespace selectors::gate {
namespace {

using testing::both;
using testing::model;
using testing::synthesise;

constexpr const char* slow_arm = "reuse/poll/32/all";
constexpr const char* slow_metric = "overhead_reuse/poll/32/all";

model enough() {
  model m;
  m.bursts = 60;
  return m;
}

threshold_set portable_only() {
  return {{testing::portable_limits()}};
}

const metric_verdict& row(const verdict& v, std::string_view metric) {
  const auto found = std::find_if(v.metrics.begin(), v.metrics.end(),
                                  [&](const metric_verdict& r) { return r.metric == metric; });
  if (found == v.metrics.end()) throw std::runtime_error("no such row");
  return *found;
}

measurement without_arm(measurement m, std::string_view arm) {
  const auto at = std::find(m.arms.begin(), m.arms.end(), arm) - m.arms.begin();
  m.arms.erase(m.arms.begin() + at);
  for (auto& b : m.bursts) {
    for (auto& r : b.rounds) r.erase(r.begin() + at);
  }
  return m;
}

void set_times(measurement& m, std::string_view arm, double time) {
  const auto at = static_cast<std::size_t>(std::find(m.arms.begin(), m.arms.end(), arm) - m.arms.begin());
  for (auto& b : m.bursts) {
    for (auto& r : b.rounds) r[at] = time;
  }
}

TEST(Judge, PassesWhatKeepsEveryLimit) {
  const auto v = judge(synthesise(enough()), both());
  EXPECT_EQ(v.code, exit_code::pass) << v.summary;
  EXPECT_EQ(v.metrics.size(), metric_table().size());
  EXPECT_TRUE(v.drift_judged);
  EXPECT_EQ(v.profiles.size(), 2U);
  EXPECT_FALSE(needs_more(v));
}

TEST(Judge, FailsARegressionAndNamesIt) {
  auto m = enough();
  m.factor[slow_arm] = 1.10;
  const auto v = judge(synthesise(m), both());
  EXPECT_EQ(v.code, exit_code::outside);
  EXPECT_EQ(row(v, slow_metric).result, outcome::outside);
  EXPECT_NE(v.summary.find(slow_metric), std::string::npos);
  EXPECT_NE(row(v, slow_metric).reason.find("above the limit 1.05"), std::string::npos);
}

TEST(Judge, FailsADriftForTheBetter) {
  auto m = enough();
  m.factor["recreate/poll/8"] = 0.9;
  const auto v = judge(synthesise(m), both());
  EXPECT_EQ(v.code, exit_code::outside);
  EXPECT_EQ(row(v, "recreate_over_reuse/poll/8").result, outcome::outside);
  EXPECT_NE(row(v, "recreate_over_reuse/poll/8").reason.find("below the limit"), std::string::npos);
  EXPECT_EQ(row(v, "overhead_recreate/poll/8").result, outcome::inside) << "a promise has no lower limit";
}

TEST(Judge, SeesAHalvedRatio) {
  auto m = enough();
  m.factor["recreate/epoll/32"] = 0.5;
  EXPECT_EQ(judge(synthesise(m), both()).code, exit_code::outside);
}

TEST(Judge, CannotTellWhileAnIntervalStraddlesItsLimit) {
  auto m = enough();
  m.factor[slow_arm] = 1.05 / 1.02;
  m.bursts = 18;
  m.seed = 3;
  auto v = judge(synthesise(m), both());
  EXPECT_EQ(row(v, slow_metric).result, outcome::undecided);
  EXPECT_EQ(v.code, exit_code::too_noisy) << v.summary;
  EXPECT_TRUE(needs_more(v));
  m.bursts = 60;
  v = judge(synthesise(m), both());
  EXPECT_EQ(v.code, exit_code::too_noisy);
  EXPECT_FALSE(needs_more(v)) << "the cap is reached";
  EXPECT_NE(row(v, slow_metric).reason.find("after 60 bursts"), std::string::npos);
}

TEST(Judge, CallsTooFewBurstsNoDataAndAsksForMore) {
  auto m = enough();
  m.bursts = 11;
  const auto v = judge(synthesise(m), both());
  EXPECT_EQ(v.code, exit_code::bad_input);
  EXPECT_EQ(v.summary, "no data: 11 bursts, the first look needs 12");
  EXPECT_TRUE(needs_more(v));
}

TEST(Judge, CallsAnEmptyMeasurementNoDataAndAsksForMore) {
  auto m = enough();
  m.bursts = 0;
  const auto v = judge(synthesise(m), both());
  EXPECT_EQ(v.code, exit_code::bad_input);
  EXPECT_EQ(row(v, slow_metric).result, outcome::no_data);
  EXPECT_TRUE(needs_more(v));
}

TEST(Judge, NamesTheArmThatIsMissing) {
  const auto v = judge(without_arm(synthesise(enough()), slow_arm), both());
  EXPECT_EQ(v.code, exit_code::bad_input);
  EXPECT_EQ(row(v, slow_metric).result, outcome::no_data);
  EXPECT_EQ(row(v, slow_metric).reason, "arm reuse/poll/32/all was not measured");
  EXPECT_NE(v.summary.find(slow_metric), std::string::npos);
  EXPECT_FALSE(needs_more(v)) << "more bursts would not bring it";
}

TEST(Judge, GuessesTheOldNameOfARenamedArm) {
  auto m = synthesise(enough());
  std::replace(m.arms.begin(), m.arms.end(), std::string(slow_arm), std::string("reuse/poll/32/al"));
  const auto v = judge(m, both());
  EXPECT_EQ(v.code, exit_code::bad_input);
  EXPECT_TRUE(std::any_of(v.notes.begin(), v.notes.end(), [](const std::string& note) {
    return note == "arm reuse/poll/32/al is measured, and no metric knows it; was reuse/poll/32/all renamed?";
  }));
}

TEST(Judge, NeedsTheControlForDriftAndTheSelfArmsAlways) {
  EXPECT_EQ(judge(without_arm(synthesise(enough()), control_arm), both()).code, exit_code::bad_input);
  EXPECT_EQ(judge(without_arm(synthesise(enough()), control_arm), portable_only()).code, exit_code::pass);
  EXPECT_EQ(judge(without_arm(synthesise(enough()), "twin/reuse/epoll/32"), portable_only()).code,
            exit_code::bad_input);
  EXPECT_EQ(judge(without_arm(synthesise(enough()), "injected/reuse/epoll/32"), portable_only()).code,
            exit_code::bad_input);
}

TEST(Judge, NeverPassesATimeThatIsNoTime) {
  for (const double bad : {0.0, -5.0, std::nan(""), HUGE_VAL}) {
    auto m = synthesise(enough());
    set_times(m, "raw_reuse/poll/32/all", bad);
    const auto v = judge(m, both());
    EXPECT_EQ(v.code, exit_code::broken) << bad;
    EXPECT_EQ(row(v, slow_metric).result, outcome::broken) << bad;
    EXPECT_FALSE(needs_more(v));
  }
}

TEST(Judge, CallsARunContaminatedWhenItsTwinsDiffer) {
  auto m = enough();
  m.factor["twin/reuse/epoll/32"] = 1.02;
  const auto v = judge(synthesise(m), both());
  EXPECT_EQ(v.code, exit_code::broken);
  EXPECT_EQ(row(v, twin_metric).result, outcome::broken);
  EXPECT_NE(v.summary.find("self/twin"), std::string::npos);
}

TEST(Judge, TellsNoiseFromContaminationAtTheCap) {
  auto m = enough();
  m.factor["twin/reuse/epoll/32"] = 1.006;
  auto v = judge(synthesise(m), both());
  ASSERT_LT(*row(v, twin_metric).low, 1.005) << "it must straddle the limit";
  EXPECT_EQ(row(v, twin_metric).result, outcome::broken) << "without 1 in its interval";
  m.bursts = 40;
  v = judge(synthesise(m), both());
  EXPECT_EQ(row(v, twin_metric).result, outcome::undecided) << "before the cap more bursts may tell";
  m.bursts = 60;
  m.round_noise = 0.1;
  v = judge(synthesise(m), both());
  ASSERT_LT(*row(v, twin_metric).low, 1);
  EXPECT_EQ(row(v, twin_metric).result, outcome::undecided) << "with 1 in its interval";
}

TEST(Judge, IsBlindWhenItDoesNotSeeItsOwnSlowdown) {
  auto m = enough();
  m.factor["injected/reuse/epoll/32"] = 1 / 1.05;
  auto v = judge(synthesise(m), both());
  EXPECT_EQ(v.code, exit_code::broken);
  EXPECT_NE(row(v, injected_metric).reason.find("blind"), std::string::npos);
  m.factor["injected/reuse/epoll/32"] = 0.9 / 1.05;
  v = judge(synthesise(m), both());
  EXPECT_EQ(v.code, exit_code::broken) << "faster is not slower";
}

TEST(Judge, IsTooNoisyWhenItCannotTellItsOwnSlowdown) {
  auto m = enough();
  m.factor["injected/reuse/epoll/32"] = 1.03 / 1.05;
  const auto v = judge(synthesise(m), both());
  EXPECT_EQ(row(v, injected_metric).result, outcome::undecided);
  EXPECT_EQ(v.code, exit_code::too_noisy);
}

TEST(Judge, ComparesCountsExactly) {
  auto m = synthesise(enough());
  const auto at = std::find_if(m.counts.begin(), m.counts.end(),
                               [](const counted& c) { return c.metric == "system_calls/reuse/epoll/8"; });
  for (const double wrong : {2.0, 0.0, 1.001}) {
    at->value = wrong;
    const auto v = judge(m, both());
    EXPECT_EQ(v.code, exit_code::outside) << wrong;
    EXPECT_NE(row(v, "system_calls/reuse/epoll/8").reason.find("expected 1"), std::string::npos);
  }
  at->value = std::nan("");
  EXPECT_EQ(judge(m, both()).code, exit_code::broken);
  m.counts.erase(at);
  EXPECT_EQ(judge(m, both()).code, exit_code::bad_input);
}

TEST(Judge, RefusesBuildsThatAreNotTheReleasedOne) {
  auto m = synthesise(enough());
  m.build.type = "Debug";
  EXPECT_EQ(judge(m, both()).code, exit_code::broken);
  EXPECT_EQ(judge(m, both()).summary, "a Debug build was measured, expected Release");
  m.build.type = "Release";
  m.build.sanitizers = {"address"};
  EXPECT_EQ(judge(m, both()).code, exit_code::broken);
}

TEST(Judge, LetsMissingDataOutweighABrokenRunAndThatARegression) {
  auto m = enough();
  m.factor[slow_arm] = 1.2;
  EXPECT_EQ(judge(synthesise(m), both()).code, exit_code::outside);
  m.factor["twin/reuse/epoll/32"] = 1.02;
  EXPECT_EQ(judge(synthesise(m), both()).code, exit_code::broken);
  EXPECT_EQ(judge(without_arm(synthesise(m), "reuse/poll/8/all"), both()).code, exit_code::bad_input);
  m.factor.erase("twin/reuse/epoll/32");
  m.factor["reuse/poll/8/all"] = 1.05 / 1.02;
  const auto v = judge(synthesise(m), both());
  EXPECT_EQ(row(v, "overhead_reuse/poll/8/all").result, outcome::undecided);
  EXPECT_EQ(v.code, exit_code::outside) << "what was seen outweighs what is noisy";
}

TEST(Judge, TakesAnInterruptedRunForNoDataUnlessItDecidedEverything) {
  auto m = synthesise(enough());
  m.interrupted = true;
  EXPECT_EQ(judge(m, both()).code, exit_code::pass);
  m.bursts.resize(12);
  const auto v = judge(m, both());
  ASSERT_EQ(row(v, twin_metric).result, outcome::undecided);
  EXPECT_EQ(v.code, exit_code::bad_input);
  EXPECT_NE(v.summary.find("interrupted after 12 bursts"), std::string::npos);
}

TEST(Judge, SaysThatDriftWasNotJudgedWithoutAProfile) {
  auto m = synthesise(enough());
  m.machine.cpus = 64;
  auto v = judge(m, both());
  EXPECT_EQ(v.code, exit_code::pass);
  EXPECT_FALSE(v.drift_judged);
  EXPECT_EQ(v.notes.front(), "drift not judged: no profile for this machine");
  EXPECT_EQ(row(v, "select_lead_empty/epoll").result, outcome::not_judged);
  EXPECT_TRUE(row(v, "select_lead_empty/epoll").value) << "shown all the same";
  v = judge(m, both(), {true});
  EXPECT_EQ(v.code, exit_code::bad_input);
  EXPECT_EQ(v.summary, "no profile for this machine, and one is required");
}

TEST(Judge, RefusesToChooseBetweenTwoProfiles) {
  auto set = both();
  set.profiles.push_back(set.profiles.back());
  set.profiles.back().name = "example-twin";
  const auto v = judge(synthesise(enough()), set);
  EXPECT_EQ(v.code, exit_code::bad_input);
  EXPECT_EQ(v.summary, "the profiles example-class and example-twin both match this machine: narrow one");
}

TEST(Judge, DistrustsAControlFarFromTheReviewedOne) {
  auto set = both();
  auto v = judge(synthesise(enough()), set);
  ASSERT_EQ(v.code, exit_code::pass);
  set.profiles.back().control->fast = 1500;  // the run never was that fast
  v = judge(synthesise(enough()), set);
  EXPECT_EQ(v.code, exit_code::too_noisy);
  EXPECT_NE(row(v, "select_lead_empty/epoll").reason.find("never idle"), std::string::npos);
  set.profiles.back().control->fast = 2000;  // and here faster than the machine ever was
  v = judge(synthesise(enough()), set);
  EXPECT_EQ(v.code, exit_code::broken);
  EXPECT_NE(row(v, "select_lead_empty/epoll").reason.find("propose anew"), std::string::npos);
}

TEST(Judge, TakesTheControlsShiftFromTheProfile) {
  const auto measured = synthesise(enough());
  const double own = reduce(measured, std::nullopt).control_own_fast;
  const auto code_at_shift = [&](double shift) {
    auto set = both();
    set.profiles.back().control->fast = own / (1 + shift);
    return judge(measured, set).code;
  };
  EXPECT_EQ(code_at_shift(0.049), exit_code::pass);
  EXPECT_EQ(code_at_shift(0.051), exit_code::too_noisy);
  EXPECT_EQ(code_at_shift(-0.049), exit_code::pass);
  EXPECT_EQ(code_at_shift(-0.051), exit_code::broken);
}

TEST(Judge, SaysInHowManyBurstsTheMachineWasFast) {
  auto m = enough();
  m.slow_share = 0;
  m.bursts = 40;
  auto measured = synthesise(m);
  for (std::size_t b = 5; b < 40; ++b) {
    for (auto& round : measured.bursts[b].rounds) {
      for (double& time : round) time *= 1.25;
    }
  }
  const auto v = judge(measured, both());
  EXPECT_EQ(v.code, exit_code::too_noisy) << v.summary;
  EXPECT_NE(row(v, "select_lead_empty/epoll").reason.find("fast in 5 of 40 bursts, 8 are needed"),
            std::string::npos)
      << row(v, "select_lead_empty/epoll").reason;
}

TEST(Judge, ShowsUngatedMetricsWithoutJudgingThem) {
  auto set = both();
  auto& limits = set.profiles.front().limits;
  limits.erase(
      std::find_if(limits.begin(), limits.end(), [](const limit& l) { return l.metric == slow_metric; }));
  set.profiles.front().ungated = {{slow_metric, "being rewritten", "2026-12-31"},
                                  {"system_calls/reuse/epoll/8", "likewise", "2026-12-31"}};
  auto m = enough();
  m.factor[slow_arm] = 2;
  const auto v = judge(synthesise(m), set);
  EXPECT_EQ(row(v, slow_metric).result, outcome::ungated);
  EXPECT_EQ(row(v, slow_metric).reason, "being rewritten (until 2026-12-31)");
  EXPECT_NEAR(*row(v, slow_metric).value, 2.04, 0.05);
}

TEST(Judge, GivesTheSameVerdictOnEvidence) {
  auto m = enough();
  m.factor["recreate/poll/8"] = 1.1;
  const auto measured = synthesise(m);
  const auto set = both();
  const auto live = judge(measured, set);
  const auto replayed = judge(reduce(measured, set.profiles.back().control->fast), set);
  ASSERT_EQ(live.metrics.size(), replayed.metrics.size());
  for (std::size_t i = 0; i < live.metrics.size(); ++i) {
    EXPECT_EQ(live.metrics[i].result, replayed.metrics[i].result) << live.metrics[i].metric;
  }
  EXPECT_EQ(live.code, replayed.code);
}

TEST(ExitCodes, AreTheDocumentedNumbers) {
  EXPECT_EQ(static_cast<int>(exit_code::pass), 0);
  EXPECT_EQ(static_cast<int>(exit_code::outside), 1);
  EXPECT_EQ(static_cast<int>(exit_code::bad_input), 2);
  EXPECT_EQ(static_cast<int>(exit_code::broken), 3);
  EXPECT_EQ(static_cast<int>(exit_code::too_noisy), 4);
}

// The published quality of the gate: on replayed synthetic machines with slow spells no false alarm, and a 10 % loss
// of one arm always seen.
TEST(GateQuality, RaisesNoFalseAlarmAndMissesNoTenPercent) {
  const auto set = both();
  int alarms = 0;
  int missed = 0;
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    auto m = enough();
    m.seed = seed;
    m.bursts = 27;
    m.arms = testing::arms_of({"recreate_over_reuse/epoll/32", slow_metric});
    const auto good = judge(synthesise(m), set);
    alarms += row(good, "recreate_over_reuse/epoll/32").result == outcome::outside ? 1 : 0;
    alarms += row(good, slow_metric).result == outcome::outside ? 1 : 0;
    m.factor["recreate/epoll/32"] = 1.1;
    m.factor[slow_arm] = 1.1;
    const auto bad = judge(synthesise(m), set);
    missed += row(bad, "recreate_over_reuse/epoll/32").result == outcome::outside ? 0 : 1;
    missed += row(bad, slow_metric).result == outcome::outside ? 0 : 1;
  }
  EXPECT_EQ(alarms, 0);
  EXPECT_EQ(missed, 0);
}

}  // namespace
}  // namespace selectors::gate
