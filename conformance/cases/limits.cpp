// SIZ: numbers of descriptors, from the first to the highest, and many of them.
#include <gtest/gtest.h>
#include <sys/select.h>

#include <algorithm>

#include "chapters.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

void numbers_from_the_limit_on_are_refused(context& c) {
  const int limit = c.info().fd_limit;
  allow_descriptors_up_to(limit + 1000);
  const pipe_ends p = make_pipe();
  const pipe_ends low = make_pipe();
  const descriptor last = duplicate(p.reader, limit - 1);
  ASSERT_EQ(last.get(), limit - 1) << "the number was taken";
  c.s().add(low.reader, read);
  EXPECT_TRUE(accepted([&] { c.s().add(last, read); }));
  for (const int lowest : {limit, limit + 900}) {
    const descriptor beyond = duplicate(p.reader, lowest);
    EXPECT_TRUE(refused(std::errc::invalid_argument, [&] { c.s().add(beyond, read); })) << beyond.get();
    EXPECT_TRUE(silent(c, 10ms));
  }
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{last, read}}));
  put(low.writer);
  EXPECT_TRUE(reports(c.s(), {{last, read}, {low.reader, read}}));
  EXPECT_TRUE(accepted([&] { c.s().unregister(last); }));
  EXPECT_TRUE(reports(c.s(), {{low.reader, read}}));
}

void high_numbers_work_like_low_ones(context& c) {
  allow_descriptors_up_to(15'000);
  const pipe_ends low = make_pipe();
  const std::vector<pipe_ends> pipes = make_pipes(4);
  std::vector<descriptor> high;
  c.s().add(low.reader, read);
  std::size_t i = 0;
  for (const int lowest : {FD_SETSIZE - 1, FD_SETSIZE, 2000, 15'000}) {
    high.push_back(duplicate(pipes[i++].reader, lowest));
    EXPECT_TRUE(accepted([&] { c.s().add(high.back(), read); })) << lowest;
  }
  EXPECT_TRUE(silent(c));
  put(pipes[3].writer);
  put(pipes[1].writer);
  put(low.writer);
  EXPECT_TRUE(reports(c.s(), {{high[1], read}, {high[3], read}, {low.reader, read}}));
  for (const descriptor& fd : high) EXPECT_TRUE(accepted([&] { c.s().unregister(fd); }));
  EXPECT_TRUE(reports(c.s(), {{low.reader, read}}));
}

void thousands_report_exactly_the_ready_ones(context& c) {
  const std::size_t count =
      c.can(feature::fd_limit) ? static_cast<std::size_t>(c.info().fd_limit) / 2 - 50 : 3000;
  allow_descriptors_up_to(static_cast<int>(2 * count) + 1000);
  std::vector<pipe_ends> pipes = make_pipes(count);
  std::vector<expected_event> expected;
  for (std::size_t i = 0; i < count; ++i) {
    c.s().add(pipes[i].reader, read);
    if (i % 7 != 3) continue;
    put(pipes[i].writer);
    expected.push_back({pipes[i].reader, read});
  }
  EXPECT_TRUE(holds(c.s().wait(patience), expected));
  for (const pipe_ends& p : pipes) c.s().unregister(p.reader);
  if (c.can(feature::counting)) {
    EXPECT_EQ(c.s().size(), 0u);
  }
  EXPECT_TRUE(silent(c));
}

// Processor time, and the best of many batches: what the machine does besides is not counted.
std::chrono::nanoseconds cost_of_looks(subject& s) {
  std::chrono::nanoseconds best = 1h;
  for (int batch = 0; batch < 20; ++batch) {
    const auto before = thread_cpu_time();
    for (int i = 0; i < 25; ++i) s.wait(timeout::zero);
    best = std::min(best, thread_cpu_time() - before);
  }
  return best;
}

void quiet_descriptors_make_no_wait_dearer(context& c) {
  constexpr int count = 2000;
  allow_descriptors_up_to(count + 200);
  const pipe_ends p = make_pipe();
  std::vector<descriptor> quiet_ones;
  const auto add_one = [&] {
    quiet_ones.push_back(duplicate(p.reader));
    c.s().add(quiet_ones.back(), read);
  };
  for (int i = 0; i < 4; ++i) add_one();
  const auto few = cost_of_looks(c.s());
  for (int i = 0; i < count; ++i) add_one();
  // poll(2) and select(2) pay twentyfold and more.
  EXPECT_LT(cost_of_looks(c.s()), 5 * few);
}

}  // namespace

std::span<const test_case> limits_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"SIZ-01"},
       "NumbersFromTheLimitOnAreRefused",
       numbers_from_the_limit_on_are_refused,
       fd_limit | names_errors},
      {{"SIZ-04"}, "HighNumbersWorkLikeLowOnes", high_numbers_work_like_low_ones, feature::none, fd_limit},
      {{"SIZ-20"}, "ThousandsReportExactlyTheReadyOnes", thousands_report_exactly_the_ready_ones},
      {{"SIZ-21"}, "QuietDescriptorsMakeNoWaitDearer", quiet_descriptors_make_no_wait_dearer, scales},
  };
  return cases;
}

}  // namespace selectors::conformance
