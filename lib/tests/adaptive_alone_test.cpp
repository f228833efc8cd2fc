// Adaptive left alone: what it decides by itself, seen from its system calls, and what a thread remembers of it.
#include <algorithm>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "every_backend.hpp"
#include "fake_time.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

// What earlier tests have taught this thread is none of a test's business.
void in_a_fresh_thread(const std::function<void()>& body) {
  std::thread(body).join();
}

std::size_t times(const std::string& made, const std::string& call) {
  std::size_t n = 0;
  for (std::size_t i = made.find(call); i != std::string::npos; i = made.find(call, i + 1)) ++n;
  return n;
}

class AdaptiveAlone : public ::testing::Test {
 protected:
  void register_all(selector& s) const {
    for (const pipe_ends& each : p) s.register_fd(each.reader, read);
  }
  std::string calls_of_a_look(selector& s, std::size_t ready) {
    calls.take();
    EXPECT_EQ(s.select(timeout::zero).size(), ready);
    return calls.take();
  }
  // How many looks it takes until one makes these calls and no others; the most that are made when it never does.
  int looks_until(selector& s, const std::string& made, std::size_t ready) {
    constexpr int most = 1000;
    int looks = 1;
    while (calls_of_a_look(s, ready) != made && looks < most) ++looks;
    return looks;
  }
  void make_busy(std::size_t first_ones) const {
    for (std::size_t i = 0; i < first_ones; ++i) put(p[i].writer);
  }
  void expect_mixed(selector& s, std::size_t busy) {
    EXPECT_EQ(calls_of_a_look(s, busy), "poll");
    put(p.back().writer);
    EXPECT_EQ(calls_of_a_look(s, busy + 1), "poll epoll_wait") << "the quiet ones are watched";
    drain(p.back().reader);
  }

  static constexpr std::size_t count = 64;

  std::vector<pipe_ends> p = make_pipes(count);
  recorded_calls calls;
};

// ------------------------------------------------------------------------------------------------------- one life

TEST_F(AdaptiveAlone, RegisteringOnceMoreDoesNotPreventThePurchase) {
  in_a_fresh_thread([&] {
    selector s(backend::adaptive);
    register_all(s);
    EXPECT_EQ(calls_of_a_look(s, 0), "poll");
    const pipe_ends late = make_pipe();
    s.register_fd(late.reader, read);
    EXPECT_LT(looks_until(s, "epoll_wait", 0), 500);
  });
}

TEST_F(AdaptiveAlone, ShortLivedRegistrationsDo) {
  in_a_fresh_thread([&] {
    const std::vector<pipe_ends> brief = make_pipes(3);
    selector s(backend::adaptive);
    register_all(s);
    for (int i = 0; i < 300; ++i) {
      for (const pipe_ends& each : brief) s.register_fd(each.reader, read);
      ASSERT_EQ(calls_of_a_look(s, 0), "poll") << i;
      for (const pipe_ends& each : brief) s.unregister(each.reader);
    }
  });
}

TEST_F(AdaptiveAlone, EmptyLooksNowAndThenKeepItWatching) {
  in_a_fresh_thread([&] {
    selector s(backend::adaptive);
    register_all(s);
    EXPECT_LT(looks_until(s, "epoll_wait", 0), 500);
    for (int i = 0; i < 300; ++i) {
      make_busy(count);
      for (int k = 0; k < 3; ++k) ASSERT_EQ(calls_of_a_look(s, count), "epoll_wait") << i;
      for (const pipe_ends& each : p) drain(each.reader);
      for (int k = 0; k < 5; ++k) ASSERT_EQ(calls_of_a_look(s, 0), "epoll_wait") << i;
    }
  });
}

TEST_F(AdaptiveAlone, WhatIsRegisteredLateIsWatchedWhenSuchLiveLong) {
  in_a_fresh_thread([&] {
    selector s(backend::adaptive);
    register_all(s);
    (void)calls_of_a_look(s, 0);
    constexpr std::size_t some = 16;
    for (std::size_t i = 0; i < some; ++i) s.unregister(p[i].reader);
    for (std::size_t i = 0; i < some; ++i) s.register_fd(p[i].reader, read);
    EXPECT_LT(looks_until(s, "epoll_wait", 0), 500);
    for (int i = 0; i < 40; ++i) (void)calls_of_a_look(s, 0);
    for (std::size_t i = 0; i < some; ++i) s.unregister(p[i].reader);
    calls.take();
    for (std::size_t i = 0; i < some; ++i) s.register_fd(p[i].reader, read);
    EXPECT_EQ(times(calls.take(), "epoll_ctl"), some);
    // And those that come and go at each wait are not, nor any other for a while.
    for (int i = 0; i < 10; ++i) {
      (void)calls_of_a_look(s, 0);
      s.unregister(p[0].reader);
      s.register_fd(p[0].reader, read);
    }
    calls.take();
    s.unregister(p[0].reader);
    s.register_fd(p[0].reader, read);
    EXPECT_EQ(calls.take(), "");
    // Unless one is exclusive: nothing may stand between it and its set.
    s.modify(p[1].reader, read, {}, trigger::exclusive);
    s.unregister(p[0].reader);
    calls.take();
    s.register_fd(p[0].reader, read);
    EXPECT_EQ(calls.take(), "epoll_ctl");
  });
}

// ---------------------------------------------------------------------------------------------- the mixed regime

class AdaptiveMixedByItself : public AdaptiveAlone {
 protected:
  static constexpr std::size_t many = 216;
  static constexpr std::size_t busy = 16;

  AdaptiveMixedByItself() {
    p = make_pipes(many);
    register_all(s);
    calls.take();
  }

  selector s{backend::adaptive};
};

