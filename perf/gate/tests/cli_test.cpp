#include "gate/cli.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gate/measurement.hpp"
#include "gate/metrics.hpp"
#include "support.hpp"
#include "synthetic.hpp"

namespace selectors::gate {
namespace {

using nlohmann::json;
using testing::copy_good;
using testing::expect_approved;
using testing::finished;
using testing::replaced;
using testing::slurp;
using testing::spill;
using testing::temporary_folder;

const std::vector<std::string> gated{"recreate_over_reuse/epoll/32", "overhead_reuse/epoll/8/all",
                                     "overhead_reuse/epoll/8/one",   "overhead_reuse/epoll/32/all",
                                     "overhead_reuse/epoll/32/one",  "overhead_reuse/epoll/128/all",
                                     "overhead_reuse/epoll/128/one"};

/// One folder with good thresholds and a good measurement; each test spoils one thing.
class Gate : public ::testing::Test {
 protected:
  Gate() {
    copy_good(folder_ / "thresholds");
    // The example's reviews and exemptions have days on them, and the real program looks at the calendar.
    for (const auto* name : {"thresholds/portable.json", "thresholds/example-class.json"}) {
      auto text = slurp(folder_ / name);
      for (auto at = text.find("2026-12-31"); at != text.npos; at = text.find("2026-12-31")) {
        text.replace(at, 10, "2999-12-31");
      }
      if (const auto at = text.find("2026-11-01"); at != text.npos) {
        text = replaced(replaced(text, "2026-11-01", "2026-01-01"), "\"max_age_days\": 180",
                        "\"max_age_days\": 99999");
      }
      spill(folder_ / name, text);
    }
    // Quiet enough that the first look decides all, and only the arms that the example's limits need.
    model_.bursts = 12;
    model_.round_noise = 0.005;
    model_.arms = testing::arms_of(gated);
  }

  void write() { write_measurement(testing::synthesise(model_), measurement_); }

  finished run(std::vector<std::string> extra = {}, const std::string& environment = "GITHUB_ACTIONS=") {
    std::vector<std::string> arguments{"check",      "--measurement", measurement_.string(), "--thresholds",
                                       thresholds(), "--report",      report_.string()};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return testing::run_program(arguments, environment);
  }

  void expect_code(int code, const std::string& said = {}) {
    const auto done = run();
    EXPECT_EQ(done.code, code) << done.output;
    // Long lines are broken at spaces.
    std::string text;
    std::istringstream words(done.output);
    for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
    EXPECT_NE(text.find(said), std::string::npos) << done.output;
    const auto verdict = json::parse(slurp(report_ / "verdict.json"));
    EXPECT_EQ(verdict["code"], code) << "the file says what the program said";
  }

  void edit(const std::filesystem::path& file, const std::string& from, const std::string& to) {
    spill(file, replaced(slurp(file), from, to));
  }

  std::string thresholds() const { return (folder_ / "thresholds").string(); }

