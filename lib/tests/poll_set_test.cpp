// The poll set alone: what no verb of a selector shows.
#include <gtest/gtest.h>

#include <chrono>
#include <poll_set.hpp>
#include <set>
#include <vector>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

TEST(PollSet, PutsWhatWasReadyFirstInFrontForTheNextWaitThatBlocks) {
  int first = -1;
  const replaced<&system_calls::poll> seen(
      [&, real = system_call.poll](pollfd* fds, nfds_t count, int milliseconds) {
        first = fds[0].fd;
        return real(fds, count, milliseconds);
      });
  const std::vector<pipe_ends> p = make_pipes(3);
  selector s(backend::poll);
  for (const pipe_ends& each : p) s.register_fd(each.reader, read);
  put(p[2].writer);
  EXPECT_EQ(s.select().size(), 1u);
  EXPECT_EQ(first, p[0].reader);
  EXPECT_EQ(s.select().size(), 1u);
  EXPECT_EQ(first, p[2].reader);
  drain(p[2].reader);
  put(p[0].writer);
  EXPECT_EQ(s.select(timeout::zero).size(), 1u);
  drain(p[0].reader);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(s.select(1ms).empty());
  EXPECT_EQ(first, p[2].reader) << "nothing was ready, and a look does not block";
  put(p[0].writer);
  put(p[1].writer);
  EXPECT_EQ(s.select().size(), 2u);
}

TEST(PollSet, ReportsEachClosedOneHoweverSmallTheLimit) {
  std::vector<pipe_ends> p = make_pipes(3);
  selector s(backend::poll);
  std::set<int> closed;
  for (pipe_ends& each : p) {
    s.register_fd(each.reader, read);
    closed.insert(each.reader);
    each.reader.close();
  }
  std::set<int> found;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (const event& e : s.select(timeout::zero, {.limit = 1})) found.insert(e.fd);
  }
  EXPECT_EQ(found, closed);
  EXPECT_TRUE(s.select(timeout::zero).empty());
}

TEST(PollSet, WhatIsNewWasReadyJustNow) {
  registration_table table;
  poll_set set(table);
  ASSERT_FALSE(set.make_room());
  set.advance_clock(5);
  registration r{};
  set.insert(0, r);
  EXPECT_EQ(r.since, 5u);
}

TEST(PollSet, HasRoomForAsManyAsItWasAskedFor) {
  for (std::size_t n = 1; n < 100; ++n) {
    registration_table table;
    poll_set set(table);
    std::vector<registration> members(n);
    ASSERT_FALSE(set.make_room(n));
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(set.has_room()) << i << " of " << n;
      set.insert(static_cast<int>(i), members[i]);
    }
    EXPECT_EQ(set.size(), n);
  }
}

}  // namespace
}  // namespace selectors::tests
