#include <gtest/gtest.h>
#include <sys/select.h>

#include <algorithm>

#include "gate/metrics.hpp"
#include "harness/arm.hpp"
#include "harness/sockets.hpp"
#include "scenarios/scenarios.hpp"

namespace selectors::perf {
namespace {

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

class Arms : public testing::Test {
 protected:
  socket_sets sockets{gate::sizes()};
};

TEST_F(Arms, AreExactlyThoseOfTheMetricTable) {
  arm_list arms;
  add_all(arms, sockets);
  EXPECT_EQ(sorted(arms.names()), sorted(gate::arm_table()));
}

TEST_F(Arms, AllFindWhatTheirTwinsFind) {
  arm_list arms;
  add_all(arms, sockets);
  arms.make_all(1);
  for (const auto& a : arms.arms()) EXPECT_NO_THROW(a->run(3)) << a->name();
}

TEST_F(Arms, AreMadeOnlyWhenWanted) {
  arm_list arms("!(recreate/*|*empty/*)");
  bool made = false;
  arms.add("recreate/epoll/8", found{}, [&] {
    made = true;
    return [] { return found{}; };
  });
  add_all(arms, sockets);
  arms.make_all(1);
  EXPECT_FALSE(made);
  EXPECT_EQ(arms.find("recreate/epoll/8"), nullptr);
  EXPECT_EQ(arms.find("raw_empty/poll"), nullptr);
  EXPECT_NE(arms.find("reuse/epoll/8/all"), nullptr);
}

TEST_F(Arms, AreMadeInAnyOrderAndKeptInTheirs) {
  const auto order_of_making = [](std::uint64_t seed) {
    std::vector<int> made;
    arm_list arms;
    for (int i = 0; i < 20; ++i) {
      arms.add(std::to_string(i), found{}, [i, &made] {
        made.push_back(i);
        return [] { return found{}; };
      });
    }
    arms.make_all(seed);
    EXPECT_EQ(arms.arms()[7]->name(), "7");
    return made;
  };
  EXPECT_EQ(order_of_making(1), order_of_making(1));
  EXPECT_NE(order_of_making(1), order_of_making(2));
}

TEST_F(Arms, ThatFindTooLittleStopTheRun) {
  arm_list arms;
  arms.add("short", found{2, 7}, [] { return [] { return found{1, 7}; }; });
  arms.add("other", found{2, 7}, [] { return [] { return found{2, 8}; }; });
  arms.add("failed", found{0, 0}, [] { return [] { return found{-1, 0}; }; });
  arms.make_all(1);
  ASSERT_EQ(arms.arms().size(), 3u);
  for (const auto& a : arms.arms()) EXPECT_THROW(a->run(1), broken_measurement) << a->name();
}

TEST_F(Arms, NameWhatTheyFoundAndWhatWasExpected) {
  arm_list arms;
  arms.add("short", found{2, 7}, [] { return [] { return found{1, 3}; }; });
  arms.make_all(1);
  try {
    arms.arms().front()->run(1);
    FAIL() << "nothing was thrown";
  } catch (const broken_measurement& e) {
    EXPECT_STREQ(e.what(), "arm short: found 1 ready (sum 3), expected 2 (sum 7)");
  }
}

TEST_F(Arms, CheckEveryOperationAndNotTheLastAlone) {
  arm_list arms;
  arms.add("once wrong", found{1, 0}, [] {
    return [n = 0]() mutable { return found{++n == 2 ? 0 : 1, 0}; };
  });
  arms.make_all(1);
  EXPECT_THROW(arms.arms().front()->run(3), broken_measurement);
}

TEST_F(Arms, WatchLowDescriptors) {
  for (const int n : gate::sizes()) {
    for (const auto ready : gate::ready_sets()) {
      const auto set = sockets.descriptors(n, ready);
      EXPECT_EQ(set.size(), static_cast<std::size_t>(n));
      EXPECT_LT(*std::max_element(set.begin(), set.end()), FD_SETSIZE);
    }
  }
}

TEST_F(Arms, OfReadyOneExpectOneInTheMiddle) {
  const auto set = sockets.descriptors(8, "one");
  EXPECT_EQ(socket_sets::expected(set, "one"), (found{1, static_cast<std::uint64_t>(set[4])}));
}

TEST_F(Arms, HaveNoOtherSets) {
  EXPECT_THROW((void)sockets.descriptors(9, "one"), std::invalid_argument);
  EXPECT_THROW((void)sockets.descriptors(8, "two"), std::invalid_argument);
}

}  // namespace
}  // namespace selectors::perf