  temporary_folder folder_;
  std::filesystem::path measurement_ = folder_ / "measurement.json";
  std::filesystem::path report_ = folder_ / "report";
  testing::model model_;
};

TEST_F(Gate, PassesAGoodMeasurement) {
  write();
  expect_code(0, "profile example-class, revision 2: matches this machine");
  EXPECT_TRUE(std::filesystem::exists(report_ / "junit.xml"));
  EXPECT_TRUE(std::filesystem::exists(report_ / "report.md"));
}

TEST_F(Gate, FailsAHalvedRatio) {
  model_.factor["recreate/epoll/32"] = 0.5;
  write();
  expect_code(1, "recreate_over_reuse/epoll/32");
}

TEST_F(Gate, FailsWhenALimitIsEditedToExcludeWhatIsMeasured) {
  write();
  edit(folder_ / "thresholds/portable.json", "\"upper\": 1.05", "\"upper\": 1.001");
  expect_code(1, "above the limit 1.001");
}

TEST_F(Gate, HasNoDataWithoutAnArm) {
  std::erase(model_.arms, "reuse/epoll/8/one");
  write();
  expect_code(2, "arm reuse/epoll/8/one was not measured");
}

TEST_F(Gate, HasNoDataWhenAnArmIsRenamed) {
  write();
  edit(measurement_, "\"reuse/epoll/8/one\"", "\"reuse/epoll/8/One\"");
  expect_code(2, "was");
}

TEST_F(Gate, RefusesWhatIsNoNumber) {
  write();
  edit(measurement_, "\"load\":0.25", "\"load\":NaN");
  expect_code(2, "E_PARSE expected a finite number, got NaN");
}

TEST_F(Gate, RefusesAnEmptyAndATruncatedFileByLineAndColumn) {
  spill(measurement_, "");
  expect_code(2, "measurement.json:1:1 E_PARSE the file is empty");
  write();
  const auto text = slurp(measurement_);
  spill(measurement_, text.substr(0, text.size() / 3));
  expect_code(2, "measurement.json:");
  const auto limits = slurp(folder_ / "thresholds/portable.json");
  write();
  spill(folder_ / "thresholds/portable.json", limits.substr(0, 300));
  expect_code(2, "portable.json:10:");
}

TEST_F(Gate, RefusesNewerFiles) {
  write();
  edit(measurement_, "\"schema_version\": 1", "\"schema_version\": 2");
  expect_code(2, "E_SCHEMA_NEWER");
  write();
  edit(folder_ / "thresholds/portable.json", "\"schema_version\": 1", "\"schema_version\": 2");
  expect_code(2, "E_SCHEMA_NEWER");
}

TEST_F(Gate, DistrustsADebugBuild) {
  write();
  edit(measurement_, "\"type\":\"Release\"", "\"type\":\"Debug\"");
  expect_code(3, "a Debug build was measured");
}

TEST_F(Gate, DistrustsAContaminatedRunAndABlindGate) {
  model_.factor["twin/reuse/epoll/32"] = 1.02;
  write();
  expect_code(3, "contaminated");
  model_.factor = {{"injected/reuse/epoll/32", 0.96}};
  write();
  expect_code(3, "blind");
}

TEST_F(Gate, CannotTellWhenAMetricSitsOnItsLimit) {
  model_.factor["reuse/epoll/8/one"] = 1.05 / 1.02;
  write();
  expect_code(4, "too noisy (4)");
}

TEST_F(Gate, SaysSoWhenTheMachineIsUnknown) {
  write();
  edit(measurement_, "\"cpus\":2", "\"cpus\":32");
  expect_code(0, "drift not judged: no profile for this machine");
  const auto done = run({"--require-profile"});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.output.find("and one is"), std::string::npos);
}

TEST_F(Gate, RefusesAReportFolderThatCannotBeWritten) {
  write();
  spill(report_, "a file where the folder should be");
  const auto done = run();
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.output.find("E_IO the report files cannot be written"), std::string::npos) << done.output;
}

TEST_F(Gate, AnnotatesInsideGithubActionsOnly) {
  write();
  edit(folder_ / "thresholds/portable.json", "\"upper\": 1.05", "\"upper\": 1.001");
  EXPECT_EQ(run({}, "GITHUB_ACTIONS=").output.find("::error"), std::string::npos);
  EXPECT_NE(run({}, "GITHUB_ACTIONS=true").output.find("::error title=overhead_reuse"), std::string::npos);
}

TEST_F(Gate, IsPlainInAPipe) {
  write();
  EXPECT_EQ(run().output.find('\x1b'), std::string::npos);
}

TEST_F(Gate, ReplaysARecordedMeasurementToTheSameVerdict) {
  write();
  const auto live = run();
  const auto again =
      testing::run_program({"replay", "--measurement", measurement_.string(), "--thresholds", thresholds()});
  EXPECT_EQ(live.code, again.code);
  EXPECT_EQ(live.output, again.output);
}