TEST_F(AdaptiveMixedByItself, QuietOnesGoAndBusyOnesStay) {
  in_a_fresh_thread([&] {
    make_busy(busy);
    std::size_t bought = 0;
    for (int i = 0; i < 500; ++i) bought += times(calls_of_a_look(s, busy), "epoll_ctl");
    EXPECT_EQ(bought, many - busy) << "an entry for each of the quiet ones";
    expect_mixed(s, busy);
  });
}

TEST_F(AdaptiveMixedByItself, WhatBecomesBusyIsPolledAgain) {
  in_a_fresh_thread([&] {
    EXPECT_LT(looks_until(s, "epoll_wait", 0), 500);
    make_busy(busy);
    EXPECT_LT(looks_until(s, "poll", busy), 500);
    expect_mixed(s, busy);
  });
}

TEST_F(AdaptiveMixedByItself, ALimitHidesNobody) {
  in_a_fresh_thread([&] {
    make_busy(busy);
    for (int i = 0; i < 500; ++i) (void)calls_of_a_look(s, busy);
    for (std::size_t i = busy; i < many; ++i) put(p[i].writer);
    std::map<int, int> seen;
    for (std::size_t i = 0; i < many; ++i) {
      for (const event& e : s.select(timeout::zero, {.limit = 1})) ++seen[e.fd];
    }
    EXPECT_EQ(seen.size(), many);
  });
}

TEST_F(AdaptiveMixedByItself, DoesNotComeAboutWhereTheHandleHasToShowEverything) {
  in_a_fresh_thread([&] {
    (void)s.native_handle();
    make_busy(busy);
    for (int i = 0; i < 500; ++i) ASSERT_EQ(calls_of_a_look(s, busy), "epoll_wait") << i;
    make_busy(many);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(calls_of_a_look(s, many), "epoll_wait") << i;
  });
}

TEST_F(AdaptiveMixedByItself, NorBesideAnExclusiveOne) {
  in_a_fresh_thread([&] {
    s.modify(p[0].reader, read, {}, trigger::exclusive);
    make_busy(busy);
    for (int i = 0; i < 500; ++i) ASSERT_EQ(calls_of_a_look(s, busy), "epoll_wait") << i;
  });
}

// ------------------------------------------------------------------------------------------------ looking first

TEST(AdaptiveLooksFirst, AndThenWaitsForWhatIsLeftOfTheTime) {
  selector s(backend::adaptive);
  fake_time time;
  using waits = std::vector<fake_time::asked>;
  EXPECT_TRUE(s.select(20ms).empty());
  EXPECT_EQ(time.take(), (waits{{"poll", 0}, {"poll", 20'000'000}}));
  EXPECT_TRUE(s.select(20ms).empty());
  EXPECT_EQ(time.take(), (waits{{"poll", 20'000'000}})) << "the look found nothing, so it is left out";
}

TEST(AdaptiveLooksFirst, WhereWaitsHaveBeenFindingMoreThanOne) {
  const std::vector<pipe_ends> p = make_pipes(2);
  selector s(backend::adaptive);
  for (const pipe_ends& each : p) s.register_fd(each.reader, read);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(s.select(1ns).empty());
  for (const pipe_ends& each : p) put(each.writer);
  recorded_calls calls;
  EXPECT_EQ(s.select(1h).size(), 2u);
  EXPECT_EQ(calls.take(), "poll");
  for (const pipe_ends& each : p) drain(each.reader);
  EXPECT_TRUE(s.select(1ns).empty());
  EXPECT_EQ(calls.take(), "poll ppoll");
}

TEST(AdaptiveLooksFirst, AndAWakeThatItFindsIsEnough) {
  selector s(backend::adaptive);
  const waker w = s.make_waker();
  w.wake();
  recorded_calls calls;
  EXPECT_TRUE(s.select().woken());
  EXPECT_EQ(calls.take(), "poll read");
}

// --------------------------------------------------------------------------------------------- from life to life

class AdaptiveLives : public AdaptiveAlone {
 protected:
  static constexpr int long_life = 300;

  std::string live(int looks) {
    selector s(backend::adaptive);
    register_all(s);
    const std::string first = calls_of_a_look(s, 0);
    for (int i = 1; i < looks; ++i) (void)calls_of_a_look(s, 0);
    return first;
  }
  void expect_bought_at_once() {
    const std::string made = live(1);
    EXPECT_EQ(times(made, "epoll_ctl"), count) << made;
    EXPECT_EQ(times(made, "epoll_wait"), 1u) << made;
  }
};

TEST_F(AdaptiveLives, TwoThatWereLongEnoughConvince) {
  in_a_fresh_thread([&] {
    EXPECT_EQ(live(long_life), "poll");
    EXPECT_EQ(live(long_life), "poll");
    expect_bought_at_once();
  });
}

TEST_F(AdaptiveLives, OneOfASingleLookTellsNothing) {
  in_a_fresh_thread([&] {
    EXPECT_EQ(live(long_life), "poll");
    EXPECT_EQ(live(1), "poll");
    EXPECT_EQ(live(long_life), "poll");
    expect_bought_at_once();
  });
}

TEST_F(AdaptiveLives, TheNextOneHasAccountsOfItsOwn) {
  int usual = 0;
  const auto looks_until_bought = [&] {
    selector s(backend::adaptive);
    register_all(s);
    int looks = 1;
    while (calls_of_a_look(s, 0) == "poll") ++looks;
    return looks;
  };
  in_a_fresh_thread([&] { usual = looks_until_bought(); });
  in_a_fresh_thread([&] {
    EXPECT_EQ(live(usual - 1), "poll");
    EXPECT_EQ(looks_until_bought(), usual);
  });
}

}  // namespace
}  // namespace selectors::tests
