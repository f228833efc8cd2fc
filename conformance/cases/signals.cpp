// SIG: waits that signals interrupt.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>

#include <limits>

#include "chapters.hpp"
#include "children.hpp"
#include "claims.hpp"
#include "descriptors.hpp"
#include "interruptions.hpp"
#include "timing.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

void handler_ends_no_wait(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  for (const int flags : {0, SA_RESTART}) {
    for (const auto t : {40'000'000ns, 30'300'000ns}) {
      const interruptions i({.interval = 6ms, .count = 1000, .flags = flags});
      EXPECT_TRUE(lasts(c.s(), t));
      EXPECT_GE(i.handled(), 1);
    }
  }
}

void handler_ends_no_endless_wait(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  const interruptions i({.interval = 6ms, .count = 1000});
  const stopwatch watch;
  const later ready(40ms, [&] { put(p.writer); });
  EXPECT_TRUE(holds(c.s().wait(timeout::infinite), {{p.reader, read}}));
  EXPECT_GE(watch.elapsed(), 40ms);
  EXPECT_GE(i.handled(), 1);
}

struct hook_log {
  int calls = 0;
  int end_after = std::numeric_limits<int>::max();
};

bool logging_hook(void* context) {
  auto& log = *static_cast<hook_log*>(context);
  return ++log.calls >= log.end_after;
}

void hook_ends_the_wait(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  for (const timeout t : {timeout(patience), timeout(patience + 1us), timeout::infinite}) {
    const interruptions i({.interval = 5ms, .count = 1000});
    hook_log log{.end_after = 2};
    const outcome result = c.s().wait(t, {.on_interrupt = &logging_hook, .context = &log});
    EXPECT_TRUE(holds(result, {}));
    EXPECT_TRUE(result.interrupted);
    EXPECT_FALSE(result.woken);
    EXPECT_EQ(log.calls, 2);
  }
  EXPECT_TRUE(silent(c)) << "afterwards";
}

void hook_may_let_the_wait_go_on(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  const interruptions i({.interval = 5ms, .count = 1000});
  hook_log log;
  const stopwatch watch;
  const outcome empty = c.s().wait(40ms, {.on_interrupt = &logging_hook, .context = &log});
  EXPECT_GE(watch.elapsed(), 40ms);
  EXPECT_TRUE(holds(empty, {}));
  EXPECT_FALSE(empty.interrupted);
  EXPECT_GE(log.calls, 1);
  const later ready(20ms, [&] { put(p.writer); });
  const outcome result = c.s().wait(patience, {.on_interrupt = &logging_hook, .context = &log});
  EXPECT_TRUE(holds(result, {{p.reader, read}}));
  EXPECT_FALSE(result.interrupted);
}

void hook_is_not_called_without_an_interruption(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  hook_log log{.end_after = 1};
  EXPECT_FALSE(c.s().wait(5ms, {.on_interrupt = &logging_hook, .context = &log}).interrupted);
  put(p.writer);
  EXPECT_TRUE(
      holds(c.s().wait(5ms, {.on_interrupt = &logging_hook, .context = &log}), {{p.reader, read}}));
  EXPECT_EQ(log.calls, 0);
}

// Who begins anew after each signal waits until the storm is over.
void storm_changes_no_wait(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  for (const auto t : {50'000'000ns, 20'300'000ns}) {
    const interruptions storm({.interval = 1ms, .count = 1500});
    EXPECT_TRUE(lasts(c.s(), t, 1000ms));
    EXPECT_GE(storm.handled(), 2);
  }
}

void storm_hides_no_event(context& c) {
  const std::vector<pipe_ends> pipes = make_pipes(3);
  for (const pipe_ends& p : pipes) c.s().add(p.reader, read);
  const interruptions storm({.interval = 1ms, .count = 3000});
  for (int round = 0; round < 3; ++round) {
    const pipe_ends& p = pipes[static_cast<std::size_t>(round)];
    const later ready(15ms, [&] { put(p.writer); });
    EXPECT_TRUE(holds(c.s().wait(patience), {{p.reader, read}}));
    take(p.reader);
  }
  for (int i = 0; i < 200; ++i) {
    put(pipes[0].writer);
    ASSERT_TRUE(holds(c.s().wait(patience), {{pipes[0].reader, read}}));
    take(pipes[0].reader);
    ASSERT_TRUE(holds(c.s().wait(timeout::zero), {}));
  }
}

void stop_and_continue_are_invisible(context& c) {
  const pipe_ends ready = make_pipe();
  companion child([&]() -> verdict {
    const std::unique_ptr<subject> s = c.another();
    const pipe_ends idle = make_pipe();
    s->add(idle.reader, read);
    put(ready.writer);
    const auto r = lasts(*s, 250ms);
    return says(static_cast<bool>(r), r.message());
  });
  ASSERT_TRUE(becomes_true([&] { return take(ready.reader) == 1; }));
  std::this_thread::sleep_for(40ms);  // into its wait, most likely; the claim holds also when it is not there
  for (int i = 0; i < 2; ++i) {
    ::kill(child.pid(), SIGSTOP);
    int status = 0;
    ASSERT_EQ(::waitpid(child.pid(), &status, WUNTRACED), child.pid());
    ASSERT_TRUE(WIFSTOPPED(status));
    ::kill(child.pid(), SIGCONT);
    std::this_thread::sleep_for(20ms);
  }
  const child_result r = child.finish();
  EXPECT_TRUE(r.good()) << r;
}

void mask_lets_a_pending_signal_end_the_wait(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  const blocked_interruption signal;
  int sent = 0;
  for (const timeout t :
       {timeout(patience), timeout(patience + 1us), timeout::infinite, timeout(100us), timeout(1ms)}) {
    signal.send();
    ASSERT_EQ(signal.handled(), sent);
    // Should the mask be ignored, nothing else would end the endless one.
    const later rescue(patience.count() > 1000 ? 8s : 600ms, [&] {});
    const outcome result = c.s().wait(t, {.sigmask = signal.open_mask()});
    EXPECT_EQ(signal.handled(), ++sent) << t.duration().count() << " ns";
    EXPECT_TRUE(result.interrupted);
    EXPECT_TRUE(holds(result, {}));
  }
}

}  // namespace

std::span<const test_case> signals_cases() {
  using enum feature;
  static const std::vector<test_case> cases{};
  return cases;
}

}  // namespace selectors::conformance