TEST_F(Gate, CountsTheVerdictsOfTheRunsInARecording) {
  model_.bursts = 60;
  write();
  const auto count = [&] {
    return testing::run_program(
        {"replay", "--gates", "--measurement", measurement_.string(), "--thresholds", thresholds()});
  };
  auto done = count();
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("   3 pass\n   0 too noisy\n   0 outside limits\n"), std::string::npos)
      << done.output;
  model_.factor["reuse/epoll/128/all"] = 1.1;
  write();
  done = count();
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.output.find("   3 outside limits\n"), std::string::npos) << done.output;
}

TEST_F(Gate, ReplaysEvidence) {
  const auto evidence = folder_ / "thresholds/evidence/sound.json";
  const auto done =
      testing::run_program({"replay", "--evidence", evidence.string(), "--thresholds", thresholds()});
  EXPECT_EQ(done.code, 2) << "this evidence holds one metric, and counts of none";
  EXPECT_NE(done.output.find("recreate_over_reuse/epoll/32         16."), std::string::npos) << done.output;
  EXPECT_EQ(
      testing::run_program({"replay", "--evidence", measurement_.string(), "--thresholds", thresholds()})
          .code,
      2);
}

TEST_F(Gate, ValidatesTheFolderAndSingleFilesOfEveryKind) {
  const auto valid = [&](const std::vector<std::string>& arguments) {
    auto all = std::vector<std::string>{"validate", "--thresholds", thresholds()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return testing::run_program(all);
  };
  write();
  run();
  EXPECT_EQ(valid({}).output, "valid\n");
  const auto files =
      valid({measurement_.string(), (report_ / "verdict.json").string(), thresholds() + "/portable.json",
             thresholds() + "/example-class.json", thresholds() + "/evidence/sound.json"});
  EXPECT_EQ(files.code, 0) << files.output;
  edit(folder_ / "thresholds/portable.json", "\"upper\"", "\"uper\"");
  EXPECT_EQ(valid({}).code, 2);
  EXPECT_EQ(valid({thresholds() + "/portable.json"}).code, 2);
  EXPECT_EQ(valid({thresholds() + "/example-class.json"}).code, 2) << "judged beside the portable one";
  EXPECT_EQ(valid({(folder_ / "absent.json").string()}).code, 2);
  spill(folder_ / "odd.json", "{}");
  EXPECT_EQ(valid({(folder_ / "odd.json").string()}).code, 2);
}

TEST_F(Gate, ValidatesRevisionsAgainstAnOlderCopy) {
  std::filesystem::copy(thresholds(), folder_ / "base", std::filesystem::copy_options::recursive);
  edit(folder_ / "thresholds/portable.json", "1.05", "1.06");
  const auto done =
      testing::run_program({"validate", "--thresholds", thresholds(), "--base", (folder_ / "base").string()});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.output.find("E_REVISION"), std::string::npos) << done.output;
}

TEST_F(Gate, ProposesAndRefusesToTouchWhatIsThere) {
  model_.bursts = 200;
  model_.arms.clear();
  write();
  const std::vector<std::string> arguments{"propose",
                                           "--measurement",
                                           measurement_.string(),
                                           "--output",
                                           (folder_ / "draft/example-class.json").string(),
                                           "--evidence",
                                           (folder_ / "draft/evidence/new.json").string(),
                                           "--profile",
                                           "example-class",
                                           "--proposed-by",
                                           "A. Proposer",
                                           "--thresholds",
                                           thresholds()};
  const auto done = testing::run_program(arguments);
  EXPECT_EQ(done.code, 0) << done.output;
  const auto draft = json::parse(slurp(folder_ / "draft/example-class.json"));
  EXPECT_EQ(draft["review"]["evidence"], "evidence/new.json");
  EXPECT_EQ(draft["revision"], 3) << "one more than the profile it would replace";
  const auto again = testing::run_program(arguments);
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.output.find("exists"), std::string::npos);
  auto misnamed = arguments;
  misnamed[4] = (folder_ / "draft/other.json").string();
  EXPECT_EQ(testing::run_program(misnamed).code, 2);
  edit(measurement_, "\"dirty\":false", "\"dirty\":true");
  auto dirty = arguments;
  dirty[4] = (folder_ / "draft2/example-class.json").string();
  dirty[6] = (folder_ / "draft2/evidence/new.json").string();
  const auto refused = testing::run_program(dirty);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.output.find("refused: the work tree was dirty"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "draft2"));
  spill(measurement_, "");
  EXPECT_EQ(testing::run_program(dirty).code, 2);
}

