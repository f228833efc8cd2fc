#include "gate/metrics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace selectors::gate {
namespace {

bool is_arm(const std::string& name) {
  return std::find(arm_table().begin(), arm_table().end(), name) != arm_table().end();
}

TEST(MetricTable, NamesEachMetricAndArmOnce) {
  std::set<std::string> metrics;
  for (const auto& m : metric_table()) EXPECT_TRUE(metrics.insert(m.name).second) << m.name;
  std::set<std::string> arms;
  for (const auto& a : arm_table()) EXPECT_TRUE(arms.insert(a).second) << a;
}

TEST(MetricTable, RatiosAreOfTwoDifferentMeasuredArms) {
  for (const auto& m : metric_table()) {
    if (m.kind == metric_kind::exact) {
      EXPECT_EQ(m.unit, "count") << m.name;
      EXPECT_TRUE(arms_of(m).empty()) << m.name;
      continue;
    }
    EXPECT_EQ(m.unit, "ratio") << m.name;
    EXPECT_EQ(m.denominator.empty(), !m.rivals.empty()) << m.name;
    const auto arms = arms_of(m);
    ASSERT_GE(arms.size(), 2U) << m.name;
    EXPECT_EQ(arms.front(), m.numerator) << m.name;
    for (const auto& arm : arms) EXPECT_TRUE(is_arm(arm)) << m.name << " " << arm;
    EXPECT_EQ(std::set<std::string>(arms.begin(), arms.end()).size(), arms.size()) << m.name;
  }
  EXPECT_TRUE(is_arm(std::string(control_arm)));
}

TEST(MetricTable, HoldsEveryCellOfEveryFamily) {
  const auto cells = backends().size() * sizes().size();
  const auto fixed = (backends().size() - 1) * sizes().size();  // with a system call of their own
  const auto count = [](std::string_view family) {
    const auto in_family = [&](const metric& m) { return m.name.starts_with(family); };
    return static_cast<std::size_t>(std::count_if(metric_table().begin(), metric_table().end(), in_family));
  };
  EXPECT_EQ(count("recreate_over_reuse/"), cells);
  EXPECT_EQ(count("select_lead_recreate/"), cells);
  EXPECT_EQ(count("select_lead_reuse/"), cells * ready_sets().size());
  EXPECT_EQ(count("select_lead_empty/"), backends().size());
  EXPECT_EQ(count("overhead_recreate/"), fixed);
  EXPECT_EQ(count("overhead_reuse/"), fixed * ready_sets().size());
  EXPECT_EQ(count("regret/reuse/"), sizes().size() * ready_sets().size());
  EXPECT_EQ(count("regret/recreate/"), sizes().size());
  EXPECT_EQ(count("system_calls/"), cells * 3);
  EXPECT_EQ(count("allocations/"), cells * 2);
  EXPECT_EQ(count("self/"), 2U);
}

TEST(MetricTable, DividesTheSlowerArmByWhatItIsHeldAgainst) {
  const auto expect = [](std::string_view name, std::string_view above, std::string_view below,
                         metric_kind kind) {
    const auto* m = find_metric(name);
    ASSERT_NE(m, nullptr) << name;
    EXPECT_EQ(m->numerator, above) << name;
    EXPECT_EQ(m->denominator, below) << name;
    EXPECT_EQ(m->kind, kind) << name;
  };
  expect("recreate_over_reuse/poll/8", "recreate/poll/8", "reuse/poll/8/all", metric_kind::drift);
  expect("select_lead_recreate/epoll/32", "recreate/epoll/32", "raw_recreate/select/32", metric_kind::drift);
  expect("select_lead_reuse/epoll/128/one", "reuse/epoll/128/one", "raw_reuse/select/128/one",
         metric_kind::drift);
  expect("select_lead_empty/poll", "empty/poll", "raw_empty/select", metric_kind::drift);
  expect("overhead_reuse/epoll/32/all", "reuse/epoll/32/all", "raw_reuse/epoll/32/all", metric_kind::twin);
  expect("overhead_recreate/poll/8", "recreate/poll/8", "raw_recreate/poll/8", metric_kind::twin);
  expect(twin_metric, "twin/reuse/epoll/32", "reuse/epoll/32/all", metric_kind::self);
  expect(injected_metric, "injected/reuse/epoll/32", "reuse/epoll/32/all", metric_kind::self);
}

TEST(MetricTable, HoldsTheAdaptiveBackendAgainstEveryFixedOne) {
  const auto* m = find_metric("regret/reuse/32/one");
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->kind, metric_kind::twin);
  EXPECT_EQ(m->numerator, "reuse/adaptive/32/one");
  EXPECT_EQ(m->rivals,
            (std::vector<std::string>{"reuse/epoll/32/one", "reuse/poll/32/one", "reuse/select/32/one"}));
  EXPECT_EQ(find_metric("overhead_reuse/adaptive/32/one"), nullptr) << "there is no such system call";
}

TEST(MetricTable, FindsNothingUnderAnUnknownName) {
  EXPECT_EQ(find_metric("overhead_reuse/epoll/64/all"), nullptr);
  EXPECT_EQ(find_metric(""), nullptr);
}

TEST(MetricKind, HasAWordForEach) {
  EXPECT_EQ(to_string(metric_kind::drift), "drift");
  EXPECT_EQ(to_string(metric_kind::twin), "twin");
  EXPECT_EQ(to_string(metric_kind::exact), "exact");
  EXPECT_EQ(to_string(metric_kind::self), "self");
}

TEST(Pattern, StarStandsForExactlyOneComponent) {
  EXPECT_TRUE(matches_pattern("a/*/c", "a/b/c"));
  EXPECT_TRUE(matches_pattern("a/b/c", "a/b/c"));
  EXPECT_TRUE(matches_pattern("*/*", "a/b"));
  EXPECT_FALSE(matches_pattern("a/*", "a/b/c"));
  EXPECT_FALSE(matches_pattern("a/*/c", "a/c"));
  EXPECT_FALSE(matches_pattern("a/b*/c", "a/bb/c"));
  EXPECT_FALSE(matches_pattern("a/*/c", "a/b/d"));
  EXPECT_FALSE(matches_pattern("*", "a/b"));
}

TEST(NearestName, ForgivesASlipAndNotAnotherWord) {
  const std::vector<std::string> known{"lower", "upper", "reviewed"};
  EXPECT_EQ(nearest_name("uper", known), "upper");
  EXPECT_EQ(nearest_name("reviewd", known), "reviewed");
  EXPECT_EQ(nearest_name("comment", known), std::nullopt);
  EXPECT_EQ(nearest_name("upper", {}), std::nullopt);
}

}  // namespace
}  // namespace selectors::gate
