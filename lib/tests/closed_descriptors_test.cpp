// Descriptors that were closed first: the paths inside each backend that the kernel's answers lead to.
#include <fcntl.h>

#include <algorithm>
#include <chrono>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "every_backend.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

class ClosedDescriptor : public every_backend {
 protected:
  // The number of a registered descriptor that was closed; no later one gets it during the test.
  int make_stale(interest wanted = read, trigger mode = trigger::level) {
    const descriptor high = duplicate(live.reader, 300);
    s.register_fd(high, wanted, {}, mode);
    return high;
  }

  pipe_ends live = make_pipe();
  selector s{GetParam()};
};

TEST_P(ClosedDescriptor, IsInvalidAtMostOnceAndHidesNobody) {
  s.register_fd(live.reader, read);
  const int stale = make_stale();
  put(live.writer);
  for (int i = 0; i < 3; ++i) {
    const selection found = s.select(timeout::zero);
    const auto is_live = [&](const event& e) { return e.fd == live.reader && e.ready == read; };
    EXPECT_EQ(std::count_if(found.begin(), found.end(), is_live), 1);
    for (const event& e : found) {
      if (e.fd == stale && !is(backend::epoll)) {
        EXPECT_EQ(i, 0) << "only the first time";
        EXPECT_EQ(e.flags, status::invalid);
        EXPECT_EQ(e.ready, none);
      }
    }
  }
  ASSERT_EQ(s.audit().size(), 1u);
  EXPECT_EQ(s.audit()[0].fd, stale);
  EXPECT_EQ(s.unregister(stale).fd, stale);
  EXPECT_TRUE(s.audit().empty());
}

TEST_P(ClosedDescriptor, SeveralWithALimitOfOneHideNobodyForLong) {
  s.register_fd(live.reader, read);
  for (int i = 0; i < 3; ++i) {
    const descriptor high = duplicate(live.reader, 300 + i);
    s.register_fd(high, read);
  }
  put(live.writer);
  int seen = 0;
  for (int i = 0; i < 8; ++i) {
    for (const event& e : s.select(timeout::zero, {.limit = 1}))
      seen += static_cast<int>(e.fd == live.reader);
  }
  EXPECT_GE(seen, 2) << "eight waits, four keys";
}

TEST_P(ClosedDescriptor, ResumeAndModifySayThatItIsNotOpen) {
  const int stale = make_stale();
  (void)s.select(timeout::zero);
  std::error_code ec;
  s.modify(stale, read | write, {}, trigger::level, ec);
  if (finds_closed_by_polling()) {
    EXPECT_FALSE(ec) << "found by the next wait";
    EXPECT_EQ(s.select(timeout::zero)[0].flags, status::invalid);
  } else {
    EXPECT_EQ(ec.value(), EBADF);
    EXPECT_EQ(s.get_key(stale).wanted, read);
  }
  EXPECT_EQ(s.audit().size(), 1u);
}

TEST_P(ClosedDescriptor, OfAPausedOrOneshotKeyIsFoundByAudit) {
  const int paused = make_stale();
  s.pause(paused);
  EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_EQ(s.audit().size(), 1u);
  s.unregister(paused);
  const int oneshot = make_stale(read, trigger::oneshot);
  (void)s.select(timeout::zero);
  EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_EQ(s.unregister(oneshot).fd, oneshot);
}

TEST_P(ClosedDescriptor, WhoseNumberIsAnotherFileIsFoundByAuditOnEpoll) {
  const pipe_ends other = make_pipe();
  const int number = make_stale();
  const descriptor reused = duplicate(other.reader, number);
  ASSERT_EQ(reused, number);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(s.audit().size(), is(backend::epoll) ? 1u : 0u) << "looking changes nothing";
  put(other.writer);
  EXPECT_EQ(s.unregister(number).fd, number);
  EXPECT_TRUE(s.select(timeout::zero).empty());
}

TEST_P(ClosedDescriptor, IsRefusedByRegister) {
  std::error_code ec;
  s.register_fd(live.reader, read);
  const int number = [&] { return static_cast<int>(duplicate(live.reader, 40)); }();
  s.register_fd(number, read, {}, trigger::level, ec);
  if (finds_closed_by_polling() && !ec) {
    EXPECT_EQ(s.select(timeout::zero)[0].flags, status::invalid);
  } else {
    EXPECT_EQ(ec.value(), EBADF);
    EXPECT_FALSE(s.contains(number));
  }
}

TEST_P(ClosedDescriptor, OpenedForItsPathOnlyCountsAsClosed) {
  const descriptor path(::open("/", O_PATH | O_CLOEXEC));
  std::error_code ec;
  s.register_fd(path, read, {}, trigger::level, ec);
  if (finds_closed_by_polling() && !ec) {
    EXPECT_EQ(s.select(timeout::zero)[0].flags, status::invalid);
  } else {
    EXPECT_EQ(ec.value(), EBADF);
  }
}

INSTANTIATE_TEST_SUITE_P(, ClosedDescriptor, all_backends(), backend_name);

TEST(ClosedDescriptorOnSelect, AFailureAfterTheSearchIsPassedOnOnlyWithoutAnEntry) {
  selector s(backend::select);
  const pipe_ends live = make_pipe();
  s.register_fd(live.reader, read);
  std::error_code ec;
  {
    // Open again before it was looked at: nothing is found closed, and the second answer counts.
    scoped_fault<&system_calls::select> closed(EBADF, {.skip = 0, .times = 1});
    put(live.writer);
    EXPECT_EQ(s.select(timeout::zero, {}, ec).size(), 1u);
    EXPECT_FALSE(ec);
  }
  {
    const descriptor high = duplicate(live.reader, 300);
    s.register_fd(high, read);
  }
  scoped_fault<&system_calls::select> interrupted(EINTR, {.skip = 1, .times = 1});
  const selection found = s.select(timeout::zero, {}, ec);
  EXPECT_FALSE(ec);
  ASSERT_EQ(found.size(), 1u) << "what was found is not thrown away";
  EXPECT_EQ(found[0].flags, status::invalid);
}

// A ghost of the number's old file is there when the file comes back under its old number.
class ReturningFile : public ::testing::TestWithParam<std::pair<trigger, trigger>> {};

TEST_P(ReturningFile, CanBeRegisteredAgain) {
  const auto [before, after] = GetParam();
  selector s(backend::epoll);
  const pipe_ends p = make_pipe();
  const descriptor copy = duplicate(p.reader);
  descriptor number = duplicate(p.reader, 300);
  s.register_fd(number, read, 1, before);
  number.close();
  s.unregister(300);
  number = duplicate(copy, 300);
  ASSERT_EQ(number, 300);
  s.register_fd(number, read, 2, after);
  EXPECT_TRUE(s.select(timeout::zero).empty());
  put(p.writer);
  const selection found = s.select();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].data, user_data(2));
  s.unregister(number);
  EXPECT_TRUE(s.select(timeout::zero).empty());
}

INSTANTIATE_TEST_SUITE_P(LevelAndExclusive, ReturningFile,
                         ::testing::Values(std::pair(trigger::level, trigger::level),
                                           std::pair(trigger::level, trigger::exclusive),
                                           std::pair(trigger::exclusive, trigger::level),
                                           std::pair(trigger::exclusive, trigger::exclusive)));

}  // namespace
}  // namespace selectors::tests
