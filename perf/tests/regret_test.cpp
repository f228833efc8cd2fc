#include "harness/regret.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "gate/json_document.hpp"
#include "gate/json_facts.hpp"
#include "gate/schema_check.hpp"
#include "harness/facts.hpp"
#include "harness/regret_picture.hpp"
#include "harness/regret_report.hpp"
#include "harness/wires.hpp"
#include "scenarios/regret.hpp"

namespace selectors::perf {
namespace {

int readable(const wires& w) {
  int count = 0;
  for (const int fd : w.read_ends()) {
    pollfd one{fd, POLLIN, 0};
    count += ::poll(&one, 1, 0);
  }
  return count;
}

TEST(Wires, AreReadyAsTold) {
  wires w(10);
  EXPECT_EQ(readable(w), 0);
  for (const int k : {1, 3, 10, 7, 0, 5}) {
    w.set_spread_ready(k);
    EXPECT_EQ(readable(w), k);
    w.set_first_ready(k);
    EXPECT_EQ(readable(w), k);
  }
  w.set_first_ready(0);
  w.send(4);
  w.send(4);
  EXPECT_EQ(readable(w), 1);
  w.drain(4);
  EXPECT_EQ(readable(w), 0);
}

TEST(Wires, KeepLowNumbersForReadEnds) {
  EXPECT_TRUE(wires(300).fit_select());
}

cell_times times_of(std::vector<double> adaptive, std::vector<double> poll, std::vector<double> epoll) {
  return {{backend::adaptive, std::move(adaptive)},
          {backend::poll, std::move(poll)},
          {backend::epoll, std::move(epoll)}};
}

TEST(Regret, IsTheMedianQuotientOfRounds) {
  // The third round was slow for everybody.
  const auto r =
      regret_of(times_of({110, 120, 990, 110, 105}, {100, 100, 900, 100, 100}, {500, 500, 500, 500, 500}));
  EXPECT_EQ(r.best, backend::poll);
  EXPECT_DOUBLE_EQ(r.regret, 1.1);
}

TEST(Regret, IsHeldAgainstOneBackendAndNotAgainstTheLuckiestOfEachRound) {
  const auto r = regret_of(times_of({100, 100, 100}, {100, 100, 100}, {50, 150, 150}));
  EXPECT_EQ(r.best, backend::poll);
  EXPECT_DOUBLE_EQ(r.regret, 1);
}

TEST(Regret, NeedsRoundsAndARival) {
  EXPECT_THROW(regret_of({}), std::invalid_argument);
  EXPECT_THROW(regret_of({{backend::adaptive, {1}}}), std::invalid_argument);
  EXPECT_THROW(regret_of(times_of({}, {}, {})), std::invalid_argument);
}

TEST(Regret, OfSeveralContestsCountsAllRounds) {
  auto times = times_of({200}, {100}, {300});
  append(times, times_of({100, 100}, {100, 100}, {300, 300}));
  EXPECT_EQ(times.front().rounds.size(), 3u);
  EXPECT_DOUBLE_EQ(regret_of(times).regret, 1);
}

TEST(Grid, HoldsEachCellOnce) {
  std::map<std::string, int> cells;
  std::set<std::string> names;
  for (const auto& cell : regret_cells(false)) {
    ++cells[cell.arm];
    EXPECT_TRUE(names.insert(cell.arm + " " + cell.name()).second) << cell.arm << " " << cell.name();
  }
  const std::map<std::string, int> expected{
      {"reuse", 38}, {"blocking", 50}, {"recreate", 28}, {"lives", 112},   {"cold", 112},
      {"churn", 86}, {"phases", 34},   {"traffic", 43},  {"threaded", 28}, {"adversary", 15}};
  EXPECT_EQ(cells, expected);
  EXPECT_EQ(cells.size(), regret_arms().size());
}

TEST(Grid, CountsWhatIsReadyOnce) {
  const auto counts = [](int n) {
    std::vector<int> all;
    for (const auto& r : ready_counts(n)) all.push_back(r.count);
    return all;
  };
  EXPECT_EQ(counts(1), (std::vector<int>{0, 1}));
  EXPECT_EQ(counts(2), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(counts(4), (std::vector<int>{0, 1, 2, 4}));
  EXPECT_EQ(counts(32), (std::vector<int>{0, 1, 3, 16, 32}));
}

// Each contestant checks what it finds, so one round of a small cell of each arm shows that the work is the same.
TEST(Grid, EveryArmDoesTheSameWorkOnEveryBackend) {
  std::set<std::string> seen;
  for (const auto& cell : regret_cells(true)) {
    if (cell.n != 8 || cell.ready == "0" || !seen.insert(cell.arm + cell.detail + cell.ready).second)
      continue;
    contest c(cell, 1);
    EXPECT_GT(c.round(), 0) << cell.arm;
    ASSERT_EQ(c.times().size(), backends().size()) << cell.arm;
    EXPECT_EQ(c.times().front().id, backend::adaptive);
    for (const auto& t : c.times()) {
      ASSERT_EQ(t.rounds.size(), 1u) << cell.arm;
      EXPECT_GT(t.rounds.front(), 0) << cell.arm;
    }
  }
}

regret_report example() {
  regret_report report;
  report.at = "2026-11-30T10:00:00Z";
  report.machine = {"x86_64", "Example CPU 9", 25, 17, "6.18.5-generic", "kvm", 2};
  report.build = {"Release", "GNU 12.2.0", "glibc 2.36", std::string(40, 'a'), false, {}, "unknown"};
  const auto add = [&](const char* arm, int n, const char* ready, const char* detail, double regret) {
    const regret_cell cell{arm, n, ready, detail, {}};
    report.cells.push_back(summary_of(cell, times_of({100 * regret}, {100}, {900})));
  };
  add("reuse", 8, "1", "", 0.8);
  add("reuse", 8000, "all", "", 1.054);
  add("reuse", 32, "50%", "", 0.9);
  add("recreate", 8, "all", "", 1.0851);
  add("lives", 32, "0", "W=256", 1.2);
  add("churn", 480, "10%", "c=48 in-turn", 1.161);
  add("churn", 480, "all", "c=48 in-turn", 0.5);
  add("adversary", 8, "0-or-all", "", 1.5);
  return report;
}

TEST(Report, PrintsTheTable) {
  const auto text = to_text(example());
  const auto file = std::string(SELECTORS_APPROVED) + "/regret_table.txt";
  if (std::getenv("SELECTORS_BLESS") != nullptr) std::ofstream(file) << text;
  std::ifstream approved(file);
  EXPECT_EQ(text, (std::string{std::istreambuf_iterator<char>(approved), {}}));
}

TEST(Report, FitsEightyColumns) {
  std::istringstream lines(to_text(example()));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(Report, JudgesWhatItPrints) {
  const auto rows = rows_of(example());
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_TRUE(rows[0].ok()) << "1.054 prints as 1.05";
  EXPECT_FALSE(rows[1].median_ok()) << "1.0851 prints as 1.09";
  EXPECT_TRUE(rows[1].worst_ok());
  EXPECT_FALSE(rows[2].ok());
  EXPECT_FALSE(rows[3].worst_ok());
  EXPECT_TRUE(rows[4].ok()) << "the adversary has no limit of its median";
  EXPECT_FALSE(all_ok(example()));
}

TEST(Report, KeepsItsSchema) {
  gate::problems found;
  const auto document =
      gate::json_document::parse("regret.json", gate::dump_by_line(to_json(example())), found);
  ASSERT_TRUE(document);
  EXPECT_TRUE(gate::check_schema(*document, gate::file_kind::regret, found))
      << (found.empty() ? "" : to_string(found.front()));
}

TEST(Report, NamesTheWorstCellsInMarkdown) {
  const auto text = to_markdown(example(), true);
  EXPECT_NE(
      text.find("| churn | n=480 10% c=48 in-turn | 1.161 | poll | adaptive 116, poll 100, epoll 900 |"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("(regret.svg)"), std::string::npos);
  EXPECT_EQ(to_markdown(example(), false).find("regret.svg"), std::string::npos);
}

TEST(Picture, ShowsTheWorstOfCellsThatFallTogether) {
  auto report = example();
  report.cells.push_back(report.cells[4]);
  report.cells.back().detail = "W=4";
  report.cells.back().result.regret = 1.3;
  const auto program = gnuplot_program(report, "x.svg");
  EXPECT_NE(program.find("\n0 4 1.3000\n"), std::string::npos) << program;
  EXPECT_EQ(program.find("adversary"), std::string::npos) << "its readiness is no share";
}

TEST(Picture, NeedsCellsWithAPlace) {
  auto report = example();
  std::erase_if(report.cells, [](const measured_cell& cell) { return cell.arm != "adversary"; });
  EXPECT_EQ(gnuplot_program(report, "x.svg"), "");
  EXPECT_NE(draw_regret(report, "x.svg"), "");
}

}  // namespace
}  // namespace selectors::perf
