// The interruption hook: when it is called, what it may end, what it may not touch.
#include <csignal>
#include <stdexcept>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "every_backend.hpp"
#include "fake_time.hpp"
#include "verbs.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;

class Interruption : public every_backend {
 protected:
  Interruption() { s.register_fd(pipe.reader, interest::read); }

  pipe_ends pipe = make_pipe();
  selector s{GetParam()};
};

// A hook that counts its calls and answers true at the n-th.
struct countdown {
  int until;
  int calls = 0;
  static bool hook(void* self) {
    auto& c = *static_cast<countdown*>(self);
    return ++c.calls == c.until;
  }
};

TEST_P(Interruption, CallsTheHookEachTimeUntilItEndsTheWait) {
  fake_time time;
  time.script.assign(5, {.lasts = 1, .error = EINTR});
  countdown third{.until = 3};
  const selection found = s.select(1s, {.on_interrupt = &countdown::hook, .context = &third});
  EXPECT_TRUE(found.interrupted());
  EXPECT_TRUE(found.empty());
  EXPECT_FALSE(found.woken());
  EXPECT_EQ(third.calls, 3);
  EXPECT_EQ(time.take().size(), 3u) << "no wait after the hook has ended it";
}

TEST_P(Interruption, AWaitThatIsNotInterruptedCallsNoHook) {
  countdown never{.until = 1};
  EXPECT_FALSE(s.select(1ms, {.on_interrupt = &countdown::hook, .context = &never}).interrupted());
  put(pipe.writer);
  EXPECT_EQ(s.select(1s, {.on_interrupt = &countdown::hook, .context = &never}).size(), 1u);
  EXPECT_EQ(never.calls, 0);
}

TEST_P(Interruption, UnderAMaskEndsTheWait) {
  sigset_t none;
  sigemptyset(&none);
  fake_time time;
  time.script = {{.lasts = 1, .error = EINTR}};
  countdown never{.until = 0};
  const selection found =
      s.select(1s, {.sigmask = &none, .on_interrupt = &countdown::hook, .context = &never});
  EXPECT_TRUE(found.interrupted());
  EXPECT_EQ(time.take().size(), 1u);
}

TEST_P(Interruption, WhatIsReadyAtTheEndOfTimeIsStillFound) {
  const auto real = system_call.monotonic_nanoseconds;
  std::int64_t jump = 0;
  replaced<&system_calls::monotonic_nanoseconds> clock([&] { return real() + jump; });
  // The first wait is interrupted after its deadline, and meanwhile something has come.
  const auto interrupted = [&] {
    jump = 10'000'000'000;
    put(pipe.writer);
    errno = EINTR;
    return -1;
  };
  bool first = true;
  const auto once = [&](auto real_call, auto... args) {
    return std::exchange(first, false) ? interrupted() : real_call(args...);
  };
  replaced<&system_calls::poll> p([&, r = system_call.poll](auto... a) { return once(r, a...); });
  replaced<&system_calls::epoll_wait> e([&, r = system_call.epoll_wait](auto... a) { return once(r, a...); });
  replaced<&system_calls::select> l([&, r = system_call.select](auto... a) { return once(r, a...); });
  EXPECT_EQ(s.select(1s).size(), 1u);
  EXPECT_FALSE(first);
}

TEST_P(Interruption, AnExceptionOfTheHookPassesThroughAndLeavesTheSelectorUsable) {
  {
    fake_time time;
    time.script = {{.lasts = 1, .error = EINTR}};
    const auto hook = [](void*) -> bool { throw std::out_of_range("from the hook"); };
    EXPECT_THROW((void)s.select(1s, {.on_interrupt = hook}), std::out_of_range);
  }
  put(pipe.writer);
  EXPECT_EQ(s.select().size(), 1u);
  EXPECT_TRUE(s.contains(pipe.reader));
}

// Every verb from inside the hook, then one look at the selector: nothing has happened to it.
struct misuse {
  selector& s;
  int fd;
  std::vector<std::string> wrong = {};

  static bool hook(void* self) {
    auto& m = *static_cast<misuse*>(self);
    for (const verb& v : every_verb(m.fd)) {
      const std::string answers = unlike(v, m.s, errc::busy);
      if (!answers.empty()) m.wrong.push_back(answers);
    }
    m.s.close();
    return false;
  }
};

TEST_P(Interruption, TheHookCannotUseTheSelector) {
  const waker w = s.make_waker();
  const key before = s.get_key(pipe.reader);
  misuse m{s, pipe.reader};
  {
    fake_time time;
    time.script = {{.lasts = 1, .error = EINTR}};
    EXPECT_TRUE(s.select(1s, {.on_interrupt = &misuse::hook, .context = &m}).empty());
    EXPECT_GE(time.take().size(), 2u);
  }
  EXPECT_EQ(m.wrong, std::vector<std::string>());
  EXPECT_EQ(s.get_key(pipe.reader), before);
  put(pipe.writer);
  w.wake();
  const selection found = s.select();
  EXPECT_EQ(found.size(), 1u);
  EXPECT_TRUE(found.woken()) << "wakers from before are still listened to";
}

TEST_P(Interruption, TheHookMayAskWhatCostsNothing) {
  struct question {
    selector& s;
    int fd;
    bool right = false;
  } q{s, pipe.reader};
  fake_time time;
  time.script = {{.lasts = 1, .error = EINTR}};
  const auto hook = [](void* context) {
    auto& asked = *static_cast<question*>(context);
    asked.right = asked.s.size() == 1 && asked.s.contains(asked.fd);
    return true;
  };
  (void)s.select(1s, {.on_interrupt = hook, .context = &q});
  EXPECT_TRUE(q.right);
}

TEST_P(Interruption, ARealSignalIsHiddenAndTheTimeKept) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGALRM, &action, &before), 0);
  timer_t timer{};
  sigevent notice{};
  notice.sigev_notify = SIGEV_SIGNAL;
  notice.sigev_signo = SIGALRM;
  ASSERT_EQ(::timer_create(CLOCK_MONOTONIC, &notice, &timer), 0);
  const itimerspec every{{0, 3'000'000}, {0, 3'000'000}};
  ASSERT_EQ(::timer_settime(timer, 0, &every, nullptr), 0);
  countdown never{.until = 0};
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(s.select(40ms, {.on_interrupt = &countdown::hook, .context = &never}).empty());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 40ms);
  EXPECT_GE(never.calls, 1);
  ::timer_delete(timer);
  ::sigaction(SIGALRM, &before, nullptr);
}

INSTANTIATE_TEST_SUITE_P(, Interruption, all_backends(), backend_name);

}  // namespace
}  // namespace selectors::tests
