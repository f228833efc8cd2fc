#include "harness/process.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

namespace selectors::perf {
namespace {

using namespace std::chrono_literals;

TEST(Process, GivesBothStreamsAndTheCode) {
  const auto r = run_process({"sh", "-c", "echo out; echo err >&2; exit 7"});
  EXPECT_TRUE(r.started);
  EXPECT_EQ(r.exit_code, 7);
  EXPECT_EQ(r.output, "out\n");
  EXPECT_EQ(r.errors, "err\n");
  EXPECT_FALSE(r.succeeded());
}

TEST(Process, MayPrintMoreThanAPipeHolds) {
  const auto r = run_process({"sh", "-c", "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"});
  EXPECT_TRUE(r.succeeded());
  EXPECT_EQ(r.output.size(), 300'000u);
  EXPECT_EQ(r.errors.size(), 300'000u);
}

TEST(Process, ThatDoesNotExistIsNotStarted) {
  const auto r = run_process({"/nonexistent/program"});
  EXPECT_FALSE(r.started);
  EXPECT_FALSE(r.succeeded());
}

TEST(Process, KilledByASignalHasNoCode) {
  const auto r = run_process({"sh", "-c", "kill -KILL $$"});
  EXPECT_EQ(r.exit_code, -1);
  EXPECT_FALSE(r.timed_out);
}

TEST(Process, ThatTakesTooLongIsEnded) {
  const auto begin = std::chrono::steady_clock::now();
  const auto r = run_process({"sleep", "1000"}, 60ms);
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_TRUE(r.timed_out);
  EXPECT_FALSE(r.succeeded());
  EXPECT_GE(took, 60ms);
  EXPECT_LT(took, 100s);
}

TEST(Interruption, EndsTheProcessAndIsRemembered) {
  const interruption guard;
  EXPECT_FALSE(interruption::requested());
  const auto r = run_process({"sh", "-c", "kill -INT $PPID; exec sleep 1000"});
  EXPECT_TRUE(r.interrupted);
  EXPECT_TRUE(interruption::requested());
}

TEST(Interruption, IsSeenWhileNobodyWaits) {
  const interruption guard;
  ::raise(SIGTERM);
  EXPECT_TRUE(interruption::requested());
}

TEST(Interruption, EndsAPause) {
  const interruption guard;
  ::raise(SIGINT);
  const auto begin = std::chrono::steady_clock::now();
  pause_for(1000s);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 100s);
}

TEST(Interruption, IsForgottenAfterwards) {
  {
    const interruption guard;
    ::raise(SIGINT);
  }
  EXPECT_FALSE(interruption::requested());
  EXPECT_TRUE(run_process({"true"}).succeeded());
}

TEST(Pause, IsNeverShort) {
  const auto begin = std::chrono::steady_clock::now();
  pause_for(20ms);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
}

}  // namespace
}  // namespace selectors::perf
