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

// The endless wait last: where the hook is not asked, nothing would end it.
void hook_ends_the_wait(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  for (const timeout t : {timeout(patience), timeout(patience + 1us), timeout::infinite}) {
    const interruptions i({.interval = 5ms, .count = 1000});
    hook_log log{.end_after = 2};
    const outcome result = c.s().wait(t, {.on_interrupt = &logging_hook, .context = &log});
    EXPECT_TRUE(holds(result, {}));
    ASSERT_TRUE(result.interrupted);
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
  EXPECT_TRUE(holds(c.s().wait(5ms, {.on_interrupt = &logging_hook, .context = &log}), {{p.reader, read}}));
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
  // The endless one last: where the mask is ignored, nothing would end it.
  for (const timeout t : {timeout(patience), timeout(patience + 1us), timeout(3ms), timeout(100us),
                          timeout::zero, timeout::infinite}) {
    signal.send();
    ASSERT_EQ(signal.handled(), sent);
    const outcome result = c.s().wait(t, {.sigmask = signal.open_mask()});
    ASSERT_EQ(signal.handled(), ++sent) << t.duration().count() << " ns";
    EXPECT_TRUE(result.interrupted);
    EXPECT_TRUE(holds(result, {}));
  }
  EXPECT_FALSE(c.s().wait(5ms, {.sigmask = signal.open_mask()}).interrupted) << "nothing is pending";
}

void mask_lets_a_late_signal_end_the_wait(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  const blocked_interruption signal;
  const pthread_t here = ::pthread_self();
  const stopwatch watch;
  const later kill(20ms, [here] { ::pthread_kill(here, interruption); });
  const outcome result = c.s().wait(patience, {.sigmask = signal.open_mask()});
  EXPECT_GE(watch.elapsed(), 20ms);
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(holds(result, {}));
  EXPECT_EQ(signal.handled(), 1);
}

void ready_descriptor_wins_over_a_signal(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  put(p.writer);
  const blocked_interruption signal;
  for (const timeout t : {timeout(patience), timeout(100us), timeout::zero, timeout::infinite}) {
    signal.send();
    const outcome result = c.s().wait(t, {.sigmask = signal.open_mask()});
    EXPECT_TRUE(holds(result, {{p.reader, read}})) << t.duration().count() << " ns";
    EXPECT_FALSE(result.interrupted);
  }
}

void mask_is_restored(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  const blocked_interruption signal;
  sigset_t everything{};
  sigfillset(&everything);
  const auto expect_restored = [](const char* after) {
    EXPECT_TRUE(is_blocked(interruption)) << "after " << after;
    EXPECT_FALSE(is_blocked(SIGUSR2)) << "after " << after;
  };
  c.s().wait(2ms, {.sigmask = signal.open_mask()});
  expect_restored("silence");
  c.s().wait(300us, {.sigmask = &everything});
  expect_restored("a wait with everything blocked");
  signal.send();
  c.s().wait(patience, {.sigmask = signal.open_mask()});
  expect_restored("an interruption");
  put(p.writer);
  c.s().wait(patience, {.sigmask = signal.open_mask()});
  c.s().wait(timeout::zero, {.sigmask = &everything});
  expect_restored("an event");
  c.s().wait(timeout::zero);
  expect_restored("a wait without a mask");
}

// A registered and a free number to try verbs with, and what each verb answered.
struct intruder {
  context& c;
  int registered;
  int free;
  std::vector<std::string> wrong;

  void expect_busy(const char* verb, const std::function<void()>& call) {
    if (const auto r = refused(std::errc::device_or_resource_busy, call); !r) {
      wrong.push_back(std::string(verb) + ": " + r.message());
    }
  }

  void try_all() {
    subject& s = c.s();
    using enum feature;
    expect_busy("register_fd", [&] { s.add(free, read); });
    expect_busy("unregister", [&] { s.unregister(registered); });
    expect_busy("wait", [&] { s.wait(timeout::zero); });
    expect_busy("wait with options", [&] { s.wait(timeout::zero, {.limit = 1}); });
    if (c.can(modify)) expect_busy("modify", [&] { s.modify(registered, write); });
    if (c.can(pause)) expect_busy("pause", [&] { s.pause(registered); });
    if (c.can(pause)) expect_busy("resume", [&] { s.resume(registered); });
    if (c.can(get_key)) expect_busy("get_key", [&] { s.get_key(registered); });
    if (c.can(get_map)) expect_busy("get_map", [&] { s.get_map(); });
    if (c.can(audit)) expect_busy("audit", [&] { s.audit(); });
    if (c.can(waker)) expect_busy("make_waker", [&] { s.make_waker(); });
    if (c.can(native_handle)) expect_busy("native_handle", [&] { s.native_handle(); });
  }
};

bool intruding_hook(void* context) {
  static_cast<intruder*>(context)->try_all();
  return true;
}

void hook_may_not_use_the_selector(context& c) {
  const pipe_ends p = make_pipe();
  const pipe_ends other = make_pipe();
  c.s().add(p.reader, read);
  intruder thief{c, p.reader, other.reader, {}};
  {
    const interruptions i({.interval = 5ms, .count = 1000});
    EXPECT_TRUE(c.s().wait(patience, {.on_interrupt = &intruding_hook, .context = &thief}).interrupted);
  }
  for (const std::string& complaint : thief.wrong) ADD_FAILURE() << complaint;
  put(p.writer);
  put(other.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_TRUE(accepted([&] { c.s().add(other.reader, read); }));
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}, {other.reader, read}}));
}

