// The kit's own parts: what they say when something is wrong.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "children.hpp"
#include "claims.hpp"
#include "descriptors.hpp"
#include "library_subject.hpp"
#include "options.hpp"
#include "results.hpp"

namespace selectors::conformance {

namespace {

subject_info honest() {
  return library_subject_info(*find_backend(backend::poll));
}

case_result isolated(void (*body)(context&), std::chrono::milliseconds limit = 5s) {
  const test_case c{{"REG-01"}, "Example", body};
  return run_isolated(c, honest(), limit);
}

TEST(RunIsolated, TellsPassFromFail) {
  EXPECT_EQ(isolated([](context&) {}).kind, outcome_kind::pass);
  const case_result failed = isolated([](context&) { EXPECT_EQ(1, 2) << "on purpose"; });
  EXPECT_EQ(failed.kind, outcome_kind::fail);
  EXPECT_NE(failed.message.find("harness_test.cpp:"), std::string::npos) << failed.message;
  EXPECT_NE(failed.message.find("on purpose"), std::string::npos) << failed.message;
}

TEST(RunIsolated, TellsErrorFromFail) {
  EXPECT_EQ(isolated([](context&) { throw setup_error("no disk"); }).kind, outcome_kind::error);
  EXPECT_EQ(isolated([](context&) { throw unsupported("dancing"); }).kind, outcome_kind::error);
  const case_result thrown = isolated([](context&) { throw std::runtime_error("surprise"); });
  EXPECT_EQ(thrown.kind, outcome_kind::fail);
  EXPECT_NE(thrown.message.find("surprise"), std::string::npos);
}

TEST(RunIsolated, SurvivesCrashAndHang) {
  const case_result crashed = isolated([](context&) { ::kill(::getpid(), SIGKILL); });
  EXPECT_EQ(crashed.kind, outcome_kind::fail);
  EXPECT_NE(crashed.message.find("crashed"), std::string::npos) << crashed.message;
  const case_result hung = isolated([](context& c) { c.s().wait(timeout::infinite); }, 200ms);
  EXPECT_EQ(hung.kind, outcome_kind::fail);
  EXPECT_NE(hung.message.find("hung"), std::string::npos) << hung.message;
}

TEST(Child, ReportsCodeAndMessage) {
  const child_result r = in_child([] { return verdict{7, "seven"}; });
  EXPECT_EQ(r.code, 7);
  EXPECT_EQ(r.message, "seven");
  EXPECT_FALSE(r.good());
  EXPECT_TRUE(in_child([] { return says(true, "never"); }).good());
}

class sleepless final : public subject {
 public:
  key register_fd(int fd, interest, user_data, trigger) override { return {.fd = fd, .data = {}}; }
  key unregister(int fd) override { return {.fd = fd, .data = {}}; }
  outcome wait(timeout t) override {
    // Until it has used as much processor time, however busy the machine is.
    const auto end = thread_cpu_time() + t.duration();
    while (thread_cpu_time() < end) {
    }
    return {};
  }
};

TEST(Silence, NoticesSpinningWithoutCountingCalls) {
  sleepless s;
  const testing::AssertionResult r = silent(s, subject_info{"sleepless", feature::none, 0, {}}, 100ms);
  EXPECT_FALSE(r);
  EXPECT_NE(std::string(r.message()).find("spun"), std::string::npos) << r.message();
}

TEST(Subject, VerbsThatAreMissingSayTheirName) {
  sleepless s;
  try {
    s.pause(3);
    FAIL();
  } catch (const unsupported& e) {
    EXPECT_NE(std::string(e.what()).find("pause"), std::string::npos);
  }
}

TEST(Applicability, NamesWhatIsMissing) {
  const subject_info s{"s", feature::modify, 0, {}};
  EXPECT_EQ(why_not_applicable({{"X"}, "A", nullptr, feature::edge | feature::modify}, s), "needs edge");
  EXPECT_EQ(why_not_applicable({{"X"}, "A", nullptr, feature::none, feature::modify}, s),
            "only without modify");
  EXPECT_EQ(why_not_applicable({{"X"}, "A", nullptr, feature::modify}, s), "");
}

options read_arguments(std::vector<std::string> words) {
  words.insert(words.begin(), "selectors-conformance");
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  return read_options(argc, argv.data());
}

TEST(Options, AreRead) {
  const options o = read_arguments({"--json", "x.json", "--gtest_filter=epoll/*"});
  EXPECT_EQ(o.json, "x.json");
  EXPECT_EQ(o.filter, "epoll/*");
  EXPECT_TRUE(read_arguments({"--list"}).list);
}

TEST(Options, UnknownOnesAreRefused) {
  EXPECT_THROW(read_arguments({"--jsno"}), usage_error);
  EXPECT_THROW(read_arguments({"--json"}), usage_error);
  EXPECT_THROW(read_arguments({"--json="}), usage_error);
}

TEST(Options, FilterSelectsAsGoogleTestDoes) {
  EXPECT_TRUE(selected("", "epoll/Fork.A"));
  EXPECT_TRUE(selected("epoll/*:poll/*", "poll/Fork.A"));
  EXPECT_FALSE(selected("epoll/*", "poll/Fork.A"));
  EXPECT_FALSE(selected("*-*/Fork.*", "poll/Fork.A"));
  EXPECT_TRUE(selected("-*/Fork.*", "poll/Limits.A"));
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
