// The programs of the lab, as a user meets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gate/measurement.hpp"
#include "gate/metrics.hpp"
#include "harness/process.hpp"

namespace selectors::perf {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const std::string tools = std::string(SELECTORS_TOOLS) + "/";

class Tool : public testing::Test {
 protected:
  Tool() { fs::create_directories(folder); }
  ~Tool() override { fs::remove_all(folder); }

  fs::path folder =
      fs::path(testing::TempDir()) /
      (std::string("selectors_tool_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

long lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

void expect_refusal(const std::vector<std::string>& command, const std::string& words) {
  const auto r = run_process(command);
  EXPECT_EQ(r.exit_code, 2) << command[0] << ": " << r.errors;
  EXPECT_EQ(lines(r.errors), 1) << r.errors;
  EXPECT_NE(r.errors.find(words), std::string::npos) << r.errors;
}

TEST_F(Tool, BurstPrintsItsRounds) {
  const auto r = run_process({tools + "selectors-burst", "--rounds", "3", "--arms", "*reuse/epoll/32*"});
  ASSERT_TRUE(r.succeeded()) << r.errors;
  const auto b = json::parse(r.output);
  EXPECT_EQ(b.at("arms").size(), 6u);
  EXPECT_EQ(b.at("burst").at("rounds").size(), 3u);
  EXPECT_EQ(b.at("burst").at("rounds")[0].size(), 6u);
  EXPECT_EQ(r.errors, "");
}

TEST_F(Tool, BurstRefusesWhatItCannotMeasure) {
  expect_refusal({tools + "selectors-burst", "--arms", "nothing"}, "no arm matches \"nothing\"");
  expect_refusal({tools + "selectors-burst", "--rounds", "0"}, "--rounds");
  expect_refusal({tools + "selectors-burst", "--arms", "control*", "--output", "/nonexistent/file"},
                 "/nonexistent/file");
}

TEST_F(Tool, LabListsEveryArm) {
  const auto r = run_process({tools + "selectors-lab", "--benchmark_list_tests"});
  ASSERT_TRUE(r.succeeded()) << r.errors;
  EXPECT_EQ(lines(r.output), static_cast<long>(gate::arm_table().size()));
}

TEST_F(Tool, LabTakesTheFlagsOfGoogleBenchmark) {
  const auto r = run_process({tools + "selectors-lab", "--benchmark_filter=^empty/poll",
                              "--benchmark_repetitions=3", "--benchmark_format=json"});
  ASSERT_TRUE(r.succeeded()) << r.errors;
  const auto result = json::parse(r.output);
  EXPECT_EQ(result.at("benchmarks")[0].at("repetitions"), 3);
  EXPECT_EQ(result.at("benchmarks")[0].at("run_name"), "empty/poll/iterations:2000/real_time");
  EXPECT_GT(result.at("benchmarks")[0].at("ops/s"), 0);
  EXPECT_TRUE(result.at("context").contains("selectors_build_type"));
}

TEST_F(Tool, LabRefusesUnknownFlags) {
  EXPECT_EQ(run_process({tools + "selectors-lab", "--unknown"}).exit_code, 2);
}

TEST_F(Tool, RegretMeasuresTheCellsThatAreAskedFor) {
  const auto r = run_process({tools + "selectors-regret", "--arms", "reuse,recreate", "--rounds", "1",
                              "--report", folder, "--benchmark_filter=/n=8/"});
  ASSERT_TRUE(r.exit_code == 0 || r.exit_code == 1) << r.errors;  // the machine may be busy
  std::ifstream file(folder / "regret.json");
  const auto result = json::parse(file);
  EXPECT_EQ(result.at("cells").size(), 8u);
  EXPECT_EQ(result.at("arms").size(), 2u);
  EXPECT_EQ(result.at("ok"), r.exit_code == 0);
  EXPECT_FALSE(result.at("whole_grid"));
  EXPECT_TRUE(fs::exists(folder / "regret.md"));
  EXPECT_EQ(r.errors, "");
}

TEST_F(Tool, RegretListsItsCells) {
  const auto r = run_process(
      {tools + "selectors-regret", "--arms", "adversary", "--report", folder, "--benchmark_list_tests"});
  ASSERT_TRUE(r.succeeded()) << r.errors;
  EXPECT_EQ(lines(r.output), 15);
  EXPECT_FALSE(fs::exists(folder / "regret.json"));
}

TEST_F(Tool, RegretRefusesWhatItDoesNotKnow) {
  expect_refusal({tools + "selectors-regret", "--arms", "reuse,recrate"}, "recrate");
  expect_refusal({tools + "selectors-regret", "--rounds", "0"}, "--rounds");
  const auto nothing =
      run_process({tools + "selectors-regret", "--report", folder, "--benchmark_filter=nothing"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_NE(nothing.errors.find("--benchmark_list_tests"), std::string::npos) << nothing.errors;
}

TEST_F(Tool, CountsCoverEveryExactMetric) {
  const auto r = run_process({tools + "selectors-counts"});
  ASSERT_TRUE(r.succeeded()) << r.errors;
  const auto exact = std::count_if(gate::metric_table().begin(), gate::metric_table().end(),
                                   [](const auto& m) { return m.kind == gate::metric_kind::exact; });
  EXPECT_EQ(json::parse(r.output).size(), static_cast<std::size_t>(exact));
}

TEST_F(Tool, DriverWritesWhatTheGateReads) {
  const auto file = folder / "m.json";
  const auto r = run_process({tools + "selectors-perf", "run", "--bursts", "2", "--output", file});
  ASSERT_TRUE(r.succeeded()) << r.errors;
  EXPECT_EQ(lines(r.output), 1) << r.output;
  EXPECT_EQ(r.errors, "");
  gate::problems problems;
  const auto m = gate::read_measurement(file, problems);
  for (const auto& p : problems) ADD_FAILURE() << to_string(p);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->bursts.size(), 2u);
  EXPECT_EQ(m->arms.size(), gate::arm_table().size());
  EXPECT_FALSE(m->interrupted);
  EXPECT_EQ(m->build.binary_sha256.size(), 64u);
}

TEST_F(Tool, DriverMeasuresTheArmsThatWereNamed) {
  const auto file = folder / "m.json";
  const auto r = run_process(
      {tools + "selectors-perf", "run", "--bursts", "1", "--arms", "!(reuse/*)", "--output", file});
  ASSERT_TRUE(r.succeeded()) << r.errors;
  gate::problems problems;
  const auto m = gate::read_measurement(file, problems);
  ASSERT_TRUE(m);
  EXPECT_EQ(std::count(m->arms.begin(), m->arms.end(), "reuse/poll/8/one"), 0);
  EXPECT_EQ(std::count(m->arms.begin(), m->arms.end(), "raw_reuse/poll/8/one"), 1);
}

TEST_F(Tool, DriverThatIsInterruptedKeepsWholeBursts) {
  const auto file = folder / "m.json";
  const auto r = run_process({"timeout", "--preserve-status", "-s", "INT", "2", tools + "selectors-perf",
                              "run", "--bursts", "1000", "--output", file});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_EQ(lines(r.errors), 1) << r.errors;
  EXPECT_NE(r.errors.find("interrupted"), std::string::npos) << r.errors;
  for (const auto& entry : fs::directory_iterator(folder)) EXPECT_EQ(entry.path(), file) << "a half file";
  // On a very slow machine no burst may have ended: then there is no file, and the message says so.
  EXPECT_EQ(fs::exists(file), r.errors.find("nothing kept") == std::string::npos);
  if (!fs::exists(file)) return;
  gate::problems problems;
  const auto m = gate::read_measurement(file, problems);
  ASSERT_TRUE(m);
  EXPECT_TRUE(m->interrupted);
  EXPECT_GE(m->bursts.size(), 1u);
}

TEST_F(Tool, DriverRefusesBadInputInOneLine) {
  const auto perf = tools + "selectors-perf";
  expect_refusal({perf}, "subcommand");
  expect_refusal({perf, "run", "--bursts", "0"}, "--bursts");
  expect_refusal({perf, "run", "--bursts", "1", "--arms", "nothing", "--output", folder / "m.json"},
                 "no arm matches");
  expect_refusal(
      {perf, "run", "--bursts", "1", "--counts", folder / "none.json", "--output", folder / "m.json"},
      "none.json");
  expect_refusal({perf, "run", "--thresholds", folder / "none", "--output", folder / "m.json"}, "none");
}

TEST_F(Tool, DriverThatFailsLeavesAVerdictAndNoOldMeasurement) {
  const auto file = folder / "m.json";
  ASSERT_TRUE(
      run_process({tools + "selectors-perf", "run", "--bursts", "1", "--arms", "control*", "--output", file})
          .succeeded());
  const auto r = run_process({tools + "selectors-perf", "run", "--thresholds", folder / "none", "--output",
                              file, "--report", folder / "report"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_FALSE(fs::exists(file));
  EXPECT_TRUE(fs::exists(folder / "report" / "verdict.json"));
}

}  // namespace
}  // namespace selectors::perf
