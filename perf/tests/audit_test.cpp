// Do the counters see every system call? strace(1) does.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/process.hpp"

namespace selectors::perf {
namespace {

// Lines of a trace are system calls; what a process says at its end is the same each time.
long traced_calls(const std::string& arm, int operations) {
  // Another test may be tracing at the same time.
  const auto file =
      std::filesystem::path(testing::TempDir()) / ("selectors_audit_trace." + std::to_string(::getpid()));
  const auto r = run_process({"strace", "-o", file, std::string(SELECTORS_TOOLS) + "/selectors-counts",
                              "--run", arm, "--operations", std::to_string(operations)});
  EXPECT_TRUE(r.succeeded()) << r.errors;
  std::ifstream trace(file);
  const auto calls = std::count(std::istreambuf_iterator<char>(trace), {}, '\n');
  std::filesystem::remove(file);
  return calls;
}

// The difference of two lengths leaves the set-up out.
void expect_calls(const std::string& arm, long each) {
  EXPECT_EQ(traced_calls(arm, 60) - traced_calls(arm, 10), 50 * each) << arm;
}

TEST(Audit, AKeptSelectorMakesOneCall) {
  expect_calls("reuse/epoll/8/all", 1);
  expect_calls("reuse/poll/8/all", 1);
  expect_calls("reuse/select/8/all", 1);
}

TEST(Audit, ANewSelectorMakesThoseOfItsBackend) {
  expect_calls("recreate/epoll/8", 11);
  expect_calls("recreate/poll/8", 1);
  expect_calls("recreate/select/8", 9);
}

TEST(Audit, NewDataMakesNone) {
  expect_calls("modify_data/epoll/8", 0);
  expect_calls("modify_data/poll/8", 0);
}

}  // namespace
}  // namespace selectors::perf
