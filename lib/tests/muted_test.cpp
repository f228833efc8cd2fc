// A condition that nobody asked for: no entry, no busy loop, and on epoll what was asked for is still heard later.
#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "every_backend.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

class UnwantedHangup : public every_backend {
 protected:
  UnwantedHangup() { hung.writer.close(); }

  // That a wait lasts its time without a busy loop.
  void expect_silence() {
    recorded_calls calls;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(s.select(10ms).empty());
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 10ms);
    const std::string made = calls.take();
    EXPECT_LE(std::count(made.begin(), made.end(), ' '), 5) << made;
  }

  pipe_ends hung = make_pipe();
  selector s{GetParam()};
};

TEST_P(UnwantedHangup, IsSilentInEveryMode) {
  for (const trigger mode : {trigger::level, trigger::edge, trigger::oneshot, trigger::exclusive}) {
    if ((mode == trigger::edge && !can().edge) || (mode == trigger::exclusive && !can().exclusive)) continue;
    s.register_fd(hung.reader, write, {}, mode);
    expect_silence();
    expect_silence();
    EXPECT_FALSE(s.get_key(hung.reader).paused);
    s.unregister(hung.reader);
  }
}

TEST_P(UnwantedHangup, HidesNobody) {
  const pipe_ends ready = make_pipe();
  put(ready.writer);
  s.register_fd(hung.reader, write);
  s.register_fd(ready.reader, read);
  for (const std::size_t limit : {std::size_t{1}, std::size_t{10}}) {
    const selection found = s.select(timeout::infinite, {.limit = limit});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].fd, ready.reader);
  }
}

TEST_P(UnwantedHangup, IsWantedAfterModify) {
  s.register_fd(hung.reader, write);
  expect_silence();
  s.modify(hung.reader, read);
  ASSERT_EQ(s.select().size(), 1u);
  EXPECT_EQ(s.select(timeout::zero).size(), 1u) << "level again";
}

TEST_P(UnwantedHangup, MayBePausedResumedAndForgotten) {
  s.register_fd(hung.reader, write);
  expect_silence();
  EXPECT_TRUE(s.pause(hung.reader).paused);
  expect_silence();
  EXPECT_FALSE(s.resume(hung.reader).paused);
  expect_silence();
  s.unregister(hung.reader);
  s.register_fd(hung.reader, read);
  EXPECT_EQ(s.select().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(, UnwantedHangup, all_backends(), backend_name);

// The kernel's first answer shows a hang-up and nothing else; what it says afterwards is real.
class MutedOnEpoll : public ::testing::TestWithParam<trigger> {
 protected:
  int answer(int found, epoll_event* events) {
    if (found == 1 && std::exchange(first, false)) events[0].events = EPOLLHUP;
    return found;
  }

  bool first = true;
  replaced<&system_calls::epoll_wait> waits{
      [this, real = system_call.epoll_wait](auto set, auto events, auto... a) {
        return answer(real(set, events, a...), events);
      }};
  const descriptor counter{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};  // writable
  selector s{backend::epoll};
};

TEST_P(MutedOnEpoll, HearsWhatWasAskedFor) {
  s.register_fd(counter, write, 1, GetParam());
  const selection found = s.select();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].ready, write);
  EXPECT_FALSE(first);
}

TEST_P(MutedOnEpoll, IsAsBeforeAfterwards) {
  s.register_fd(counter, write, 1, GetParam());
  ASSERT_EQ(s.select().size(), 1u);
  const bool again = GetParam() == trigger::level || GetParam() == trigger::exclusive;
  EXPECT_EQ(s.select(timeout::zero).size(), again ? 1u : 0u);
  ASSERT_EQ(::eventfd_write(counter, 1), 0);
  eventfd_t taken = 0;
  ASSERT_EQ(::eventfd_read(counter, &taken), 0);
  EXPECT_EQ(s.select(timeout::zero).size(), again ? 1u : 0u) << "writable anew";
  s.modify(counter, write, 2, GetParam());
  EXPECT_EQ(s.select(timeout::zero).size(), again || GetParam() == trigger::oneshot ? 1u : 0u);
  s.resume(counter);
  EXPECT_EQ(s.unregister(counter).data, user_data(2));
  EXPECT_TRUE(s.select(timeout::zero).empty());
}

TEST_P(MutedOnEpoll, SurvivesAKernelThatRefusesToMute) {
  s.register_fd(counter, write, 1, GetParam());
  for (const int operation : {EPOLL_CTL_MOD, EPOLL_CTL_ADD}) {
    first = true;
    const epoll_ctl_fault refuses(operation, ENOMEM, {.skip = 0, .times = 1});
    EXPECT_LE(s.select(timeout::zero).size(), 1u);
    if (GetParam() != trigger::oneshot) {
      EXPECT_EQ(s.select().size(), 1u) << "its entry is there again";
    }
  }
  s.modify(counter, write, 1, trigger::level);
  EXPECT_EQ(s.select().size(), 1u);
  EXPECT_EQ(s.select().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(, MutedOnEpoll,
                         ::testing::Values(trigger::level, trigger::oneshot, trigger::exclusive),
                         [](const auto& tested) {
                           return tested.param == trigger::level     ? "level"
                                  : tested.param == trigger::oneshot ? "oneshot"
                                                                     : "exclusive";
                         });

TEST(UnwantedHangupOnEpoll, ArmsNoEdgeAnew) {
  pipe_ends hung = make_pipe();
  selector s(backend::epoll);
  s.register_fd(hung.reader, write, {}, trigger::edge);
  hung.writer.close();
  recorded_calls calls;
  EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_EQ(calls.take(), "epoll_wait");
}

TEST(MutedExclusiveOnEpoll, WakesNotEveryWaiterEither) {
  std::vector<std::uint32_t> added;
  const replaced<&system_calls::epoll_ctl> recorded(
      [&, real = system_call.epoll_ctl](int set, int operation, int fd, epoll_event* e) {
        if (operation == EPOLL_CTL_ADD) added.push_back(e->events);
        return real(set, operation, fd, e);
      });
  pipe_ends hung = make_pipe();
  hung.writer.close();
  selector s(backend::epoll);
  s.register_fd(hung.reader, write, {}, trigger::exclusive);
  EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_EQ(added.size(), 2u) << "once more, muted";
  for (const std::uint32_t events : added) EXPECT_NE(events & EPOLLEXCLUSIVE, 0u);
}

}  // namespace
}  // namespace selectors::tests
