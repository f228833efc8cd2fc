#include "gate/evidence.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gate/gates.hpp"
#include "support.hpp"
#include "synthetic.hpp"

namespace selectors::gate {
namespace {

using testing::has_code;
using testing::joined;
using testing::replaced;
using testing::slurp;
using testing::spill;
using testing::temporary_folder;

constexpr const char* drift = "recreate_over_reuse/epoll/32";

reduction run_of(int bursts, double slow_share = 0.3) {
  testing::model m;
  m.bursts = bursts;
  m.slow_share = slow_share;
  m.arms = testing::arms_of({drift});
  return reduce(testing::synthesise(m), 1700);
}

problems read_text(const std::string& text) {
  const temporary_folder folder;
  spill(folder / "evidence.json", text);
  problems found;
  const bool accepted = read_evidence(folder / "evidence.json", found).has_value();
  EXPECT_EQ(accepted, found.empty());
  return found;
}

TEST(Evidence, ComesBackAsItWasWritten) {
  const temporary_folder folder;
  auto data = run_of(5);
  data.bursts[1].log_ratios[0] = std::nan("");
  data.bursts[2].source = 1;
  spill(folder / "e.json", evidence_text({"example-class", data}));
  problems found;
  const auto e = read_evidence(folder / "e.json", found);
  ASSERT_TRUE(e) << joined(found);
  EXPECT_EQ(e->profile, "example-class");
  EXPECT_EQ(e->data.machine, data.machine);
  EXPECT_EQ(e->data.build, data.build);
  EXPECT_EQ(e->data.protocol, data.protocol);
  EXPECT_EQ(e->data.metrics, data.metrics);
  EXPECT_EQ(e->data.arms, data.arms);
  EXPECT_EQ(e->data.counts.size(), data.counts.size());
  EXPECT_NEAR(e->data.control_reference, data.control_reference, 1e-6);
  ASSERT_EQ(e->data.bursts.size(), 5U);
  EXPECT_EQ(e->data.bursts[2].source, 1);
  EXPECT_TRUE(std::isnan(e->data.bursts[1].log_ratios[0]));
  EXPECT_NEAR(e->data.bursts[3].log_ratios[0], data.bursts[3].log_ratios[0], 1e-6);
  EXPECT_EQ(e->data.bursts[3].kept, data.bursts[3].kept);
  EXPECT_NEAR(e->data.bursts[3].control_median, data.bursts[3].control_median, 1e-6);
}

TEST(Evidence, IsRefusedWhenItDoesNotFitItself) {
  const auto text = evidence_text({"example-class", run_of(2)});
  EXPECT_TRUE(read_text(text).empty());
  EXPECT_TRUE(has_code(read_text(replaced(text, "\"recreate_over_reuse/epoll/32\",", "")), "E_VALUE"));
  EXPECT_TRUE(has_code(read_text(replaced(text, drift, "recreate_over_reuse/epoll/33")), "E_METRIC_ORPHAN"));
  EXPECT_TRUE(has_code(read_text(replaced(text, "\"schema_version\": 1", "\"schema_version\": 9")),
                       "E_SCHEMA_NEWER"));
  EXPECT_TRUE(has_code(read_text(replaced(text, "\"kept\"", "\"kpt\"")), "E_UNKNOWN_KEY"));
  EXPECT_TRUE(has_code(read_text(text.substr(0, 300)), "E_PARSE"));
}

TEST(Gates, CutALongRunIntoOrdinaryOnesAndNeverAcrossFiles) {
  auto data = run_of(75);
  for (std::size_t i = 50; i < 75; ++i) data.bursts[i].source = 1;
  std::size_t covered = 0;
  for (const auto& s : gate_slices(data)) {
    EXPECT_EQ(s.first, covered);
    EXPECT_GE(s.count, 12U) << "a gate of fewer bursts than the first look";
    EXPECT_LT(s.count, 30U);
    EXPECT_EQ(data.bursts[s.first].source, data.bursts[s.first + s.count - 1].source);
    covered += s.count;
  }
  EXPECT_EQ(covered, 75U);
}

TEST(Gates, TellHowFarTheirIntervalsScatter) {
  const auto noise = spread_of(run_of(200), drift);
  ASSERT_TRUE(noise);
  EXPECT_EQ(noise->gates, 10);
  EXPECT_NEAR(noise->centre, testing::usual_ratio(drift), 0.01 * testing::usual_ratio(drift));
  EXPECT_GT(noise->p95_half_width, 0.005);
  EXPECT_LT(noise->p95_half_width, 0.03);
  EXPECT_GE(noise->reach, noise->p95_half_width * 0.9);
  EXPECT_FALSE(spread_of(run_of(200), "select_lead_empty/poll"));
}

TEST(Faults, AreNoneInASoundRunAndNamedOtherwise) {
  EXPECT_TRUE(faults_of(run_of(200)).empty());
  const auto faults_after = [](auto change) {
    auto data = run_of(200);
    change(data);
    return faults_of(data);
  };
  using reductions = reduction&;
  EXPECT_EQ(faults_of(run_of(199)).front(), "199 bursts, expected at least 200");
  EXPECT_EQ(faults_after([](reductions r) { r.build.type = "Debug"; }).size(), 1U);
  EXPECT_EQ(faults_after([](reductions r) { r.build.sanitizers = {"thread"}; }).size(), 1U);
  EXPECT_EQ(faults_after([](reductions r) { r.build.dirty = true; }).size(), 1U);
  EXPECT_EQ(faults_after([](reductions r) { r.build.commit = "unknown"; }).size(), 1U);
  EXPECT_EQ(faults_after([](reductions r) { r.protocol.id = "micro-burst/0"; }).size(), 1U);
  EXPECT_EQ(faults_after([](reductions r) { r.bursts.clear(); }).size(), 3U);
  EXPECT_EQ(faults_after([](reductions r) {
              r.build.type = "Debug";
              r.build.dirty = true;
            }).size(),
            2U)
      << "all of them, not the first";
}

}  // namespace
}  // namespace selectors::gate
