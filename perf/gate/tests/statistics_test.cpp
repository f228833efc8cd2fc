#include "gate/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "gate/protocol.hpp"
#include "gate/sha256.hpp"

namespace selectors::gate {
namespace {

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const std::vector<double> values{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.95), 3.85);
  EXPECT_DOUBLE_EQ(median(std::vector<double>{7}), 7);
  EXPECT_TRUE(std::isnan(median({})));
}

// Ranks from the binomial distribution, computed independently with exact integers.
TEST(SignInterval, UsesTheRanksOfTheBinomialDistribution) {
  EXPECT_EQ(sign_rank(7, 0.99), std::nullopt);
  EXPECT_EQ(sign_rank(8, 0.99), 1U);
  EXPECT_EQ(sign_rank(12, 0.99), 2U);
  EXPECT_EQ(sign_rank(18, 0.99), 4U);
  EXPECT_EQ(sign_rank(27, 0.99), 7U);
  EXPECT_EQ(sign_rank(40, 0.99), 12U);
  EXPECT_EQ(sign_rank(60, 0.99), 20U);
  EXPECT_EQ(sign_rank(12, 0.95), 3U);
  EXPECT_EQ(sign_rank(0, 0.99), std::nullopt);
}

TEST(SignInterval, TakesTheOrderStatisticsOfThatRank) {
  std::vector<double> values{12, 1, 11, 2, 10, 3, 9, 4, 8, 5, 7, 6};
  const auto range = sign_interval(values, 0.99);
  ASSERT_TRUE(range);
  EXPECT_DOUBLE_EQ(range->low, 2);
  EXPECT_DOUBLE_EQ(range->high, 11);
  values.resize(7);
  EXPECT_FALSE(sign_interval(values, 0.99));
}

// A nominal interval that does not hold the truth as often as it says is worse than none. The distribution is skewed
// on purpose: the sign interval must not care.
TEST(SignInterval, CoversTheMedianAsOftenAsItPromises) {
  std::mt19937_64 random(20261130);
  std::exponential_distribution<double> skewed(1);
  const double truth = std::log(2.0);
  for (const int n : looks) {
    int covered = 0;
    constexpr int trials = 4000;
    for (int t = 0; t < trials; ++t) {
      std::vector<double> sample;
      for (int i = 0; i < n; ++i) sample.push_back(skewed(random));
      const auto range = sign_interval(sample, level_per_look);
      covered += range->low <= truth && truth <= range->high ? 1 : 0;
    }
    // Three standard errors of a 99 % share of 4000.
    EXPECT_GE(covered, trials * 0.985) << n;
    EXPECT_LT(covered, trials) << n << ": an interval that never misses is too wide to be one";
  }
}

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace selectors::gate