class Commands : public Gate {
 protected:
  int run_here(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_command(arguments, {testing::test_day()}, out, err);
    output_ = replaced_folder(out.str() + err.str());
    return code;
  }

  std::string replaced_folder(std::string text) const {
    const auto name = folder_.path().string();
    for (auto at = text.find(name); at != text.npos; at = text.find(name))
      text.replace(at, name.size(), "FOLDER");
    return text;
  }

  std::string output_;
};

TEST_F(Commands, ApprovedHelp) {
  EXPECT_EQ(run_here({"--help"}), 0);
  expect_approved("help.txt", output_);
  EXPECT_EQ(run_here({"check", "--help"}), 0);
  expect_approved("help-check.txt", output_);
}

TEST_F(Commands, ApprovedExplanations) {
  write();
  run();
  const auto explain = [&](const std::string& metric) {
    EXPECT_EQ(run_here({"explain", metric, "--thresholds", thresholds(), "--report", report_.string()}), 0)
        << output_;
    return output_;
  };
  expect_approved("explain.txt", explain("recreate_over_reuse/epoll/32") + "\n" +
                                     explain("overhead_reuse/epoll/8/one") + "\n" +
                                     explain("overhead_recreate/poll/8") + "\n" +
                                     explain("system_calls/reuse/epoll/8") + "\n" + explain("self/twin"));
}

TEST_F(Commands, ExplainNeedsAMetricAndReadableThresholds) {
  EXPECT_EQ(run_here({"explain", "overhead_reuse/epoll/8/on"}), 2);
  EXPECT_EQ(output_, "overhead_reuse/epoll/8/on: no such metric; did you mean overhead_reuse/epoll/8/one?\n");
  EXPECT_EQ(run_here({"explain", "pizza"}), 2);
  EXPECT_EQ(output_, "pizza: no such metric\n");
  EXPECT_EQ(run_here({"explain", "self/twin", "--thresholds", "/nonexistent"}), 2);
  EXPECT_NE(output_.find("E_IO"), std::string::npos);
}

TEST_F(Commands, ExplainWorksBeforeTheFirstVerdict) {
  EXPECT_EQ(run_here({"explain", "self/twin", "--thresholds", thresholds(), "--report", "/nonexistent"}), 0);
  spill(report_ / "verdict.json", "{}");
  EXPECT_EQ(run_here({"explain", "self/twin", "--thresholds", thresholds(), "--report", report_.string()}),
            0);
}

TEST_F(Commands, RefuseWrongArguments) {
  EXPECT_EQ(run_here({}), 2);
  EXPECT_EQ(run_here({"pizza"}), 2);
  EXPECT_EQ(run_here({"check"}), 2) << "no measurement";
  EXPECT_NE(output_.find("--measurement is required"), std::string::npos) << output_;
  EXPECT_EQ(run_here({"replay"}), 2);
  EXPECT_EQ(run_here({"replay", "--evidence", "a", "--measurement", "b"}), 2);
}

TEST_F(Commands, TurnUnexpectedTroubleIntoOneLine) {
  write();
  EXPECT_EQ(run_here({"validate", "--thresholds", thresholds(), "--base", thresholds()}), 0);
  model_.bursts = 200;
  model_.arms.clear();
  write();
  spill(folder_ / "draft", "a file where a folder should be");
  EXPECT_EQ(run_here({"propose", "--measurement", measurement_.string(), "--output",
                      (folder_ / "draft/x.json").string(), "--evidence", (folder_ / "draft/e.json").string(),
                      "--profile", "x", "--proposed-by", "A", "--thresholds", thresholds()}),
            2);
  EXPECT_EQ(output_.substr(0, 16), "selectors-gate: ") << output_;
}

}  // namespace
}  // namespace selectors::gate
