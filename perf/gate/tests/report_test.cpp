#include "gate/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gate/json_document.hpp"
#include "gate/schema_check.hpp"
#include "support.hpp"
#include "synthetic.hpp"

namespace selectors::gate {
namespace {

using testing::expect_approved;
using testing::slurp;
using testing::temporary_folder;

metric_verdict ratio(std::string metric, metric_kind kind, std::string profile, bounds limits, double low,
                     double value, double high, outcome result, std::string reason = {}) {
  metric_verdict row;
  row.metric = std::move(metric);
  row.kind = kind;
  row.profile = std::move(profile);
  row.limits = limits;
  row.value = value;
  row.low = low;
  row.high = high;
  row.bursts = 18;
  row.result = result;
  row.reason = std::move(reason);
  return row;
}

metric_verdict count(std::string metric, std::optional<double> value, double equals, outcome result,
                     std::string reason) {
  metric_verdict row;
  row.metric = std::move(metric);
  row.kind = metric_kind::exact;
  row.profile = "portable";
  row.value = value;
  row.equals = equals;
  row.result = result;
  row.reason = std::move(reason);
  return row;
}

/// One row of every kind and outcome.
verdict colourful() {
  verdict v;
  v.code = exit_code::bad_input;
  v.summary = "no data: system_calls/recreate/epoll/128";
  v.machine = testing::example_machine();
  v.build = testing::release_build();
  v.build->dirty = true;
  v.profiles = {testing::portable_limits(), testing::class_limits()};
  v.drift_judged = true;
  v.bursts = 18;
  v.notes = {"arm reuse/poll/32/al is measured, and no metric knows it; was reuse/poll/32/all renamed?"};
  const auto twin = metric_kind::twin;
  const auto drift = metric_kind::drift;
  v.metrics = {
      ratio("overhead_reuse/epoll/32/all", twin, "portable", {{}, 1.05}, 1.0151, 1.0203, 1.0249,
            outcome::inside),
      ratio("overhead_reuse/poll/32/all", twin, "portable", {{}, 1.05}, 1.1, 1.12, 1.1349, outcome::outside,
            "1.1..1.1349 is above the limit 1.05"),
      ratio("recreate_over_reuse/epoll/128", drift, "example-class", {18.67, 19.82}, 19.0, 19.5, 20.1,
            outcome::undecided, "19..20.1 straddles a limit after 18 bursts"),
      ratio("select_lead_reuse/epoll/128/one", drift, "example-class", {0.072, 0.077}, 0.0735, 0.0741, 0.0752,
            outcome::inside),
      ratio("select_lead_reuse/poll/128/one", drift, "example-class", {0.9, {}}, 104.2, 123.4, 1140.0,
            outcome::inside),
      ratio("select_lead_empty/select", drift, "portable", {}, 0.99, 1.0, 1.01, outcome::ungated,
            "being rewritten (until 2026-12-31)"),
      ratio("select_lead_empty/poll", drift, "", {}, 0.99, 1.0, 1.01, outcome::not_judged),
      count("system_calls/recreate/epoll/128", std::nullopt, 131, outcome::no_data, "was not counted"),
      count("allocations/reuse/epoll/32", 0, 0, outcome::inside, ""),
      ratio("self/twin", metric_kind::self, "", {0.995, 1.005}, 1.01, 1.02, 1.03, outcome::broken,
            "contaminated: two selectors doing the same work differ"),
      ratio("self/injected", metric_kind::self, "", {0.97, 1.03}, 1.04, 1.05, 1.06, outcome::inside,
            "seen, as it must be")};
  return v;
}

problems two_problems() {
  return {{"thresholds/portable.json", 9, 57, "$.limits[0].upper", "E_TYPE", "\"upper\" must be \"number\""},
          {"measurement.json", 0, 0, "", "E_IO", "no such file <here> & \"there\""}};
}

TEST(ReportApproved, TextOfEveryOutcome) {
  expect_approved("every-outcome.txt", text_report(colourful(), false));
}

TEST(ReportApproved, TextWithColour) {
  expect_approved("colour.txt", text_report(colourful(), true));
}

TEST(ReportApproved, TextOfAPass) {
  testing::model m;
  m.bursts = 60;
  expect_approved("pass.txt", text_report(judge(testing::synthesise(m), testing::both()), false));
}

TEST(ReportApproved, TextOfAnUnknownMachine) {
  testing::model m;
  m.bursts = 60;
  auto measured = testing::synthesise(m);
  measured.machine.cpu_model = "Another CPU";
  measured.machine.virtualization = "";
  expect_approved("unknown-machine.txt", text_report(judge(measured, testing::both()), false));
}

TEST(ReportApproved, TextOfUnreadableInput) {
  expect_approved("unreadable.txt", text_report(unreadable(two_problems()), two_problems(), false));
}

TEST(ReportApproved, VerdictJson) {
  expect_approved("verdict.json.txt", verdict_json(colourful(), {}));
}

TEST(ReportApproved, VerdictJsonOfUnreadableInput) {
  expect_approved("unreadable-verdict.json.txt", verdict_json(unreadable(two_problems()), two_problems()));
}

TEST(ReportApproved, Junit) {
  expect_approved("junit.xml.txt", junit_xml(colourful(), two_problems()));
}

TEST(ReportApproved, Markdown) {
  expect_approved("report.md.txt", markdown_report(colourful(), {}));
  expect_approved("unreadable-report.md.txt", markdown_report(unreadable(two_problems()), two_problems()));
}

TEST(ReportApproved, GithubAnnotations) {
  expect_approved("github.txt", github_annotations(colourful(), two_problems()));
}

TEST(Report, KeepsWithinEightyColumns) {
  std::istringstream lines(text_report(colourful(), false));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Report, EndsWithTheVerdict) {
  const auto text = text_report(colourful(), false);
  const auto last = text.rfind('\n', text.size() - 2);
  EXPECT_EQ(text.substr(last + 1),
            "verdict  bad input or no data (2): no data: system_calls/recreate/epoll/128\n");
}

TEST(Report, PutsTheWorstFirst) {
  const auto v = colourful();
  const auto rows = bad_rows(v);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]->result, outcome::no_data);
  EXPECT_EQ(rows[1]->result, outcome::broken);
  EXPECT_EQ(rows[2]->result, outcome::outside);
  EXPECT_EQ(rows[3]->result, outcome::undecided);
}

