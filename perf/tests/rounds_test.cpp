#include "harness/rounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gate/protocol.hpp"
#include "harness/clock.hpp"

namespace selectors::perf {
namespace {

TEST(Batch, FillsEightyMicroseconds) {
  EXPECT_EQ(batch_size(80'000), 1);
  EXPECT_EQ(batch_size(40'000), 2);
  EXPECT_EQ(batch_size(1'000), 80);
  EXPECT_EQ(batch_size(100), 800);
}

TEST(Batch, IsTheNearestWholeNumber) {
  EXPECT_EQ(batch_size(80'000 / 1.49), 1);
  EXPECT_EQ(batch_size(80'000 / 1.51), 2);
}

TEST(Batch, IsNeverEmpty) {
  EXPECT_EQ(batch_size(1e9), 1);
}

TEST(Batch, OfAnImpossibleTimeIsRefused) {
  for (const double t : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(batch_size(t), std::invalid_argument) << t;
}

TEST(Twins, ShareTheSmallestBatch) {
  const std::vector<std::string> names{"reuse/epoll/32/all", "raw_reuse/epoll/32/all", "twin/reuse/epoll/32",
                                       "injected/reuse/epoll/32", "control/poll/32"};
  std::vector<int> batches{30, 33, 31, 28, 50};
  level_twins(names, batches);
  EXPECT_EQ(batches, (std::vector<int>{28, 28, 28, 28, 50}));
}

TEST(Twins, MayBeMissing) {
  std::vector<int> batches{30, 50};
  level_twins({"reuse/epoll/32/all", "control/poll/32"}, batches);
  EXPECT_EQ(batches, (std::vector<int>{30, 50}));
}

TEST(Rounds, TimeEveryArmInItsPlace) {
  const auto busy = [](double ns) {
    return [ns] {
      const double end = thread_cpu_ns() + ns;
      while (thread_cpu_ns() < end) {
      }
      return found{};
    };
  };
  arm_list arms;
  arms.add("long", found{}, [=] { return busy(60'000); });
  arms.add("short", found{}, [=] { return busy(6'000); });
  arms.make_all(1);
  rounds source(arms, 1);
  for (int i = 0; i < 5; ++i) {
    const auto times = source.next();
    ASSERT_EQ(times.size(), 2u);
    EXPECT_GE(times[0], 60'000);
    EXPECT_GE(times[1], 6'000);
    EXPECT_LT(times[1], times[0]);
  }
  EXPECT_EQ(source.batches()[0], 1);
  EXPECT_GE(source.batches()[1], 2);
}

TEST(Rounds, MakeTheArmsAnewEveryFewRounds) {
  int made = 0;
  arm_list arms;
  arms.add("counted", found{}, [&made] { return ++made, [] { return found{}; }; });
  arms.make_all(1);
  rounds source(arms, 1);
  for (int i = 0; i < gate::rounds_per_making; ++i) source.next();
  EXPECT_EQ(made, 1);
  source.next();
  EXPECT_EQ(made, 2);
}

TEST(Rounds, PassABrokenMeasurementOn) {
  arm_list arms;
  arms.add("wrong", found{1, 0}, [] { return [] { return found{}; }; });
  arms.make_all(1);
  EXPECT_THROW(rounds(arms, 1), broken_measurement);
}

}  // namespace
}  // namespace selectors::perf
