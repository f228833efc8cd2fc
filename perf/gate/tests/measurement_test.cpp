#include "gate/measurement.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

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

measurement small() {
  testing::model m;
  m.bursts = 2;
  m.arms = testing::arms_of({});
  return testing::synthesise(m);
}

class MeasurementFile : public ::testing::Test {
 protected:
  MeasurementFile() {
    write_measurement(small(), file_);
    text_ = slurp(file_);
  }

  problems read_changed(const std::string& from, const std::string& to) {
    spill(file_, replaced(text_, from, to));
    problems found;
    const bool accepted = read_measurement(file_, found).has_value();
    EXPECT_EQ(accepted, found.empty());
    return found;
  }

  void expect_refused(const std::string& from, const std::string& to, const std::string& code) {
    const auto found = read_changed(from, to);
    EXPECT_TRUE(has_code(found, code)) << to << "\n" << joined(found);
  }

  temporary_folder folder_;
  std::filesystem::path file_ = folder_ / "measurement.json";
  std::string text_;
};

TEST_F(MeasurementFile, ComesBackAsItWasWritten) {
  problems found;
  const auto m = read_measurement(file_, found);
  ASSERT_TRUE(m) << joined(found);
  const auto original = small();
  EXPECT_EQ(m->machine, original.machine);
  EXPECT_EQ(m->build, original.build);
  EXPECT_EQ(m->protocol, original.protocol);
  EXPECT_EQ(m->interrupted, original.interrupted);
  EXPECT_EQ(m->arms, original.arms);
  ASSERT_EQ(m->bursts.size(), original.bursts.size());
  EXPECT_EQ(m->bursts[1].rounds, original.bursts[1].rounds);
  EXPECT_EQ(m->bursts[1].at, original.bursts[1].at);
  EXPECT_EQ(m->bursts[1].involuntary_switches, original.bursts[1].involuntary_switches);
  ASSERT_EQ(m->counts.size(), original.counts.size());
  EXPECT_EQ(m->counts.front().metric, original.counts.front().metric);
}

TEST_F(MeasurementFile, IsNeverWrittenWithATimeThatJsonCannotHold) {
  auto m = small();
  m.bursts[1].rounds[3][2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(write_measurement(m, file_), std::invalid_argument);
  EXPECT_EQ(slurp(file_), text_);
}

TEST_F(MeasurementFile, IsRefusedWhenItsTextIsBroken) {
  spill(file_, text_.substr(0, text_.size() / 2));
  problems found;
  EXPECT_FALSE(read_measurement(file_, found));
  EXPECT_TRUE(has_code(found, "E_PARSE"));
  EXPECT_GT(found.front().line, 1U);
  expect_refused("\"load\":0.25", "\"load\":NaN", "E_PARSE");
  expect_refused("\"load\":0.25", "\"load\":0.25,\"load\":1", "E_DUP_KEY");
}

TEST_F(MeasurementFile, IsRefusedWhenItsShapeIsWrong) {
  expect_refused("\"schema_version\": 1", "\"schema_version\": 2", "E_SCHEMA_NEWER");
  expect_refused("selectors-perf-measurement", "selectors-perf-evidence", "E_SCHEMA");
  expect_refused("\"load\":0.25", "\"lode\":0.25", "E_UNKNOWN_KEY");
  expect_refused("\"load\":0.25", "\"load\":\"0.25\"", "E_TYPE");
  expect_refused("\"interrupted\": false", "\"interrupted\": 0", "E_TYPE");
  expect_refused("\"cpus\":2", "\"cpus\":0", "E_VALUE");
  expect_refused("\"commit\":\"aaaa", "\"commit\":\"AAAA", "E_VALUE");
}

TEST_F(MeasurementFile, IsRefusedWhenItsProtocolIsAnother) {
  expect_refused("micro-burst/1", "micro-burst/2", "E_PROTOCOL");
  expect_refused("\"batch_us\":80", "\"batch_us\":800", "E_PROTOCOL");
}

TEST_F(MeasurementFile, IsRefusedWhenACountIsUnknownOrTwice) {
  expect_refused("\"system_calls/reuse/epoll/8\"", "\"system_calls/reuse/kqueue/8\"", "E_METRIC_ORPHAN");
  expect_refused("\"system_calls/reuse/epoll/8\"", "\"overhead_recreate/epoll/8\"", "E_METRIC_ORPHAN");
  expect_refused("\"system_calls/reuse/epoll/8\"", "\"system_calls/reuse/epoll/32\"", "E_DUP_METRIC");
}

TEST_F(MeasurementFile, IsRefusedWhenARoundIsIncompleteOrNoTime) {
  const auto first = text_.find("\"rounds\":[[") + std::string("\"rounds\":[[").size();
  const auto number = text_.substr(first, text_.find(',', first) - first);
  const auto expect_round = [&](const std::string& to, const std::string& code) {
    expect_refused("\"rounds\":[[" + number + ",", "\"rounds\":[" + to, code);
  };
  expect_round("[0,", "E_TIME");
  expect_round("[-1,", "E_TIME");
  expect_round("[null,", "E_TIME");
  expect_round("[\"12\",", "E_TIME");
  expect_round("[", "E_TIME");
  expect_round("7,[" + number + ",", "E_ROUNDS");
  const auto end = text_.find("]]", first);
  const auto whole = text_.substr(first, end - first);
  expect_refused(whole, number, "E_ROUNDS");
}

TEST_F(MeasurementFile, IsRefusedWhenARoundIsNoArray) {
  const auto first = text_.find("\"rounds\":[[") + std::string("\"rounds\":[").size();
  const auto round = text_.substr(first, text_.find(']', first) + 1 - first);
  expect_refused(round, "7", "E_TIME");
}

TEST_F(MeasurementFile, NamesTheArmThatBroke) {
  const auto first = text_.find("\"rounds\":[[") + std::string("\"rounds\":[[").size();
  const auto number = text_.substr(first, text_.find(',', first) - first);
  const auto found = read_changed("\"rounds\":[[" + number, "\"rounds\":[[0");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().path, "$.bursts[0].rounds[0]");
  EXPECT_NE(found.front().message.find("control/poll/32: expected a time > 0"), std::string::npos);
}

}  // namespace
}  // namespace selectors::gate
