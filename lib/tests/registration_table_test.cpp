// The table alone: what it finds, what it grows for and what it gives back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <numeric>
#include <random>
#include <set>

#include <registration_table.hpp>

#include "replaced_calls.hpp"

namespace selectors::tests {

// The one private member that no verb can bring to its end within a lifetime.
template <auto member>
struct lives {
  friend std::uint32_t& life_of(registration_table& table) { return table.*member; }
};
std::uint32_t& life_of(registration_table& table);
template struct lives<&registration_table::life_>;

namespace {

constexpr std::size_t page_bytes = 128 * sizeof(registration);

// Every number counts as open, so that thousands need not be opened.
class RegistrationTable : public ::testing::Test {
 protected:
  registration& enter(int fd) {
    registration* slot = nullptr;
    const fault f = table.make_vacancy(fd, slot);
    if (f) throw std::system_error(f.to_error_code());
    table.occupy(*slot);
    return *slot;
  }
  void leave(int fd) { table.erase(*table.find(fd)); }

  replaced<&system_calls::status_flags> all_open{[](int) { return 0; }};
  registration_table table;
};

TEST_F(RegistrationTable, AnEmptyOneFindsNothingAndTakesNothing) {
  for (const int fd : {0, 1, 127, 128, 1'000'000, INT_MAX, -1, INT_MIN}) {
    EXPECT_EQ(table.find(fd), nullptr) << fd;
    EXPECT_EQ(table.find(fd, 0), nullptr) << fd;
    EXPECT_EQ(table.vacancy(fd), nullptr) << fd;
  }
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.footprint(), 0u);
}

TEST_F(RegistrationTable, WhatIsEnteredIsFoundUntilItLeaves) {
  registration& r = enter(5);
  EXPECT_EQ(table.find(5), &r);
  EXPECT_EQ(table.find(5, r.generation), &r);
  EXPECT_EQ(table.find(4), nullptr);
  EXPECT_EQ(table.find(6), nullptr);
  EXPECT_EQ(table.size(), 1u);
  const std::uint32_t generation = r.generation;
  leave(5);
  EXPECT_EQ(table.find(5), nullptr);
  EXPECT_EQ(table.find(5, generation), nullptr);
  EXPECT_EQ(table.size(), 0u);
}

TEST_F(RegistrationTable, ARegisteredNumberIsNoVacancy) {
  enter(5);
  EXPECT_EQ(table.vacancy(5), nullptr);
  EXPECT_NE(table.vacancy(6), nullptr) << "its page is there";
  registration* slot = nullptr;
  EXPECT_EQ(table.make_vacancy(5, slot).to_error_code(), errc::already_registered);
  EXPECT_EQ(table.size(), 1u);
}

TEST_F(RegistrationTable, GenerationsAreNewAndNeverZero) {
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t generation = enter(5).generation;
    EXPECT_NE(generation, 0u);
    EXPECT_TRUE(seen.insert(generation).second) << generation;
    leave(5);
  }
  table.reset();
  EXPECT_TRUE(seen.insert(enter(5).generation).second) << "new also in the next life";
}

TEST_F(RegistrationTable, AnOldGenerationIsNotFound) {
  const std::uint32_t old = enter(5).generation;
  leave(5);
  const std::uint32_t current = enter(5).generation;
  EXPECT_EQ(table.find(5, old), nullptr);
  EXPECT_NE(table.find(5, current), nullptr);
  EXPECT_EQ(table.find(6, current), nullptr);
}

TEST_F(RegistrationTable, ARegistrationNeverMoves) {
  registration* const first = &enter(0);
  for (int fd = 100; fd < 100'000; fd += 1000) enter(fd);
  EXPECT_EQ(table.find(0), first);
}

TEST_F(RegistrationTable, EmptiedTakenBackAndResetAreTheSameToFind) {
  registration& r = enter(5);
  table.vacate(r);
  EXPECT_EQ(table.find(5), nullptr);
  EXPECT_EQ(table.size(), 0u);
  enter(5);
  enter(500);
  const std::size_t before = table.footprint();
  table.reset();
  EXPECT_EQ(table.find(5), nullptr);
  EXPECT_EQ(table.find(500), nullptr);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.footprint(), before) << "the storage is kept";
  EXPECT_NE(table.vacancy(5), nullptr);
}

