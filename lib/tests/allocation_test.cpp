// What allocates, what does not, and what happens when there is no memory.
#include <functional>

#include <selectors/selector.hpp>

#include "allocations.hpp"
#include "descriptors.hpp"
#include "every_backend.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

std::size_t allocations_of(const std::function<void()>& what) {
  const std::size_t before = allocations();
  what();
  return allocations() - before;
}

class Allocations : public every_backend {
 protected:
  selector s{GetParam()};
};

TEST_P(Allocations, ASteadySelectMakesNone) {
  const std::vector<pipe_ends> pipes = make_pipes(64);
  for (const pipe_ends& p : pipes) s.register_fd(p.reader, read);
  const auto expect_none = [&](std::size_t ready, const char* what) {
    const auto all = [&] {
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(s.select(timeout::zero).size(), ready);
        EXPECT_LE(s.select(timeout::zero, {.limit = 3}).size(), 3u);
        EXPECT_EQ(s.select(ready == 0 ? timeout(1us) : timeout::infinite).size(), ready);
        EXPECT_EQ(s.select(1ms).size(), ready);
      }
    };
    // Adaptive has made its purchases by then.
    for (int i = 0; i < 40; ++i) all();
    EXPECT_EQ(allocations_of(all), 0u) << what;
  };
  expect_none(0, "none ready");
  put(pipes[7].writer);
  expect_none(1, "one ready");
  for (const pipe_ends& p : pipes) put(p.writer);
  expect_none(64, "all ready");
}

TEST_P(Allocations, VerbsMakeNoneOnceTheirNumbersAreKnown) {
  const std::vector<pipe_ends> pipes = make_pipes(20);
  const waker w = s.make_waker();
  const auto all = [&] {
    for (const pipe_ends& p : pipes) s.register_fd(p.reader, read, {}, trigger::oneshot);
    for (const pipe_ends& p : pipes) s.modify(p.reader, read | write);
    for (const pipe_ends& p : pipes) s.pause(p.reader);
    for (const pipe_ends& p : pipes) s.resume(p.reader);
    w.wake();
    EXPECT_TRUE(s.select().woken());
    for (const pipe_ends& p : pipes) EXPECT_EQ(s.get_key(p.reader).fd, p.reader);
    for (const pipe_ends& p : pipes) s.unregister(p.reader);
  };
  all();
  EXPECT_EQ(allocations_of(all), 0u);
}

TEST_P(Allocations, ATwinThatFailsMakesNone) {
  std::error_code ec;
  EXPECT_EQ(allocations_of([&] {
              s.register_fd(-1, read, {}, trigger::level, ec);
              s.unregister(3, ec);
              s.select(timeout::zero, {.limit = 0}, ec);
            }),
            0u);
  EXPECT_TRUE(ec);
}

TEST_P(Allocations, ASnapshotMakesOne) {
  const std::vector<pipe_ends> pipes = make_pipes(20);
  for (const pipe_ends& p : pipes) s.register_fd(p.reader, read);
  EXPECT_EQ(allocations_of([&] { EXPECT_EQ(s.get_map().size(), 20u); }), 1u);
  EXPECT_EQ(allocations_of([&] { EXPECT_TRUE(s.audit().empty()); }), 1u);
}

INSTANTIATE_TEST_SUITE_P(, Allocations, all_backends(), backend_name);

class WithoutMemory : public every_backend {
 protected:
  // Repeats `verb` with one allocation more granted each time, until it succeeds; returns how often it failed, each
  // time with ENOMEM. `unchanged` is asked after each failure.
  int failures_of(
      const std::function<void(std::error_code&)>& verb,
      const std::function<bool()>& unchanged = [] { return true; }) {
    for (int granted = 0;; ++granted) {
      std::error_code ec;
      const std::size_t before = live_bytes();
      {
        const failing_allocations none(granted);
        verb(ec);
      }
      if (!ec) return granted;
      EXPECT_EQ(ec, std::error_code(ENOMEM, std::system_category())) << granted << " granted";
      EXPECT_TRUE(unchanged()) << granted << " granted";
      if (granted == 0) {
        EXPECT_EQ(live_bytes(), before) << "nothing was granted, so nothing is held";
      }
    }
  }
};

TEST_P(WithoutMemory, NoSelectorIsMadeAndNothingLeaks) {
  forget_kept_storage(GetParam());
  const std::size_t open = open_descriptors();
  std::optional<selector> made;
  EXPECT_GE(failures_of([&](std::error_code& ec) { made = selector::create(GetParam(), ec); },
                        [&] { return !made.has_value() && open_descriptors() == open; }),
            2);
  EXPECT_TRUE(made.has_value());
}