TEST(Report, WritesAtMostTenAnnotations) {
  auto v = colourful();
  for (int i = 0; i < 30; ++i) v.metrics.push_back(v.metrics[1]);
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(github_annotations(v, {})), 10);
  EXPECT_EQ(lines(github_annotations(v, problems(30, two_problems()[0]))), 10);
  testing::model nothing;
  nothing.bursts = 0;
  const auto empty = judge(testing::synthesise(nothing), {});
  EXPECT_EQ(lines(github_annotations(empty, {})), 2) << "the two self metrics need bursts";
}

TEST(Report, VerdictFileFitsItsSchema) {
  problems found;
  for (const auto& text :
       {verdict_json(colourful(), {}), verdict_json(unreadable(two_problems()), two_problems())}) {
    const auto document = json_document::parse("verdict.json", text, found);
    ASSERT_TRUE(document);
    EXPECT_TRUE(check_schema(*document, file_kind::verdict, found)) << testing::joined(found);
  }
}

TEST(Report, NeverWritesANumberThatJsonCannotHold) {
  auto v = colourful();
  v.metrics[0].value = std::nan("");
  const auto parsed = nlohmann::json::parse(verdict_json(v, {}));
  EXPECT_TRUE(parsed["metrics"][0]["estimate"].is_null());
  EXPECT_EQ(value_text(v.metrics[0]), "nan");
}

TEST(Report, WritesItsThreeFiles) {
  const temporary_folder folder;
  write_reports(folder / "report", colourful(), {});
  EXPECT_EQ(slurp(folder / "report/verdict.json"), verdict_json(colourful(), {}));
  EXPECT_EQ(slurp(folder / "report/junit.xml"), junit_xml(colourful(), {}));
  EXPECT_EQ(slurp(folder / "report/report.md"), markdown_report(colourful(), {}));
}

}  // namespace
}  // namespace selectors::gate
