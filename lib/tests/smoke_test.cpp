#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <selectors/selector.hpp>

namespace {

using selectors::interest;

TEST(Smoke, ReadyPipeIsReportedOnEveryBackend) {
  for (const selectors::backend_info& b : selectors::backends()) {
    selectors::selector s(b.id);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    s.register_fd(ends[0], interest::read, 7);
    EXPECT_TRUE(s.select(selectors::timeout::zero).empty());
    ASSERT_EQ(::write(ends[1], "x", 1), 1);
    const selectors::selection found = s.select();
    ASSERT_EQ(found.size(), 1u) << b.name;
    EXPECT_EQ(found[0].fd, ends[0]);
    EXPECT_EQ(found[0].data.value(), 7u);
    auto w = s.make_waker();
    w.wake();
    s.unregister(ends[0]);
    EXPECT_TRUE(s.select().woken());
    ::close(ends[0]);
    ::close(ends[1]);
  }
}

}  // namespace