TEST_P(WithoutMemory, TheConstructorThrowsTheSameError) {
  forget_kept_storage(GetParam());
  try {
    const failing_allocations first(0, 1);
    selector none(GetParam());
    FAIL() << "made";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), std::errc::not_enough_memory);
  }
}

TEST_P(WithoutMemory, ARegistrationThatFailsLeavesNoTrace) {
  forget_kept_storage(GetParam());
  selector s(GetParam());
  const std::vector<pipe_ends> pipes = make_pipes(100);
  int failures = 0;
  for (const pipe_ends& p : pipes) {
    const std::size_t before = s.size();
    failures +=
        failures_of([&](std::error_code& ec) { s.register_fd(p.reader, read, {}, trigger::level, ec); },
                    [&] { return s.size() == before && !s.contains(p.reader); });
  }
  EXPECT_GE(failures, 2) << "a directory and a page, at the least";
  EXPECT_EQ(s.size(), pipes.size());
  put(pipes[50].writer);
  EXPECT_EQ(s.select().size(), 1u);
}

TEST_P(WithoutMemory, ASelectThatFailsLosesNothing) {
  forget_kept_storage(GetParam());
  selector s(GetParam());
  const std::vector<pipe_ends> pipes = make_pipes(70);
  for (const pipe_ends& p : pipes) {
    s.register_fd(p.reader, read);
    put(p.writer);
  }
  std::size_t found = 0;
  EXPECT_GE(failures_of([&](std::error_code& ec) { found = s.select(timeout::zero, {}, ec).size(); },
                        [&] { return s.size() == pipes.size(); }),
            1);
  EXPECT_EQ(found, pipes.size());
}

TEST_P(WithoutMemory, TheShortSelectThrowsTheSameError) {
  forget_kept_storage(GetParam());
  selector s(GetParam());
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  put(p.writer);
  for (const timeout t : {timeout::zero, timeout::infinite}) {
    try {
      // Twice: the quick way asks, gives way to the other, and that one asks again.
      const failing_allocations none(0, 2);
      EXPECT_EQ(s.select(t).size(), 1u);
      FAIL() << "there was memory";
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), std::errc::not_enough_memory);
    }
  }
  EXPECT_EQ(s.select().size(), 1u);
}

TEST_P(WithoutMemory, NoWakerIsMadeAndNothingLeaks) {
  selector s(GetParam());
  const std::size_t open = open_descriptors();
  EXPECT_GE(
      failures_of([&](std::error_code& ec) { s.make_waker(ec); }, [&] { return open_descriptors() == open; }),
      1);
  s.make_waker().wake();
  EXPECT_TRUE(s.select().woken());
}

TEST_P(WithoutMemory, NoSnapshotIsTaken) {
  selector s(GetParam());
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  std::vector<key> keys;
  EXPECT_EQ(failures_of([&](std::error_code& ec) { keys = s.get_map(ec); }, [&] { return keys.empty(); }), 1);
  EXPECT_EQ(keys.size(), 1u);
  EXPECT_EQ(failures_of([&](std::error_code& ec) { (void)s.audit(ec); }), 1);
}

TEST_P(WithoutMemory, EverythingThatEndsSomethingWorks) {
  const pipe_ends p = make_pipe();
  const pipe_ends q = make_pipe();
  std::error_code ec;
  std::optional<selector> s(GetParam());
  s->register_fd(p.reader, read);
  s->register_fd(q.reader, read);
  put(q.writer);
  EXPECT_EQ(s->select().size(), 1u);
  const failing_allocations none;
  EXPECT_TRUE(s->pause(p.reader).paused);
  EXPECT_FALSE(s->resume(p.reader).paused);
  EXPECT_EQ(s->modify(p.reader, write, ec).wanted, write);
  EXPECT_EQ(s->unregister(p.reader).fd, p.reader);
  EXPECT_EQ(s->select(timeout::zero).size(), 1u);
  s->close();
  s.reset();
}

INSTANTIATE_TEST_SUITE_P(, WithoutMemory, all_backends(), backend_name);

TEST(WithoutMemoryOnEpoll, AnAnswerWithoutRoomFailsAndRecovers) {
  forget_kept_storage(backend::epoll);
  selector s(backend::epoll);
  std::vector<pipe_ends> pipes = make_pipes(40);
  for (const pipe_ends& p : pipes) s.register_fd(p.reader, read);
  std::error_code ec;
  {
    const failing_allocations second(1);  // the entries' room yes, the kernel's no
    s.select(timeout::zero, {}, ec);
    EXPECT_EQ(ec, std::errc::not_enough_memory);
  }
  put(pipes[0].writer);
  EXPECT_EQ(s.select(timeout::zero).size(), 1u);
}

}  // namespace
}  // namespace selectors::tests
