#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "harness/counted_calls.hpp"
#include "harness/sockets.hpp"
#include "scenarios/library.hpp"

namespace selectors::perf {
namespace {

template <class Work>
counters counts_of(Work work) {
  const counters before = counted();
  work();
  const counters after = counted();
  return {after.system_calls - before.system_calls, after.allocations - before.allocations};
}

// Kept away from the optimiser, which may remove an allocation that nobody looks at.
void keep(void* memory) {
  asm volatile("" ::"r"(memory) : "memory");
}

struct alignas(256) wide {
  std::array<char, 256> bytes;
};

TEST(Counters, SeeEveryKindOfAllocation) {
  EXPECT_EQ(counts_of([] { keep(std::make_unique<int>(1).get()); }).allocations, 1);
  EXPECT_EQ(counts_of([] { keep(std::make_unique<int[]>(10).get()); }).allocations, 1);
  EXPECT_EQ(counts_of([] { keep(std::make_unique<wide>().get()); }).allocations, 1);
  EXPECT_EQ(counts_of([] {
              void* memory = std::malloc(10);
              keep(memory);
              memory = std::realloc(memory, 1000);
              keep(memory);
              std::free(memory);
              memory = std::calloc(1, 1);
              keep(memory);
              std::free(memory);
            }).allocations,
            3);
}

TEST(Counters, SeeNothingWhereNothingIs) {
  const auto none = counts_of([] {});
  EXPECT_EQ(none.allocations, 0);
  EXPECT_EQ(none.system_calls, 0);
}

TEST(Counters, SeeEverySystemCallOfTheLibrary) {
  static const bool installed = (count_system_calls(), true);
  ASSERT_TRUE(installed);
  constexpr std::array sizes{8};
  const socket_sets sockets(sizes);
  const auto descriptors = sockets.descriptors(8, "all");
  const auto calls = [&](backend b) {
    const auto work = [&] {
      selector s(b);
      register_all(s, descriptors);
      EXPECT_EQ(take(s.select(timeout::zero)).ready, 8);
    };
    work();  // the first selector of a thread looks at a number it has never seen before it makes room for it
    return counts_of(work).system_calls;
  };
  EXPECT_EQ(calls(backend::epoll), 11);  // create, 8 additions, wait, close
  EXPECT_EQ(calls(backend::poll), 1);
  EXPECT_EQ(calls(backend::select), 9);  // each registration asks whether the descriptor is open

  selector s(backend::poll);
  register_all(s, descriptors);
  EXPECT_GE(counts_of([&] { EXPECT_EQ(s.get_map().size(), 8u); }).allocations, 1);
}

}  // namespace
}  // namespace selectors::perf
