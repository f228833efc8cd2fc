// The kit's own parts: what they say when something is wrong.
#include <gtest/gtest.h>
#include <unistd.h>

#include "children.hpp"
#include "claims.hpp"
#include "descriptors.hpp"
#include "library_subject.hpp"
#include "options.hpp"
#include "run.hpp"

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

}  // namespace

}  // namespace selectors::conformance
