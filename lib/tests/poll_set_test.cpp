// The poll set alone: what no verb of a selector shows.
#include <gtest/gtest.h>

#include <poll_set.hpp>
#include <vector>

namespace selectors::tests {
namespace {

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
