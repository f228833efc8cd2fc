// TIM: how long a wait lasts.
#include <errno.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "chapters.hpp"
#include "children.hpp"
#include "claims.hpp"
#include "descriptors.hpp"
#include "timing.hpp"

namespace selectors::conformance {

namespace {

using enum interest;
using float_seconds = std::chrono::duration<double>;

// A wait of `t`, which is far too long to be waited for, neither fails nor ends until something is ready.
testing::AssertionResult lasts_until_ready(context& c, timeout t) {
  constexpr auto delay = 15ms;
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  const stopwatch watch;
  const later ready(delay, [&] { put(p.writer); });
  const outcome result = c.s().wait(t);
  const auto elapsed = watch.elapsed();
  c.s().unregister(p.reader);
  if (elapsed < delay) {
    return testing::AssertionFailure()
           << "ended after " << elapsed.count() << " ns with " << to_string(result);
  }
  return holds(result, {{p.reader, read}});
}

void zero_looks(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  ASSERT_TRUE(ends_at_once([&] { EXPECT_TRUE(holds(c.s().wait(timeout::zero), {})); }));
  put(p.writer);
  EXPECT_TRUE(holds(c.s().wait(timeout::zero), {{p.reader, read}}));
  EXPECT_TRUE(holds(c.s().wait(0ns), {{p.reader, read}}));
  take(p.reader);
  EXPECT_TRUE(holds(c.s().wait(timeout::zero), {}));
}

void negative_is_zero(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  const std::array<timeout, 8> negative{-1ns,
                                        -1us,
                                        -1ms,
                                        -5s,
                                        std::chrono::nanoseconds::min(),
                                        std::chrono::hours::min(),
                                        float_seconds(-0.0001),
                                        timeout::until(std::chrono::steady_clock::now() - 1h)};
  for (const timeout t : negative) {
    ASSERT_TRUE(ends_at_once([&] { EXPECT_TRUE(holds(c.s().wait(t), {})); }));
  }
  put(p.writer);
  for (const timeout t : negative) EXPECT_TRUE(holds(c.s().wait(t), {{p.reader, read}}));
}

void infinite_lasts_until_something_is_ready(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  EXPECT_TRUE(lasts_until_ready(c, timeout::infinite));
}

void empty_selector_sleeps(context& c) {
  EXPECT_TRUE(ends_at_once([&] { EXPECT_TRUE(holds(c.s().wait(timeout::zero), {})); }));
  EXPECT_TRUE(silent(c));
  EXPECT_TRUE(lasts(c.s(), 300us));
  const pipe_ends p = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  c.s().unregister(p.reader);
  EXPECT_TRUE(silent(c)) << "empty again";
}

void empty_selector_waits_for_a_wake(context& c) {
  const std::shared_ptr<const wake_handle> w = c.s().make_waker();
  // The endless wait last: where no wake arrives, nothing would end it.
  for (const timeout t : {timeout(patience), timeout::infinite}) {
    const stopwatch watch;
    const later wake(20ms, [&] { w->wake(); });
    const outcome result = c.s().wait(t);
    EXPECT_GE(watch.elapsed(), 20ms);
    ASSERT_TRUE(result.woken);
    EXPECT_TRUE(holds(result, {}));
  }
}

void never_returns_early(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  for (const std::chrono::nanoseconds t :
       {1ns, 999ns, 1'000ns, 50'000ns, 999'999ns, 1'000'000ns, 1'000'001ns, 1'500'000ns, 3'100'000ns}) {
    for (int i = 0; i < 25; ++i) ASSERT_TRUE(lasts(c.s(), t)) << t.count() << " ns";
  }
  EXPECT_TRUE(lasts(c.s(), 60ms));
  const stopwatch watch;
  c.s().wait(float_seconds(0.0123));
  EXPECT_GE(watch.elapsed(), 12'300'000ns);
}

// The loop that every program with timers has.
void deadline_is_met_in_few_waits(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  for (const auto span : {300'000ns, 900'000ns, 5'700'000ns, 40'000'000ns}) {
    const auto deadline = std::chrono::steady_clock::now() + span;
    const auto cpu_before = thread_cpu_time();
    const auto before = c.can(feature::counts_calls) ? c.s().calls().waits : 0;
    unsigned waits = 0;
    for (; std::chrono::steady_clock::now() < deadline; ++waits) c.s().wait(timeout::until(deadline));
    EXPECT_LE(waits, 2u) << span.count() << " ns";
    EXPECT_LT(thread_cpu_time() - cpu_before, span / 2 + 5ms) << span.count() << " ns";
    if (c.can(feature::counts_calls)) {
      EXPECT_LE(c.s().calls().waits - before, 3u) << span.count() << " ns";
    }
  }
}

// The best of many tries, because any of them may meet a busy machine.
std::chrono::nanoseconds shortest_wait(subject& s, std::chrono::nanoseconds t,
                                       std::chrono::nanoseconds good) {
  std::chrono::nanoseconds best = std::chrono::hours(1);
  for (int i = 0; i < 40 && best > good; ++i) {
    const stopwatch watch;
    s.wait(t);
    best = std::min(best, watch.elapsed());
  }
  return best;
}

void returns_soon(context& c) {
  const pipe_ends idle = make_pipe();
  c.s().add(idle.reader, read);
  EXPECT_LT(shortest_wait(c.s(), 100us, 2ms), 2ms);
  EXPECT_LT(shortest_wait(c.s(), 1ms, 1'900us), 1'900us) << "a whole millisecond is not rounded up to two";
  EXPECT_LT(shortest_wait(c.s(), 20ms, 25ms), 25ms);
}

void endless_durations_never_fail(context& c) {
  for (const timeout t :
       {timeout::infinite, timeout(std::chrono::nanoseconds::max()),
        timeout(std::chrono::nanoseconds::max() - 1ns), timeout(std::chrono::hours::max()),
        timeout(std::chrono::seconds::max()), timeout(24h * 365 * 290), timeout(float_seconds(1e300)),
        timeout(float_seconds(std::numeric_limits<double>::infinity())),
        timeout::until(std::chrono::steady_clock::time_point::max())}) {
    EXPECT_TRUE(lasts_until_ready(c, t)) << t.duration().count() << " ns";
  }
}

// One above what 31 and 32 bits hold of milliseconds, of microseconds and of nanoseconds.
void long_durations_do_not_wrap_around(context& c) {
  for (const timeout t : {timeout(2'147'483'648ms), timeout(2'147'483'649ms), timeout(4'294'967'297ms),
                          timeout(4'294'967'297us), timeout(4'294'967'297ns), timeout(24h * 365)}) {
    EXPECT_TRUE(lasts_until_ready(c, t)) << t.duration().count() << " ns";
  }
}

void nan_is_refused(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  EXPECT_THROW(c.s().wait(float_seconds(std::nan(""))), std::invalid_argument);
  const float_seconds minus_infinity(-std::numeric_limits<double>::infinity());
  EXPECT_TRUE(ends_at_once([&] { EXPECT_TRUE(holds(c.s().wait(minus_infinity), {})); }));
  put(p.writer);
  EXPECT_TRUE(holds(c.s().wait(minus_infinity), {{p.reader, read}}));
}

void fractions_beyond_a_second_are_accepted(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  c.s().add(p.reader, read);
  const std::array<timeout, 7> fractions{999'999'999ns,  1'000'000'001ns,    1'500ms, 1'999'999'999ns,
                                         1h + 999'999us, 1h + 999'999'999ns, 2s};
  for (const timeout t : fractions) EXPECT_TRUE(holds(c.s().wait(t), {{p.reader, read}}));
  take(p.reader);
  for (const timeout t : fractions) EXPECT_TRUE(lasts_until_ready(c, t)) << t.duration().count() << " ns";
}

// From now on this process gets `error` from epoll_pwait2, as on an older kernel or in a sandbox.
void forbid_the_finest_wait(int error) {
#ifdef SYS_epoll_pwait2
  std::array<sock_filter, 4> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_pwait2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  checked(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(PR_SET_NO_NEW_PRIVS)");
  checked(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), "prctl(PR_SET_SECCOMP)");
#else
  (void)error;  // a build that does not know the call does not make it
#endif
}

constexpr int cannot_forbid = 50;

verdict wait_without_the_finest_call(const context& c, int error) {
  const std::unique_ptr<subject> older = c.another();
  const pipe_ends p = make_pipe();
  older->add(p.reader, read);
  older->wait(10us);
  try {
    forbid_the_finest_wait(error);
  } catch (const setup_error& e) {
    return {cannot_forbid, e.what()};
  }
  const std::unique_ptr<subject> fresh = c.another();
  fresh->add(p.reader, read);
  for (subject* const s : {older.get(), fresh.get()}) {
    for (const auto t : {1'000ns, 300'000ns, 1'500'000ns, 20'300'000ns}) {
      for (int i = 0; i < 5; ++i) {
        if (const auto r = lasts(*s, t); !r) return {1, r.message()};
      }
    }
    if (const auto r = silent(*s, c.info()); !r) return {1, r.message()};
  }
  put(p.writer);
  for (subject* const s : {older.get(), fresh.get()}) {
    if (const auto r = holds(s->wait(1'500us), {{p.reader, read}}); !r) return {1, r.message()};
  }
  return {0, {}};
}

void waits_work_without_the_finest_call(context& c) {
  for (const int error : {ENOSYS, EPERM}) {
    const child_result r = in_child([&] { return wait_without_the_finest_call(c, error); });
    if (r.code == cannot_forbid) throw setup_error(r.message);
    EXPECT_TRUE(r.good()) << "with error " << error << ": " << r;
  }
}

}  // namespace

std::span<const test_case> timeouts_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"TIM-01"}, "ZeroLooks", zero_looks},
      {{"TIM-02"}, "NegativeIsZero", negative_is_zero},
      {{"TIM-03"}, "InfiniteLastsUntilSomethingIsReady", infinite_lasts_until_something_is_ready},
      {{"TIM-04"}, "EmptySelectorSleeps", empty_selector_sleeps},
      {{"TIM-04", "WAK-01"}, "EmptySelectorWaitsForAWake", empty_selector_waits_for_a_wake, waker},
      {{"TIM-05"}, "NeverReturnsEarly", never_returns_early},
      {{"TIM-06"}, "DeadlineIsMetInFewWaits", deadline_is_met_in_few_waits},
      {{"TIM-07"}, "ReturnsSoon", returns_soon},
      {{"TIM-08"}, "EndlessDurationsNeverFail", endless_durations_never_fail},
      {{"TIM-09"}, "LongDurationsDoNotWrapAround", long_durations_do_not_wrap_around},
      {{"TIM-10"}, "NanIsRefused", nan_is_refused},
      {{"TIM-13"}, "FractionsBeyondASecondAreAccepted", fractions_beyond_a_second_are_accepted},
      {{"TIM-16"}, "WaitsWorkWithoutTheFinestCall", waits_work_without_the_finest_call},
  };
  return cases;
}

}  // namespace selectors::conformance