TEST_F(RegistrationTable, EachRegistrationIsVisitedOnce) {
  const std::set<int> numbers = {0, 1, 127, 128, 129, 4000, 70'000};
  for (const int fd : numbers) enter(fd);
  enter(2);
  leave(2);
  std::multiset<int> visited;
  table.for_each([&](int fd, registration& r) {
    visited.insert(fd);
    EXPECT_EQ(&r, table.find(fd));
  });
  EXPECT_EQ(visited, std::multiset<int>(numbers.begin(), numbers.end()));
}

TEST_F(RegistrationTable, MemoryFollowsTheRegistrationsNotTheHighestNumber) {
  enter(1'000'000);
  const std::size_t directory = 2 * (1'000'000 / 128) * sizeof(void*);
  EXPECT_LE(table.footprint(), page_bytes + directory);
  enter(1'000'001);
  enter(3);
  EXPECT_LE(table.footprint(), 2 * page_bytes + directory);
}

TEST_F(RegistrationTable, MemoryReturnsAfterMassUnregister) {
  constexpr int many = 20'000;
  std::vector<int> order(many);
  std::iota(order.begin(), order.end(), 0);
  const auto expect_returned = [&](const char* what) {
    for (const int fd : order) enter(fd);
    const std::size_t full = table.footprint();
    ASSERT_GE(full, many / 128 * page_bytes);
    for (const int fd : order) leave(fd);
    EXPECT_EQ(table.size(), 0u);
    EXPECT_LE(table.footprint(), full / 10) << what;
    EXPECT_GE(table.footprint(), 8 * page_bytes) << "some pages stay; " << what;
  };
  expect_returned("upwards");
  std::reverse(order.begin(), order.end());
  expect_returned("downwards");
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  expect_returned("in any order");
}

TEST_F(RegistrationTable, AFewPagesStayForNumbersThatComeBack) {
  enter(5);
  const std::size_t one = table.footprint();
  leave(5);
  EXPECT_EQ(table.footprint(), one);
  EXPECT_NE(table.vacancy(5), nullptr) << "no system call and no allocation to enter it again";
}

TEST_F(RegistrationTable, WhatIsStillRegisteredSurvivesTheTrim) {
  for (int fd = 0; fd < 10'000; ++fd) enter(fd);
  const registration* const survivor = table.find(7777);
  for (int fd = 0; fd < 10'000; ++fd) {
    if (fd != 7777) leave(fd);
  }
  EXPECT_EQ(table.find(7777), survivor);
  EXPECT_EQ(table.size(), 1u);
  enter(1234);
  EXPECT_NE(table.find(1234), nullptr) << "a page that was given back is made again";
}

TEST_F(RegistrationTable, LivesMayComeRound) {
  enter(5);
  life_of(table) = UINT32_MAX;
  enter(6);
  table.reset();
  EXPECT_EQ(life_of(table), 1u);
  EXPECT_EQ(table.find(5), nullptr) << "stamped with the life that has come again";
  EXPECT_EQ(table.find(6), nullptr);
  enter(5);
  EXPECT_EQ(table.size(), 1u);
}

TEST(RegistrationTableGrowth, IsRefusedForANumberThatIsNotOpen) {
  registration_table table;
  registration* slot = nullptr;
  EXPECT_TRUE(table.make_vacancy(INT_MAX - 1, slot).is_errno(EBADF));
  EXPECT_EQ(table.footprint(), 0u);
  recorded_calls calls;
  EXPECT_FALSE(table.make_vacancy(0, slot));
  EXPECT_EQ(calls.take(), "status_flags");
  EXPECT_FALSE(table.make_vacancy(1, slot));
  EXPECT_EQ(calls.take(), "") << "within a page that is there nothing is asked";
}

}  // namespace
}  // namespace selectors::tests
