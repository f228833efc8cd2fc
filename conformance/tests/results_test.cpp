// What the program writes: results.json and its schema, the summary, exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "library_subject.hpp"
#include "results.hpp"

namespace selectors::conformance {

namespace {

using namespace std::chrono_literals;

subject_info honest() {
  return library_subject_info(*find_backend(backend::poll));
}

// Every kind of verdict in one report.
results example_results() {
  results r("");
  const chapter part{"Registration", "REG", {}};
  const subject_info s = honest();
  const auto add = [&](const char* name, outcome_kind kind, const char* message) {
    r.add(s, part, test_case{{"REG-01", "REG-02"}, name, nullptr}, {kind, message, 3ms});
  };
  add("Good", outcome_kind::pass, "");
  add("Bad", outcome_kind::fail, "bytes that are no text: \xff\xfe \"quoted\"\n");
  add("Missing", outcome_kind::not_applicable, "needs edge");
  add("Broken", outcome_kind::error, "set-up");
  r.add(liar{"Caught", "REG-01", nullptr}, {true, "poll/Registration.Good", "so", 1ms});
  r.add(liar{"Survivor", "REG-02", nullptr}, {false, "", "no case", 1ms});
  return r;
}

nlohmann::json load(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot open " + file);
  return nlohmann::json::parse(in);
}

std::string schema_violations(const nlohmann::json& document) {
  const nlohmann::json schema_text = load(SELECTORS_RESULTS_SCHEMA);
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_text), schema);
  valijson::ValidationResults found;
  valijson::Validator().validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &found);
  std::string text;
  for (const valijson::ValidationResults::Error& e : found) {
    for (const std::string& step : e.context) text += step;
    text += ": " + e.description + "\n";
  }
  return text;
}

TEST(Results, MatchTheirSchema) {
  const nlohmann::json document = nlohmann::json::parse(example_results().json({honest()}));
  EXPECT_EQ(schema_violations(document), "");
  const nlohmann::json& footer = document["footer"];
  EXPECT_EQ(footer["pass"], 1);
  EXPECT_EQ(footer["fail"], 1);
  EXPECT_EQ(footer["error"], 1);
  EXPECT_EQ(footer["not_applicable"], 1);
  EXPECT_EQ(footer["promises_covered"], 2);
  EXPECT_EQ(footer["liars_caught"], 1);
  EXPECT_EQ(footer["liars_survived"], 1);
}

TEST(Results, WithoutFooterAreRefusedByTheSchema) {
  nlohmann::json document = nlohmann::json::parse(example_results().json({honest()}));
  document.erase("footer");
  EXPECT_NE(schema_violations(document), "");
}

TEST(Results, SummaryCountsEverything) {
  const std::string text = example_results().summary();
  EXPECT_NE(text.find("cases     poll: 1 passed, 2 failed, 1 not applicable\n"), std::string::npos) << text;
  EXPECT_NE(text.find("promises  2 of "), std::string::npos) << text;
  EXPECT_NE(text.find("liars     1 of 2 caught\n"), std::string::npos) << text;
  EXPECT_FALSE(example_results().good());
}

// The program itself, as a user runs it.
class Program : public testing::Test {
 protected:
  Program() : folder_(std::filesystem::temp_directory_path() / ("selectors-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~Program() override { std::filesystem::remove_all(folder_); }

  int run(const std::string& arguments) const {
    const int status = std::system(
        (std::string(SELECTORS_CONFORMANCE_PROGRAM) + " " + arguments + " > " + path("out") + " 2>&1")
            .c_str());
    return WEXITSTATUS(status);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string output() const {
    std::ifstream in(path("out"));
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(Program, WritesResultsThatMatchTheirSchema) {
  EXPECT_EQ(
      run("'--gtest_filter=*/Registration.Second*:liars/Registration.I*' --json " + path("results.json")), 0)
      << output();
  const nlohmann::json document = load(path("results.json"));
  EXPECT_EQ(schema_violations(document), "");
  EXPECT_GT(document["footer"]["pass"], 0);
  EXPECT_GT(document["footer"]["liars_caught"], 0);
  EXPECT_FALSE(std::filesystem::exists(path("results.json.part")));
  EXPECT_NE(output().find("liars     "), std::string::npos);
}

TEST_F(Program, RefusesBadInputWithCodeTwo) {
  EXPECT_EQ(run("--frobnicate"), 2);
  EXPECT_NE(output().find("unknown argument \"--frobnicate\""), std::string::npos) << output();
  EXPECT_EQ(run("--gtest_filter=nobody/*"), 2);
  EXPECT_NE(output().find("no case is selected"), std::string::npos) << output();
  EXPECT_EQ(run("--gtest_filter='*.SecondRegisterIsRefused' --json /nowhere/results.json"), 2);
  EXPECT_NE(output().find("cannot write /nowhere/results.json"), std::string::npos) << output();
}

TEST_F(Program, ListsCasesWithTheirPromises) {
  EXPECT_EQ(run("--list"), 0);
  EXPECT_NE(output().find("Registration.SecondRegisterIsRefused  [REG-05]"), std::string::npos);
  EXPECT_NE(output().find("liars/Registration."), std::string::npos);
}

}  // namespace

}  // namespace selectors::conformance
