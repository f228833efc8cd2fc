// FAI: more is ready than one result holds.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

// Numbers of one readable pipe.
std::vector<descriptor> readable_numbers(const pipe_ends& p, std::size_t count) {
  std::vector<descriptor> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(duplicate(p.reader));
  return numbers;
}

void limit_is_kept_and_the_rest_comes_later(context& c) {
  const std::vector<pipe_ends> ready = make_readable_pipes(13);
  const std::vector<pipe_ends> idle = make_pipes(5);
  std::set<int> expected;
  for (const pipe_ends& p : ready) expected.insert(p.reader);
  for (const pipe_ends& p : ready) c.s().add(p.reader, read);
  for (const pipe_ends& p : idle) c.s().add(p.reader, read);
  for (const std::size_t limit : {1u, 3u, 12u, 13u, 14u, 1000u}) {
    std::set<int> seen;
    for (std::size_t i = 0; i < 13; ++i) {
      const outcome result = c.s().wait(patience, {.limit = limit});
      EXPECT_EQ(result.events.size(), std::min<std::size_t>(limit, 13));
      for (const event& e : result.events) {
        EXPECT_EQ(e.ready, read);
        EXPECT_TRUE(expected.contains(e.fd)) << "idle: " << e.fd;
        seen.insert(e.fd);
      }
    }
    EXPECT_EQ(seen, expected) << "limit " << limit;
  }
  for (const pipe_ends& p : ready) take(p.reader);
  EXPECT_TRUE(silent(c));
  EXPECT_TRUE(holds(c.s().wait(5ms, {.limit = 3}), {}));
}

void unregister_between_limited_waits_leaves_the_rest(context& c) {
  constexpr std::size_t count = 5;
  const std::vector<pipe_ends> ready = make_readable_pipes(count);
  for (std::size_t limit = 1; limit < count; ++limit) {
    for (const pipe_ends& gone : ready) {
      for (const pipe_ends& p : ready) c.s().add(p.reader, read);
      c.s().wait(patience, {.limit = limit});
      c.s().unregister(gone.reader);
      for (std::size_t i = 0; i < count; ++i) {
        const outcome result = c.s().wait(patience, {.limit = limit});
        std::set<int> seen;
        for (const event& e : result.events) seen.insert(e.fd);
        EXPECT_EQ(seen.size(), limit) << "each once";
        EXPECT_FALSE(seen.contains(gone.reader));
      }
      for (const pipe_ends& p : ready) {
        if (p.reader != gone.reader) c.s().unregister(p.reader);
      }
    }
  }
}

void limit_needs_few_kernel_waits(context& c) {
  const std::vector<pipe_ends> ready = make_readable_pipes(13);
  for (const pipe_ends& p : ready) c.s().add(p.reader, read);
  for (const std::size_t limit : {1u, 3u, 13u}) {
    for (int i = 0; i < 9; ++i) {
      const call_counts calls = calls_during(c.s(), [&] { c.s().wait(patience, {.limit = limit}); });
      EXPECT_GE(calls.waits, 1u) << "limit " << limit;
      // Where two sets are waited for, one each: RES-07.
      EXPECT_LE(calls.waits, c.can(feature::one_call_waits) ? 1u : 2u) << "limit " << limit;
    }
  }
}

void limit_loses_no_oneshot(context& c) {
  const std::vector<pipe_ends> ready = make_readable_pipes(7);
  for (const pipe_ends& p : ready) c.s().add(p.reader, read, trigger::oneshot);
  std::map<int, int> seen;
  for (int i = 0; i < 4; ++i) {
    for (const event& e : c.s().wait(patience, {.limit = 2}).events) ++seen[e.fd];
  }
  for (const pipe_ends& p : ready) EXPECT_EQ(seen[p.reader], 1) << p.reader.get();
  EXPECT_TRUE(silent(c));
}

void limit_loses_no_edge(context& c) {
  const std::vector<pipe_ends> ready = make_readable_pipes(7);
  for (const pipe_ends& p : ready) c.s().add(p.reader, read, trigger::edge);
  std::set<int> seen;
  for (int i = 0; i < 4; ++i) {
    for (const event& e : c.s().wait(patience, {.limit = 2}).events) seen.insert(e.fd);
  }
  EXPECT_EQ(seen.size(), ready.size());
}

