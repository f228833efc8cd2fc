#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "harness/burst.hpp"
#include "harness/facts.hpp"
#include "harness/tools.hpp"

namespace selectors::perf {
namespace {

burst small_burst() {
  burst b;
  b.arms = {"a", "b"};
  b.build = this_build();
  b.rounds = {"2026-11-30T10:00:00Z", 0.25, 3, {{1.25, 2}, {1.5, 2.125}}};
  return b;
}

TEST(Burst, ComesBackAsItWasSent) {
  const auto sent = small_burst();
  const auto back = parse_burst(to_text(sent));
  EXPECT_EQ(back.arms, sent.arms);
  EXPECT_EQ(back.build, sent.build);
  EXPECT_EQ(back.rounds.at, sent.rounds.at);
  EXPECT_EQ(back.rounds.load, sent.rounds.load);
  EXPECT_EQ(back.rounds.involuntary_switches, 3);
  ASSERT_EQ(back.rounds.rounds.size(), 2u);
  EXPECT_EQ(back.rounds.rounds[0], (std::vector<double>{1.25, 2}));
  EXPECT_EQ(back.rounds.rounds[1][1], 2.13);  // hundredths travel
}

TEST(Burst, ThatIsNoJsonIsRefused) {
  EXPECT_THROW(parse_burst(""), std::runtime_error);
  EXPECT_THROW(parse_burst("{}"), std::runtime_error);
  const auto text = to_text(small_burst());
  EXPECT_THROW(parse_burst(text.substr(0, text.size() / 2)), std::runtime_error);
}

TEST(Burst, WithATimeTooFewIsRefused) {
  auto b = small_burst();
  b.rounds.rounds[1].pop_back();
  EXPECT_THROW(parse_burst(to_text(b)), std::runtime_error);
}

TEST(Facts, ComeFromTheFirstProcessor) {
  gate::machine_facts facts;
  read_cpuinfo(
      "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Some CPU @ 2 GHz\nno colon here\n"
      "processor\t: 1\nmodel name\t: Another\n",
      facts);
  EXPECT_EQ(facts.cpu_model, "Some CPU @ 2 GHz");
  EXPECT_EQ(facts.cpu_family, 6);
  EXPECT_EQ(facts.cpu_model_number, 143);
}

TEST(Facts, OfThisMachineAreThere) {
  const auto facts = this_machine();
  EXPECT_FALSE(facts.arch.empty());
  EXPECT_FALSE(facts.cpu_model.empty());
  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_FALSE(facts.virtualization.empty());
  EXPECT_GE(facts.cpus, 1);
}

TEST(Facts, OfATreeWithoutGitAreUnknown) {
  gate::build_facts build;
  add_source_facts(build, "/proc");
  EXPECT_EQ(build.commit, "unknown");
  EXPECT_FALSE(build.dirty);
}

TEST(Facts, NeverCallADebugBuildARelease) {
#if !defined(__OPTIMIZE__)
  EXPECT_NE(this_build().type, "Release");
#endif
  EXPECT_FALSE(this_build().compiler.empty());
}

TEST(Time, IsIso8601InUtc) {
  const auto now = iso_time_now();
  ASSERT_EQ(now.size(), 20u);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now.back(), 'Z');
}

TEST(Counts, AreOneLineForEachKind) {
  EXPECT_EQ(
      to_text({{"system_calls/reuse/epoll/8", 1}, {"system_calls/reuse/epoll/32", 1.5}, {"other/8", 0}}),
      "system_calls/reuse/epoll            8: 1         32: 1.5    \n"
      "other                               8: 0      \n");
}

TEST(Counts, ThatAreNoneAreRefusedByName) {
  const auto file = std::filesystem::path(testing::TempDir()) / "selectors_counts_bad.json";
  std::ofstream(file) << "{\"metric\":";
  try {
    read_counts(file);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find(file.string()), std::string::npos) << e.what();
  }
  std::filesystem::remove(file);
  EXPECT_THROW(read_counts(file), std::runtime_error);
}

TEST(Tools, ThatAreMissingAreNamed) {
  EXPECT_THROW(tool("selectors-nothing"), std::runtime_error);
  EXPECT_THROW(output_of({"/nonexistent/program"}, std::chrono::seconds(5)), std::runtime_error);
}

TEST(Tools, PassOnTheirLastLine) {
  try {
    output_of({"sh", "-c", "echo first >&2; echo last words >&2; exit 5"}, std::chrono::seconds(20));
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "sh ended with 5: last words");
  }
}

TEST(Tools, SayWhenTheMeasurementIsBroken) {
  EXPECT_THROW(output_of({"sh", "-c", "exit 3"}, std::chrono::seconds(20)), broken_measurement);
}

TEST(Tools, ThatAreInterruptedAreNoFailure) {
  const interruption guard;
  std::raise(SIGINT);
  EXPECT_EQ(output_of({"sleep", "1000"}, std::chrono::minutes(1)), "");
}

TEST(Tools, ThatHangAreEnded) {
  EXPECT_THROW(output_of({"sleep", "1000"}, std::chrono::milliseconds(50)), std::runtime_error);
}

}  // namespace
}  // namespace selectors::perf
