// WAK: ending a wait from outside.
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"
#include "interruptions.hpp"
#include "timing.hpp"

namespace selectors::conformance {

namespace {

using enum interest;
using shared_waker = std::shared_ptr<const wake_handle>;

// One wait is woken at once, and holds exactly `expected` besides.
testing::AssertionResult woken(subject& s, const std::vector<expected_event>& expected = {},
                               timeout t = patience) {
  const stopwatch watch;
  const outcome result = s.wait(t);
  if (!result.woken) return testing::AssertionFailure() << "not woken: " << to_string(result);
  if (result.interrupted) return testing::AssertionFailure() << "interrupted";
  if (watch.elapsed() > 2s) return testing::AssertionFailure() << "woken late";
  return holds(result, expected);
}

void wake_ends_a_blocked_wait(context& c) {
  const shared_waker w = c.s().make_waker();
  const std::vector<pipe_ends> idle = make_pipes(3);
  for (int round = 0; round < 2; ++round) {
    for (const timeout t : {timeout(patience), timeout(patience + 1us), timeout::infinite}) {
      const stopwatch watch;
      const later wake(15ms, [&] { w->wake(); });
      const outcome result = c.s().wait(t);
      EXPECT_GE(watch.elapsed(), 15ms);
      ASSERT_TRUE(result.woken);
      EXPECT_TRUE(holds(result, {}));
    }
    if (round == 0) {
      for (const pipe_ends& p : idle) c.s().add(p.reader, read);
    }
  }
  EXPECT_TRUE(silent(c));
}

void early_wake_ends_the_next_wait_only(context& c) {
  const shared_waker w = c.s().make_waker();
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  for (const timeout t : {timeout(patience), timeout(patience + 1us), timeout::infinite}) {
    w->wake();
    ASSERT_TRUE(woken(c.s(), {}, t));
    EXPECT_TRUE(silent(c));
  }
}

void wakes_coalesce(context& c) {
  const shared_waker w = c.s().make_waker();
  const shared_waker same = c.s().make_waker();
  for (const int count : {2, 3, 100'000}) {
    for (int i = 0; i < count; ++i) (i % 2 == 0 ? w : same)->wake();
    EXPECT_TRUE(woken(c.s())) << count << " wakes";
    EXPECT_TRUE(silent(c)) << count << " wakes";
  }
}

void look_consumes_a_wake(context& c) {
  const shared_waker w = c.s().make_waker();
  w->wake();
  EXPECT_TRUE(woken(c.s(), {}, timeout::zero));
  EXPECT_TRUE(silent(c));
  EXPECT_FALSE(c.s().wait(timeout::zero).woken);
}

void wake_hides_no_ready_key(context& c) {
  const shared_waker w = c.s().make_waker();
  const std::vector<pipe_ends> pipes = make_readable_pipes(3);
  std::vector<expected_event> all;
  for (const pipe_ends& p : pipes) {
    c.s().add(p.reader, read);
    all.push_back({p.reader, read});
    w->wake();
    EXPECT_TRUE(woken(c.s(), all));
    EXPECT_TRUE(reports(c.s(), all));
  }
  const outcome after = c.s().wait(timeout::zero);
  EXPECT_FALSE(after.woken);
  EXPECT_TRUE(holds(after, all));
}

void wake_takes_no_place_within_a_limit(context& c) {
  const shared_waker w = c.s().make_waker();
  const std::vector<pipe_ends> pipes = make_readable_pipes(3);
  for (const pipe_ends& p : pipes) c.s().add(p.reader, read);
  for (const std::size_t limit : {1u, 2u, 3u}) {
    for (int round = 0; round < 5; ++round) {
      w->wake();
      // The wake may come with a later one of these waits, but with one.
      int wakes = 0;
      for (int i = 0; i < 4; ++i) {
        const outcome result = c.s().wait(patience, {.limit = limit});
        EXPECT_EQ(result.events.size(), limit);
        wakes += static_cast<int>(result.woken);
      }
      EXPECT_EQ(wakes, 1) << "limit " << limit;
    }
  }
}

void wakes_do_not_disturb_the_turns(context& c) {
  const shared_waker w = c.s().make_waker();
  const std::vector<pipe_ends> pipes = make_readable_pipes(5);
  for (const pipe_ends& p : pipes) c.s().add(p.reader, read);
  std::vector<int> seen;
  for (int i = 0; i < 20; ++i) {
    w->wake();
    for (const event& e : c.s().wait(patience, {.limit = 2}).events) seen.push_back(e.fd);
  }
  for (const pipe_ends& p : pipes) EXPECT_GE(std::ranges::count(seen, p.reader.get()), 4) << p.reader.get();
}

void waker_is_not_counted(context& c) {
  const pipe_ends p = make_pipe();
  const key k = c.s().add(p.reader, read);
  const shared_waker w = c.s().make_waker();
  w->wake();
  EXPECT_EQ(c.s().size(), 1u);
  EXPECT_EQ(c.s().get_map(), std::vector{k});
  EXPECT_TRUE(woken(c.s()));
  EXPECT_EQ(c.s().size(), 1u);
  EXPECT_EQ(c.s().get_map(), std::vector{k});
  c.s().unregister(p.reader);
  EXPECT_EQ(c.s().size(), 0u);
  w->wake();
  EXPECT_TRUE(woken(c.s())) << "with nothing registered";
}

const wake_handle* to_wake = nullptr;

void wake_may_be_called_in_a_handler(context& c) {
  const shared_waker w = c.s().make_waker();
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  to_wake = w.get();
  for (int i = 0; i < 5; ++i) {
    const interruptions handler({.interval = 5ms, .count = 1, .action = [] { to_wake->wake(); }});
    const outcome result = c.s().wait(patience);
    EXPECT_TRUE(result.woken);
    EXPECT_FALSE(result.interrupted);
    EXPECT_TRUE(holds(result, {}));
    EXPECT_EQ(handler.handled(), 1);
  }
}

void wake_keeps_errno(context& c) {
  const shared_waker w = c.s().make_waker();
  const auto expect_kept = [&](const char* when) {
    errno = E2BIG;
    w->wake();
    EXPECT_EQ(errno, E2BIG) << when;
  };
  expect_kept("first wake");
  for (int i = 0; i < 70'000; ++i) w->wake();
  expect_kept("after as many as a pipe holds");
  c.s().wait(timeout::zero);
  c.destroy();
  expect_kept("nobody there");
}

void no_wake_is_lost(context& c) {
  const shared_waker w = c.s().make_waker();
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  constexpr int rounds = 2000;
  std::atomic<int> asked{0};
  std::atomic<bool> over{false};
  const std::jthread other([&] {
    int answered = 0;
    while (!over) {
      if (asked.load() == answered) {
        std::this_thread::yield();
        continue;
      }
      ++answered;
      w->wake();
    }
  });
  for (int i = 0; i < rounds; ++i) {
    ++asked;
    const bool was_woken = c.s().wait(patience).woken;
    if (!was_woken) {
      ADD_FAILURE() << "wake " << i << " of " << rounds << " was lost";
      break;
    }
  }
  over = true;
}

void no_wake_of_many_threads_is_lost(context& c) {
  const shared_waker w = c.s().make_waker();
  constexpr int threads = 4;
  constexpr int each = 1500;
  std::atomic<int> done{0};
  std::vector<std::jthread> others;
  for (int t = 0; t < threads; ++t) {
    others.emplace_back([&] {
      for (int i = 0; i < each; ++i) {
        done.fetch_add(1);
        w->wake();
        if (i % 16 == 0) std::this_thread::yield();
      }
    });
  }
  // What was done before a wake is seen after the wait that it ends.
  while (done < threads * each) {
    const bool was_woken = c.s().wait(patience).woken;
    if (!was_woken) {
      ADD_FAILURE() << "nobody woke the wait at " << done << " of " << threads * each;
      break;
    }
  }
  others.clear();
  EXPECT_EQ(done.load(), threads * each);
}

void late_wake_reaches_nobody(context& c) {
  const shared_waker closed = c.s().make_waker();
  closed->wake();
  c.s().close();
  const std::unique_ptr<subject> gone = c.another();
  std::unique_ptr<subject> mortal = c.another();
  const shared_waker orphan = mortal->make_waker();
  mortal.reset();
  // Whoever kept a number writes into one of these, or wakes this selector.
  const shared_waker own = gone->make_waker();
  std::vector<descriptor> newcomers;
  for (int i = 0; i < 8; ++i)
    newcomers.emplace_back(checked(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd"));
  for (int i = 0; i < 3; ++i) {
    closed->wake();
    orphan->wake();
  }
  for (const descriptor& fd : newcomers) EXPECT_EQ(take(fd, 8), 0u) << "written to " << fd.get();
  EXPECT_TRUE(silent(*gone, c.info()));
}

void waker_follows_a_move(context& c) {
  const shared_waker before = c.s().make_waker();
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  before->wake();
  const std::unique_ptr<subject> moved = c.s().move_out();
  EXPECT_TRUE(woken(*moved)) << "a wake from before the move";
  before->wake();
  EXPECT_TRUE(woken(*moved));
  c.destroy();
  before->wake();
  EXPECT_TRUE(woken(*moved)) << "the old place is gone";
  EXPECT_TRUE(silent(*moved, c.info()));
}

}  // namespace

std::span<const test_case> wakers_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"WAK-01", "TIM-03"}, "WakeEndsABlockedWait", wake_ends_a_blocked_wait, waker},
      {{"WAK-02"}, "EarlyWakeEndsTheNextWaitOnly", early_wake_ends_the_next_wait_only, waker},
      {{"WAK-03"}, "WakesCoalesce", wakes_coalesce, waker},
      {{"WAK-04"}, "LookConsumesAWake", look_consumes_a_wake, waker},
      {{"WAK-05"}, "WakeHidesNoReadyKey", wake_hides_no_ready_key, waker},
      {{"WAK-05"}, "WakeTakesNoPlaceWithinALimit", wake_takes_no_place_within_a_limit, waker | limit},
      {{"WAK-05", "FAI-03"}, "WakesDoNotDisturbTheTurns", wakes_do_not_disturb_the_turns, waker | limit},
      {{"WAK-05"}, "WakerIsNotCounted", waker_is_not_counted, waker | counting | get_map},
      {{"WAK-06"}, "WakeMayBeCalledInAHandler", wake_may_be_called_in_a_handler, waker},
      {{"WAK-06"}, "WakeKeepsErrno", wake_keeps_errno, waker},
      {{"WAK-08"}, "NoWakeIsLost", no_wake_is_lost, waker},
      {{"WAK-08"}, "NoWakeOfManyThreadsIsLost", no_wake_of_many_threads_is_lost, waker},
      {{"WAK-20"}, "LateWakeReachesNobody", late_wake_reaches_nobody, waker | close},
      {{"WAK-20"}, "WakerFollowsAMove", waker_follows_a_move, waker | move},
  };
  return cases;
}

}  // namespace selectors::conformance
