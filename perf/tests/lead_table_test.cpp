#include "harness/lead_table.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "harness/lead_table_command.hpp"

namespace selectors::perf {
namespace {

using nlohmann::json;

const rates seed{
    {"recreate/32", 17977}, {"reuse/32", 85037}, {"select/32", 351008}, {"empty/selector", 2824994}};
const rates lab{{"recreate/epoll/32", 40000},
                {"reuse/epoll/32/all", 200000.4},
                {"reuse/poll/32/all", 999},
                {"raw_reuse/select/32/all", 600000},
                {"empty/epoll", 12345678}};

const lead_table::row& row_of(const lead_table& table, const std::string& section, const std::string& title) {
  for (const auto& s : table.sections) {
    if (s.title.find(section) == std::string::npos) continue;
    for (const auto& r : s.rows)
      if (r.title == title) return r;
  }
  throw std::runtime_error("no row " + section + ": " + title);
}

TEST(LeadTable, PutsEachRateInItsColumn) {
  const auto table = make_lead_table(seed, rates{{"reuse/32", 5}}, lab);
  ASSERT_EQ(table.columns,
            (std::vector<std::string>{"seed", "Python", "adaptive", "epoll", "poll", "select"}));
  const auto& kept = row_of(table, "kept", "N = 32");
  EXPECT_EQ(kept.values[0], 85037);
  EXPECT_EQ(kept.values[1], 5);
  EXPECT_EQ(kept.values[2], std::nullopt);
  EXPECT_EQ(kept.values[3], 200000.4);
  EXPECT_EQ(kept.values[4], 999);
  EXPECT_EQ(kept.values[5], std::nullopt);
}

TEST(LeadTable, DividesRates) {
  const auto table = make_lead_table(seed, std::nullopt, lab);
  const auto& kept_over_new = row_of(table, "times as fast", "kept/new");
  EXPECT_DOUBLE_EQ(kept_over_new.values[0].value(), 85037.0 / 17977);
  EXPECT_EQ(kept_over_new.values[1], std::nullopt);
  EXPECT_DOUBLE_EQ(kept_over_new.values[3].value(), 200000.4 / 40000);
  EXPECT_DOUBLE_EQ(row_of(table, "times as fast", "select/kept").values[3].value(), 600000 / 200000.4);
}

// Bless a wanted change with SELECTORS_BLESS=1 in the environment.
TEST(LeadTable, LooksAsApproved) {
  const auto text = to_text(make_lead_table(seed, std::nullopt, lab));
  const auto file = std::filesystem::path(SELECTORS_APPROVED) / "lead_table.txt";
  if (std::getenv("SELECTORS_BLESS") != nullptr) std::ofstream(file) << text;
  std::ifstream approved(file);
  EXPECT_EQ(text, (std::string{std::istreambuf_iterator<char>(approved), {}}));
}

TEST(LeadTable, FitsEightyColumns) {
  std::istringstream lines(to_text(make_lead_table(seed, std::nullopt, lab)));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(LeadTable, TakesMediansOfTheLab) {
  const json file = {
      {"benchmarks",
       {{{"run_name", "empty/epoll/iterations:2000/real_time"}, {"aggregate_name", "mean"}, {"ops/s", 1}},
        {{"run_name", "empty/epoll/iterations:2000/real_time"}, {"aggregate_name", "median"}, {"ops/s", 2}},
        {{"run_name", "empty/epoll/iterations:2000/real_time"}, {"ops/s", 3}}}}};
  EXPECT_EQ(rates_of_lab(file), (rates{{"empty/epoll", 2}}));
}

TEST(LeadTable, RefusesALabWithoutMedians) {
  EXPECT_THROW(rates_of_lab({{"benchmarks", json::array()}}), std::runtime_error);
}

TEST(LeadTable, ReadsTheSeedsFile) {
  std::ifstream file(std::string(SELECTORS_SOURCE_DIR) + "/perf/scenarios/seed.json");
  const auto all = rates_of_seed(json::parse(file));
  EXPECT_EQ(all.at("recreate/8"), 65635);
  EXPECT_EQ(all.at("reuse/32"), 85037);
  EXPECT_EQ(all.at("select/128"), 72034);
  EXPECT_EQ(all.at("empty/select"), 2162590);
}

TEST(LeadTable, SaysWhenThereIsNoPython) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "selectors_lead_table_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "lab.json") << json{
      {"benchmarks", {{{"run_name", "empty/epoll"}, {"aggregate_name", "median"}, {"ops/s", 2}}}}};
  lead_table_options options;
  options.lab = folder / "lab.json";
  options.python_command = "/nonexistent/python";
  options.report = folder / "report";
  testing::internal::CaptureStdout();
  EXPECT_EQ(lead_table_command(options), 0);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("Python:  no /nonexistent/python on this machine"),
            std::string::npos);
  std::ifstream summary(folder / "report" / "summary.json");
  const auto written = json::parse(summary);
  EXPECT_EQ(written.at("python").at("missing"), "no /nonexistent/python on this machine");
  EXPECT_EQ(written.at("library").at("empty/epoll").at("p50_ns"), 5e8);
  EXPECT_TRUE(std::filesystem::exists(folder / "report" / "summary.txt"));
  std::filesystem::remove_all(folder);
}

TEST(LeadTable, NamesTheFileThatIsNotOne) {
  const auto file = std::filesystem::path(testing::TempDir()) / "selectors_lab_bad.json";
  std::ofstream(file) << "[1";
  lead_table_options options;
  options.lab = file;
  options.python_command = "/nonexistent/python";
  try {
    lead_table_command(options);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find(file.string()), std::string::npos) << e.what();
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace selectors::perf
