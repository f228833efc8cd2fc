// RES: what a selector costs, and what it does when the process runs out of descriptors.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "chapters.hpp"
#include "children.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

// For children: no descriptor with a number of `limit` or more can be made.
void set_descriptor_limit(std::size_t limit) {
  rlimit r{};
  checked(::getrlimit(RLIMIT_NOFILE, &r), "getrlimit");
  r.rlim_cur = limit;
  checked(::setrlimit(RLIMIT_NOFILE, &r), "setrlimit");
}

// The lowest number that is free, with every number below it taken.
std::size_t first_free_number() {
  const pipe_ends p = make_pipe();
  const int highest = std::max(p.reader.get(), p.writer.get());
  return static_cast<std::size_t>(highest) + 1;
}

void constructor_without_descriptors_fails_cleanly(context& c) {
  const child_result r = in_child([&]() -> verdict {
    // All numbers below `base` are taken, so that the limit leaves room for exactly `room` new ones.
    std::vector<descriptor> plugs;
    const std::size_t base = first_free_number() + 20;
    for (;;) {
      plugs.push_back(duplicate(0));
      if (static_cast<std::size_t>(plugs.back().get()) >= base) break;
    }
    plugs.pop_back();
    const std::size_t open_before = open_descriptors();
    for (std::size_t room = 0; room < 4; ++room) {
      set_descriptor_limit(base + room);
      std::error_code code;
      try {
        const std::unique_ptr<subject> s = c.another();
        if (c.can(feature::waker)) s->make_waker()->wake();
        if (c.can(feature::native_handle)) s->native_handle();
      } catch (const std::system_error& e) {
        code = e.code();
      }
      set_descriptor_limit(1000);
      const std::string where = "with room for " + std::to_string(room);
      if (code && code != std::errc::too_many_files_open) return {1, where + ": " + code.message()};
      if (open_descriptors() != open_before) return {1, where + ": a descriptor leaked"};
    }
    return {0, {}};
  });
  EXPECT_TRUE(r.good()) << r;
}

void listener_without_descriptors_can_be_paused(context& c) {
  const child_result r = in_child([&]() -> verdict {
    const std::unique_ptr<subject> s = c.another();
    const descriptor listener = make_tcp_listener();
    const descriptor client = make_tcp_socket();
    s->add(listener, read);
    start_connect(client, port_of(listener));
    if (!reports(*s, {{listener, read}})) return {1, "no connection came"};
    set_descriptor_limit(0);
    const int accepted_one = ::accept(listener, nullptr, nullptr);
    const int error = errno;
    set_descriptor_limit(1000);
    if (accepted_one >= 0 || error != EMFILE) return {1, "accept did not fail"};
    if (!reports(*s, {{listener, read}})) return {1, "the listener is no longer readable"};
    s->pause(listener);
    if (!silent(*s, c.info())) return {1, "the paused listener is not silent"};
    s->resume(listener);
    return says(static_cast<bool>(reports(*s, {{listener, read}})), "resume did not bring it back");
  });
  EXPECT_TRUE(r.good()) << r;
}

// What a wait may cost once it is steady: see RES-07.
std::size_t most_calls(const context& c, timeout t) {
  if (c.can(feature::one_call_waits)) return 1;
  return t.is_zero() ? 2 : 3;
}

void steady_wait_is_one_system_call(context& c) {
  const std::vector<pipe_ends> pipes = make_pipes(32);
  for (const pipe_ends& p : pipes) c.s().add(p.reader, read);
  const auto expect_steady = [&](timeout t, std::size_t ready, const char* what) {
    // Whoever changes how it waits has done so by then.
    const int warm_up = c.can(feature::one_call_waits) ? 1 : 150;
    for (int i = 0; i < warm_up; ++i) EXPECT_EQ(c.s().wait(t).events.size(), ready);
    for (int i = 0; i < 5; ++i) {
      const call_counts calls =
          calls_during(c.s(), [&] { EXPECT_EQ(c.s().wait(t).events.size(), ready) << what; });
      EXPECT_LE(calls.waits, most_calls(c, t)) << what;
      EXPECT_GE(calls.waits, 1u) << what;
      EXPECT_EQ(calls.other, 0u) << what;
    }
  };
  expect_steady(timeout::zero, 0, "a look, nothing ready");
  expect_steady(2ms, 0, "milliseconds, nothing ready");
  expect_steady(100us, 0, "microseconds, nothing ready");
  put(pipes[7].writer);
  expect_steady(timeout::zero, 1, "a look, one ready");
  expect_steady(timeout::infinite, 1, "for ever, one ready");
  for (const pipe_ends& p : pipes) put(p.writer);
  expect_steady(timeout::zero, 32, "a look, all ready");
  expect_steady(1s, 32, "a second, all ready");
}

void register_is_at_most_two_system_calls(context& c) {
  const std::vector<pipe_ends> pipes = make_pipes(40);
  for (const pipe_ends& p : pipes) {
    const call_counts calls = calls_during(c.s(), [&] { c.s().add(p.reader, read); });
    EXPECT_LE(calls.waits + calls.other, 2u);
  }
}

}  // namespace

std::span<const test_case> costs_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"RES-01"},
       "ConstructorWithoutDescriptorsFailsCleanly",
       constructor_without_descriptors_fails_cleanly},
      {{"RES-03"},
       "ListenerWithoutDescriptorsCanBePaused",
       listener_without_descriptors_can_be_paused,
       pause},
      {{"RES-07"}, "SteadyWaitIsOneSystemCall", steady_wait_is_one_system_call, counts_calls},
      {{"RES-07"}, "RegisterIsAtMostTwoSystemCalls", register_is_at_most_two_system_calls, counts_calls},
  };
  return cases;
}

}  // namespace selectors::conformance
