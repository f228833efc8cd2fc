#include "gate/propose.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "gate/judge.hpp"
#include "gate/metrics.hpp"
#include "support.hpp"
#include "synthetic.hpp"

namespace selectors::gate {
namespace {

using nlohmann::json;
using testing::has_code;
using testing::joined;
using testing::model;
using testing::replaced;
using testing::slurp;
using testing::spill;
using testing::synthesise;
using testing::temporary_folder;
using testing::test_day;

std::vector<measurement> runs(int files = 8, int bursts = 25, double round_noise = 0.02) {
  std::vector<measurement> out;
  for (int i = 0; i < files; ++i) {
    model m;
    m.bursts = bursts;
    m.round_noise = round_noise;
    m.seed = 500 + static_cast<std::uint64_t>(i);
    out.push_back(synthesise(m));
  }
  return out;
}

proposal_request request() {
  proposal_request r;
  r.profile = "new-class";
  r.proposed_by = "A. Proposer";
  r.when = test_day();
  r.evidence = "evidence/new-class.json";
  return r;
}

std::string refusal(const std::vector<measurement>& given) {
  std::vector<std::string> faults;
  EXPECT_FALSE(propose(given, request(), faults));
  std::string all;
  for (const auto& f : faults) all += f + "\n";
  return all;
}

TEST(Propose, DraftsAProfileThatLacksOnlyItsReviewer) {
  std::vector<std::string> faults;
  const auto draft = propose(runs(), request(), faults);
  ASSERT_TRUE(draft) << ::testing::PrintToString(faults);
  const temporary_folder folder;
  spill(folder / "new-class.json", draft->profile_text);
  spill(folder / "evidence/new-class.json", draft->evidence_text);
  problems found;
  load_profile(folder / "new-class.json", test_day(), found);
  ASSERT_EQ(found.size(), 1U) << joined(found);
  EXPECT_EQ(found.front().code, "E_REVIEW");
  EXPECT_EQ(found.front().path, "$.review.reviewed_by");
  found.clear();
  spill(folder / "new-class.json",
        replaced(draft->profile_text, "\"reviewed_by\":\"\"", "\"reviewed_by\":\"B. Reviewer\""));
  const auto p = load_profile(folder / "new-class.json", test_day(), found);
  ASSERT_TRUE(p) << joined(found);
  EXPECT_TRUE(p->match->fits(testing::example_machine()));
  EXPECT_EQ(p->match->wanted.kernel, "6.18");

  threshold_set set{{testing::portable_limits(), *p}};
  check_coverage(set, found);
  EXPECT_TRUE(found.empty()) << joined(found);
  model m;
  m.bursts = 60;
  m.seed = 77;
  EXPECT_EQ(judge(synthesise(m), set).code, exit_code::pass) << judge(synthesise(m), set).summary;
  m.factor["recreate/epoll/32"] = 1.15;
  EXPECT_EQ(judge(synthesise(m), set).code, exit_code::outside);
}

TEST(Propose, GivesEveryLimitRoomForTheNoiseAndRoundsItOutward) {
  std::vector<std::string> faults;
  const auto draft = propose(runs(), request(), faults);
  ASSERT_TRUE(draft);
  const auto profile = json::parse(draft->profile_text);
  std::size_t drift = 0;
  for (const auto& m : metric_table()) drift += m.kind == metric_kind::drift ? 1 : 0;
  EXPECT_EQ(profile["limits"].size(), drift);
  for (const auto& l : profile["limits"]) {
    const double centre = l["reviewed"];
    EXPECT_NEAR(centre, testing::usual_ratio(l["metric"]), 0.01 * centre) << l["metric"];
    EXPECT_LE(l["lower"].get<double>(), centre * 0.9701) << l["metric"];
    EXPECT_GE(l["upper"].get<double>(), centre * 1.0299) << l["metric"];
    EXPECT_GT(l["lower"].get<double>(), centre * 0.9) << l["metric"];
    EXPECT_LT(l["upper"].get<double>(), centre * 1.1) << l["metric"];
  }
}

TEST(Propose, WidensTheLimitsOfANoisierMachine) {
  std::vector<std::string> faults;
  const auto quiet = propose(runs(8, 25, 0.01), request(), faults);
  const auto noisy = propose(runs(8, 25, 0.05), request(), faults);
  ASSERT_TRUE(quiet);
  ASSERT_TRUE(noisy) << ::testing::PrintToString(faults);
  const auto width = [](const proposal& p) {
    const auto l = json::parse(p.profile_text)["limits"][0];
    return (l["upper"].get<double>() - l["lower"].get<double>()) / l["reviewed"].get<double>();
  };
  EXPECT_GT(width(*noisy), 1.5 * width(*quiet));
}

TEST(Propose, IncludesTheOverheadsOnRequest) {
  auto r = request();
  r.with_twins = true;
  r.revision = 7;
  std::vector<std::string> faults;
  const auto draft = propose(runs(), r, faults);
  ASSERT_TRUE(draft);
  const auto profile = json::parse(draft->profile_text);
  EXPECT_EQ(profile["revision"], 7);
  EXPECT_EQ(profile["limits"][0]["metric"], "overhead_reuse/epoll/8/all");
  EXPECT_LE(profile["limits"][0]["lower"].get<double>(), 1.02 * 0.99);
}

TEST(Propose, RefusesRunsThatMustNotBecomeLimits) {
  EXPECT_NE(refusal({}).find("no measurement"), std::string::npos);
  EXPECT_NE(refusal(runs(7)).find("175 bursts"), std::string::npos);
  auto given = runs();
  for (auto& m : given) m.build.dirty = true;
  EXPECT_NE(refusal(given).find("dirty"), std::string::npos);
  given = runs();
  for (auto& m : given) m.build.type = "Debug";
  EXPECT_NE(refusal(given).find("Debug"), std::string::npos);
}

TEST(Propose, RefusesToMixMachinesOrBuilds) {
  auto given = runs();
  given[3].machine.cpus = 4;
  given[5].build.binary_sha256 = std::string(64, 'c');
  const auto said = refusal(given);
  EXPECT_NE(said.find("measurement 4 is of another"), std::string::npos);
  EXPECT_NE(said.find("measurement 6 is of another"), std::string::npos);
}

TEST(Propose, RefusesWhenAnArmIsMissing) {
  model m;
  m.bursts = 200;
  m.arms = testing::arms_of({"recreate_over_reuse/epoll/32"});
  EXPECT_NE(refusal({synthesise(m)}).find("select_lead_empty/poll has no estimate"), std::string::npos);
}

}  // namespace
}  // namespace selectors::gate
