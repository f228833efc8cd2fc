// Bursts of a real machine on which other work was running, replayed: what the gate says about noise that nobody made
// up. recorded/busy-machine.json was measured by selectors-perf.

#include <gtest/gtest.h>

#include <cmath>

#include "gate/evidence.hpp"
#include "gate/gates.hpp"
#include "gate/judge.hpp"
#include "gate/metrics.hpp"
#include "support.hpp"

namespace selectors::gate {
namespace {

class Recorded : public ::testing::Test {
 protected:
  Recorded() {
    problems found;
    auto e = read_evidence(testing::sources() / "recorded/busy-machine.json", found);
    EXPECT_TRUE(e) << testing::joined(found);
    if (e) data_ = std::move(e->data);
  }

  /// `data_` with every ratio larger by `factor`.
  reduction slower(double factor) const {
    auto out = data_;
    for (auto& b : out.bursts) {
      for (auto& value : b.log_ratios) value += std::log(factor);
    }
    return out;
  }

  /// Over all twin metrics: how many the whole recording judges so, against +-`half` around what was measured.
  int count(const reduction& run, double half, decision wanted) const {
    int found = 0;
    for (const auto& m : metric_table()) {
      if (m.kind != metric_kind::twin) continue;
      const auto truth = estimate_metric(data_, m.name, 0, data_.bursts.size());
      if (!truth) continue;  // the table has grown since
      const bounds limits{truth->centre * (1 - half), truth->centre * (1 + half)};
      found += decide(run, m.name, limits).result == wanted ? 1 : 0;
    }
    return found;
  }

  reduction data_;
};

constexpr int twins = 27;

TEST_F(Recorded, HoldsAWholeRun) {
  EXPECT_EQ(data_.bursts.size(), 60U);
  EXPECT_EQ(data_.arms.size(), 63U);
  EXPECT_EQ(data_.metrics.size(), 68U);
  EXPECT_TRUE(data_.non_finite.empty());
}

TEST_F(Recorded, RaisesNoFalseAlarm) {
  EXPECT_EQ(count(data_, 0.03, decision::outside), 0);
  EXPECT_EQ(count(data_, 0.03, decision::inside), twins);
}

TEST_F(Recorded, SeesEverySlowdownBeyondTheLimit) {
  EXPECT_EQ(count(slower(1.05), 0.03, decision::inside), 0) << "5 % is never taken for good";
  EXPECT_EQ(count(slower(1.10), 0.03, decision::outside), twins);
  EXPECT_EQ(count(slower(0.90), 0.03, decision::outside), twins);
}

TEST_F(Recorded, ShowsTheInjectedSlowdownAndNoContaminationInEachOrdinaryRun) {
  for (const auto& s : gate_slices(data_)) {
    const auto injected = estimate_metric(data_, injected_metric, s.first, s.count);
    ASSERT_TRUE(injected);
    EXPECT_GT(injected->low, 1.01) << "bursts from " << s.first;
    const auto twin = estimate_metric(data_, twin_metric, s.first, s.count);
    ASSERT_TRUE(twin);
    EXPECT_LT(twin->low, 1.005);
    EXPECT_GT(twin->high, 0.995);
  }
}

}  // namespace
}  // namespace selectors::gate