struct hook_trouble {
  int what;
};

bool throwing_hook(void*) {
  throw hook_trouble{7};
}

void exception_of_the_hook_passes_through(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  int caught = 0;
  {
    const interruptions i({.interval = 5ms, .count = 1000});
    try {
      c.s().wait(patience, {.on_interrupt = &throwing_hook});
    } catch (const hook_trouble& trouble) {
      caught = trouble.what;
    }
  }
  EXPECT_EQ(caught, 7);
  EXPECT_TRUE(silent(c));
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_TRUE(accepted([&] { c.s().unregister(p.reader); }));
}

}  // namespace

std::span<const test_case> signals_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"SIG-01"}, "HandlerEndsNoWait", handler_ends_no_wait},
      {{"SIG-01"}, "HandlerEndsNoEndlessWait", handler_ends_no_endless_wait},
      {{"SIG-02"}, "HookEndsTheWait", hook_ends_the_wait, interruption_hook},
      {{"SIG-02"}, "HookMayLetTheWaitGoOn", hook_may_let_the_wait_go_on, interruption_hook},
      {{"SIG-02"},
       "HookIsNotCalledWithoutAnInterruption",
       hook_is_not_called_without_an_interruption,
       interruption_hook},
      {{"SIG-03"}, "StormChangesNoWait", storm_changes_no_wait},
      {{"SIG-03"}, "StormHidesNoEvent", storm_hides_no_event},
      {{"SIG-04"}, "StopAndContinueAreInvisible", stop_and_continue_are_invisible},
      {{"SIG-06"}, "MaskLetsAPendingSignalEndTheWait", mask_lets_a_pending_signal_end_the_wait, sigmask},
      {{"SIG-06"}, "MaskLetsALateSignalEndTheWait", mask_lets_a_late_signal_end_the_wait, sigmask},
      {{"SIG-06"}, "ReadyDescriptorWinsOverASignal", ready_descriptor_wins_over_a_signal, sigmask},
      {{"SIG-07"}, "MaskIsRestored", mask_is_restored, sigmask},
      {{"SIG-20"},
       "HookMayNotUseTheSelector",
       hook_may_not_use_the_selector,
       interruption_hook | names_errors},
      {{"SIG-20"},
       "ExceptionOfTheHookPassesThrough",
       exception_of_the_hook_passes_through,
       interruption_hook},
  };
  return cases;
}

}  // namespace selectors::conformance
