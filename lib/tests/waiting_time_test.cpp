// Which system call a timeout becomes, with which number, and that no wait ends early.
#include <limits>

#include <selectors/selector.hpp>

#include "every_backend.hpp"
#include "fake_time.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using waits = std::vector<fake_time::asked>;

constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t longest_int = INT_MAX * millisecond;

class WaitingTime : public every_backend {
 protected:
  const char* coarse() const {
    return is(backend::epoll) ? "epoll_wait" : is(backend::poll) ? "poll" : "select";
  }
  const char* fine() const {
    return is(backend::epoll) ? "epoll_pwait2" : is(backend::poll) ? "ppoll" : "pselect";
  }
  const char* masked() const {
    return is(backend::epoll) ? "epoll_pwait" : is(backend::poll) ? "ppoll" : "pselect";
  }

  selector s{GetParam()};
  fake_time time;
};

TEST_P(WaitingTime, WholeMillisecondsReachTheOrdinaryCallAsTheyAre) {
  for (const auto t : {1ms, 2ms, 20ms, 1000ms, 86'400'000ms}) {
    EXPECT_TRUE(s.select(t).empty());
    EXPECT_EQ(time.take(), (waits{{coarse(), t.count() * millisecond}}));
  }
}

TEST_P(WaitingTime, TheEndOfTheLongestOfAllIsNotReachedBeforeTheClocks) {
  time.script = {{.lasts = millisecond}};  // it is not over, and its end is beyond what can be counted
  EXPECT_TRUE(s.select(std::chrono::nanoseconds::max() - 1ns).empty());
  EXPECT_GE(time.now, std::numeric_limits<std::int64_t>::max() - 1'000'000'000);
}

TEST_P(WaitingTime, ZeroLooksOnceAndReadsNoClock) {
  time.now = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_EQ(time.take(), (waits{{coarse(), 0}}));
  EXPECT_TRUE(s.select(-5s).empty());
  EXPECT_EQ(time.take(), (waits{{coarse(), 0}}));
}

TEST_P(WaitingTime, FinerTimeoutsReachTheFinerCallToTheNanosecond) {
  for (const auto t : {1ns, 999'999ns, 1'000'001ns, 1'500'000'001ns}) {
    EXPECT_TRUE(s.select(t).empty());
    EXPECT_EQ(time.take(), (waits{{fine(), t.count()}}));
  }
}

TEST_P(WaitingTime, MicrosecondsNeedTheFinerCallOnlyWhereMillisecondsAreCounted) {
  EXPECT_TRUE(s.select(250us).empty());
  EXPECT_EQ(time.take(), (waits{{is(backend::select) ? "select" : fine(), 250'000}}));
}

TEST_P(WaitingTime, AMaskNeedsTheMaskingCall) {
  sigset_t none;
  sigemptyset(&none);
  EXPECT_TRUE(s.select(20ms, {.sigmask = &none}).empty());
  EXPECT_EQ(time.take(), (waits{{masked(), 20 * millisecond}}));
  EXPECT_TRUE(s.select(timeout::zero, {.sigmask = &none}).empty());
  // epoll_pwait does not look at signals when it need not wait.
  EXPECT_EQ(time.take(),
            (is(backend::epoll) ? waits{{"ppoll", 0}, {"epoll_wait", 0}} : waits{{masked(), 0}}));
  EXPECT_TRUE(s.select(7ns, {.sigmask = &none}).empty());
  EXPECT_EQ(time.take(), (waits{{fine(), 7}}));
}

TEST_P(WaitingTime, InfiniteIsWaitedForInOneCallWithoutATimeout) {
  time.script = {{.lasts = 1, .error = EINTR}, {.lasts = 1, .error = EDEADLK}};
  EXPECT_THROW((void)s.select(), std::system_error);
  const waits asked = time.take();
  ASSERT_EQ(asked.size(), 2u);
  for (const fake_time::asked& a : asked) EXPECT_EQ(a.nanoseconds, -1);
}

TEST_P(WaitingTime, AnInfiniteWaitThatFindsNothingWaitsOn) {
  time.script = {{.lasts = 1}, {.lasts = 1}, {.lasts = 1, .error = EDEADLK}};
  EXPECT_THROW((void)s.select(), std::system_error);
  EXPECT_EQ(time.take().size(), 3u);
}

TEST_P(WaitingTime, WhatAnIntCannotCountIsWaitedForInPieces) {
  const std::int64_t begin = time.now;
  EXPECT_TRUE(s.select(60 * 24h).empty());
  const std::int64_t days60 = 60 * (86'400'000 * millisecond);
  EXPECT_EQ(time.now - begin, days60);
  if (is(backend::select)) {
    EXPECT_EQ(time.take(), (waits{{"select", days60}})) << "counts in seconds";
  } else {
    EXPECT_EQ(
        time.take(),
        (waits{{coarse(), longest_int}, {coarse(), longest_int}, {coarse(), days60 - 2 * longest_int}}));
  }
}

TEST_P(WaitingTime, TheEdgesOfAnIntOfMillisecondsAreNotWrapped) {
  for (const auto t : {2'147'483'647ms, 2'147'483'648ms, 4'294'967'296ms, 4'294'967'297ms}) {
    const std::int64_t begin = time.now;
    EXPECT_TRUE(s.select(t).empty());
    EXPECT_EQ(time.now - begin, t.count() * millisecond);
    for (const fake_time::asked& a : time.take()) EXPECT_GT(a.nanoseconds, 0);
  }
}

TEST_P(WaitingTime, TheLongestFiniteWaitNeitherOverflowsNorEndsEarly) {
  time.script = {{.lasts = longest_int}, {.lasts = 1, .error = EDEADLK}};
  std::error_code ec;
  s.select(std::chrono::nanoseconds(std::numeric_limits<std::int64_t>::max() - 1), {}, ec);
  EXPECT_EQ(ec.value(), EDEADLK) << "still waiting after 24 days";
  for (const fake_time::asked& a : time.take()) EXPECT_GT(a.nanoseconds, 0);
}

TEST_P(WaitingTime, AKernelThatReturnsEarlyIsAskedForTheRest) {
  const std::int64_t begin = time.now;
  time.script = {{.lasts = 99 * millisecond}, {.lasts = millisecond - 1}};
  EXPECT_TRUE(s.select(100ms).empty());
  EXPECT_GE(time.now - begin, 100 * millisecond);
  EXPECT_EQ(time.take(), (waits{{coarse(), 100 * millisecond}, {coarse(), millisecond}, {fine(), 1}}));
}

TEST_P(WaitingTime, AnInterruptionIsFollowedByTheRestNotByTheWhole) {
  time.script = {{.lasts = 30 * millisecond, .error = EINTR}, {.lasts = 50 * millisecond, .error = EINTR}};
  EXPECT_TRUE(s.select(100ms).empty());
  EXPECT_EQ(
      time.take(),
      (waits{{coarse(), 100 * millisecond}, {coarse(), 70 * millisecond}, {coarse(), 20 * millisecond}}));
}

TEST_P(WaitingTime, AnInterruptionAtTheEndIsFollowedByOneMoreLook) {
  for (const std::int64_t late : {0, 1, 5'000'000}) {
    time.script = {{.lasts = 100 * millisecond + late, .error = EINTR}};
    EXPECT_TRUE(s.select(100ms).empty());
    EXPECT_EQ(time.take(), (waits{{coarse(), 100 * millisecond}, {coarse(), 0}}));
  }
}

TEST_P(WaitingTime, AnInterruptedLookLooksAgain) {
  time.script = {{.lasts = 0, .error = EINTR}, {.lasts = 0, .error = EINTR}};
  EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_EQ(time.take(), (waits{{coarse(), 0}, {coarse(), 0}, {coarse(), 0}}));
}

TEST_P(WaitingTime, AStormOfInterruptionsNeitherShortensNorProlongsAWait) {
  const std::int64_t begin = time.now;
  time.script.assign(700, {.lasts = 50'001, .error = EINTR});
  EXPECT_TRUE(s.select(40ms).empty());
  EXPECT_EQ(time.now - begin, 40 * millisecond);
  EXPECT_EQ(time.take().size(), 701u);
}

TEST_P(WaitingTime, AFailureOfTheKernelIsPassedOnUntouched) {
  for (const int error : {ENOMEM, EINVAL, EFAULT}) {
    time.script = {{.lasts = 0, .error = error}};
    std::error_code ec;
    EXPECT_TRUE(s.select(1s, {}, ec).empty());
    EXPECT_EQ(ec, std::error_code(error, std::system_category()));
    EXPECT_EQ(time.take().size(), 1u);
  }
  EXPECT_TRUE(s.select(1ms).empty()) << "and the selector goes on";
}

INSTANTIATE_TEST_SUITE_P(, WaitingTime, fixed_backends(), backend_name);

// What a selector has learned about the kernel stays with its storage, for the next one.
class FineWaitOfEpoll : public ::testing::TestWithParam<int> {
 protected:
  FineWaitOfEpoll() { forget_kept_storage(backend::epoll); }
  ~FineWaitOfEpoll() override {
    s.close();
    forget_kept_storage(backend::epoll);
  }
  selector s{backend::epoll};
  fake_time time;
};

// ENOSYS: the kernel is older than 5.11. EPERM: a sandbox that does not know the call.
TEST_P(FineWaitOfEpoll, IsReplacedByMillisecondsRoundedUpWhereItIsMissing) {
  time.script = {{.lasts = 0, .error = GetParam()}};
  EXPECT_TRUE(s.select(1ns).empty());
  EXPECT_EQ(time.take(), (waits{{"epoll_pwait2", 1}, {"epoll_wait", millisecond}}));
  EXPECT_TRUE(s.select(2'000'001ns).empty());
  EXPECT_EQ(time.take(), (waits{{"epoll_wait", 3 * millisecond}})) << "not tried again";
}

TEST_P(FineWaitOfEpoll, IsReplacedUnderAMaskToo) {
  sigset_t none;
  sigemptyset(&none);
  time.script = {{.lasts = 0, .error = GetParam()}};
  EXPECT_TRUE(s.select(1'000'001ns, {.sigmask = &none}).empty());
  EXPECT_EQ(time.take(), (waits{{"epoll_pwait2", 1'000'001}, {"epoll_pwait", 2 * millisecond}}));
}

INSTANTIATE_TEST_SUITE_P(, FineWaitOfEpoll, ::testing::Values(ENOSYS, EPERM),
                         [](const auto& tested) { return tested.param == ENOSYS ? "ENOSYS" : "EPERM"; });

TEST(FineWaitOfEpollOnRealTime, IsNeverEarlyWithoutTheCall) {
  scoped_fault<&system_calls::epoll_pwait2> missing(ENOSYS);
  forget_kept_storage(backend::epoll);
  selector s(backend::epoll);
  for (int i = 0; i < 20; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(s.select(300us).empty());
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 300us);
  }
  EXPECT_EQ(missing.count(), 1);
  s.close();
  forget_kept_storage(backend::epoll);
}

}  // namespace
}  // namespace selectors::tests