void limit_of_zero_is_refused(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  const auto ask_for_nothing = [&] { c.s().wait(timeout::zero, {.limit = 0}); };
  EXPECT_TRUE(refused(std::errc::invalid_argument, ask_for_nothing)) << "nothing registered";
  c.s().add(p.reader, read);
  EXPECT_TRUE(refused(std::errc::invalid_argument, ask_for_nothing));
  EXPECT_TRUE(refused(std::errc::invalid_argument, [&] { c.s().wait(timeout::infinite, {.limit = 0}); }));
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

// Over n waits with a limit each of the n numbers, all of them ready, is reported as often as the limit says.
void expect_turns(context& c, const std::vector<int>& numbers) {
  for (const std::size_t limit : {1u, 3u, 5u, 12u}) {
    std::map<int, std::size_t> turns;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (const event& e : c.s().wait(patience, {.limit = limit}).events) ++turns[e.fd];
    }
    for (const int fd : numbers) EXPECT_EQ(turns[fd], limit) << fd << " of " << limit;
  }
}

void always_ready_descriptors_take_turns(context& c) {
  const std::vector<pipe_ends> ready = make_readable_pipes(13);
  std::vector<int> numbers;
  for (const pipe_ends& p : ready) {
    c.s().add(p.reader, read);
    numbers.push_back(p.reader);
  }
  expect_turns(c, numbers);
}

// Which a selector may have to watch in another way than the others.
void regular_files_take_turns_with_others(context& c) {
  const std::vector<pipe_ends> ready = make_readable_pipes(11);
  const descriptor file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const descriptor same = duplicate(file);
  std::vector<int> numbers;
  for (const pipe_ends& p : ready) {
    c.s().add(p.reader, read);
    numbers.push_back(p.reader);
  }
  c.s().wait(patience);
  for (const int fd : {file.get(), same.get()}) {
    c.s().add(fd, read);
    numbers.push_back(fd);
  }
  expect_turns(c, numbers);
}

void one_wait_returns_everything(context& c) {
  const pipe_ends p = make_pipe();
  put(p.writer);
  for (const std::size_t count : {33u, 65u, 129u, 513u, 900u, 1025u, 5000u}) {
    if (c.can(feature::fd_limit) && static_cast<int>(count) + 100 > c.info().fd_limit) break;
    allow_descriptors_up_to(static_cast<int>(count) + 200);
    const std::vector<descriptor> numbers = readable_numbers(p, count);
    for (const descriptor& fd : numbers) c.s().add(fd, read);
    const outcome result = c.s().wait(patience);
    std::set<int> seen;
    for (const event& e : result.events) seen.insert(e.fd);
    EXPECT_EQ(result.events.size(), count);
    EXPECT_EQ(seen.size(), count);
    for (const descriptor& fd : numbers) c.s().unregister(fd);
  }
  EXPECT_TRUE(silent(c));
}

void busy_descriptors_hide_no_quiet_one(context& c) {
  constexpr int keys = 6;
  const std::vector<pipe_ends> pipes = make_pipes(keys);
  for (const pipe_ends& p : pipes) c.s().add(p.reader, read);
  // Each in turn is the quiet one: first, in the middle and last of whatever order there is.
  for (const pipe_ends& quiet_one : pipes) {
    for (const pipe_ends& p : pipes) {
      if (p.reader != quiet_one.reader) put(p.writer);
    }
    for (int i = 0; i < 4; ++i) c.s().wait(patience, {.limit = 1});
    put(quiet_one.writer);
    int waits = 1;
    for (; waits <= keys; ++waits) {
      if (entry_of(c.s().wait(patience, {.limit = 1}), quiet_one.reader)) break;
    }
    EXPECT_LE(waits, keys) << "descriptor " << quiet_one.reader.get();
    for (const pipe_ends& p : pipes) drain(p.reader);
  }
}

}  // namespace

std::span<const test_case> fairness_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"FAI-01"}, "LimitIsKeptAndTheRestComesLater", limit_is_kept_and_the_rest_comes_later, limit},
      {{"FAI-01", "REG-08"},
       "UnregisterBetweenLimitedWaitsLeavesTheRest",
       unregister_between_limited_waits_leaves_the_rest,
       limit},
      {{"FAI-01"}, "LimitNeedsFewKernelWaits", limit_needs_few_kernel_waits, limit | counts_calls},
      {{"FAI-01", "MOD-11"}, "LimitLosesNoOneshot", limit_loses_no_oneshot, limit | oneshot},
      {{"FAI-01"}, "LimitLosesNoEdge", limit_loses_no_edge, limit | edge},
      {{"FAI-02"}, "LimitOfZeroIsRefused", limit_of_zero_is_refused, limit | names_errors},
      {{"FAI-03"}, "AlwaysReadyDescriptorsTakeTurns", always_ready_descriptors_take_turns, limit},
      {{"FAI-03"},
       "RegularFilesTakeTurnsWithOthers",
       regular_files_take_turns_with_others,
       limit | regular_files},
      {{"FAI-04"}, "OneWaitReturnsEverything", one_wait_returns_everything},
      {{"FAI-06"}, "BusyDescriptorsHideNoQuietOne", busy_descriptors_hide_no_quiet_one, limit},
  };
  return cases;
}

}  // namespace selectors::conformance
