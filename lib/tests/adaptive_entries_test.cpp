// Entries in the epoll set of what is polled meanwhile, and what epoll refuses: neither is forgotten, nor tried in vain.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include <selectors/selector.hpp>

#include "children.hpp"
#include "descriptors.hpp"
#include "every_backend.hpp"
#include "regimes.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

descriptor regular_file() {
  return descriptor(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
}

// Ends of a connection: always writable, readable after a put into the other.
std::vector<pipe_ends> make_connections(std::size_t count) {
  std::vector<pipe_ends> all;
  for (std::size_t i = 0; i < count; ++i) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
      throw std::system_error(errno, std::system_category(), "socketpair");
    all.push_back({descriptor(ends[0]), descriptor(ends[1])});
  }
  return all;
}

class AdaptiveEntries : public ::testing::Test {
 protected:
  std::vector<int> look() {
    std::vector<int> fds;
    for (const event& e : s.select(timeout::zero)) fds.push_back(e.fd);
    std::sort(fds.begin(), fds.end());
    return fds;
  }
  std::vector<int> look_in(regime r) {
    regime_.hold(r);
    return look();
  }
  std::vector<int> readers() const {
    std::vector<int> fds;
    for (const pipe_ends& each : p) fds.push_back(each.reader);
    std::sort(fds.begin(), fds.end());
    return fds;
  }
  void register_all(interest wanted = read) {
    for (const pipe_ends& each : p) s.register_fd(each.reader, wanted);
  }
  // The number becomes another file's, and the registration does not know.
  static void replace(int number, int other) { ASSERT_EQ(::dup3(other, number, O_CLOEXEC), number); }

  std::vector<pipe_ends> p = make_connections(8);
  held_regime regime_{regime::watching};
  recorded_calls calls;
  selector s{backend::adaptive};
};

TEST_F(AdaptiveEntries, AChangeWhilePolledReachesTheEntryThatWaits) {
  register_all();
  EXPECT_TRUE(look().empty());
  EXPECT_TRUE(look_in(regime::polling).empty());
  for (const pipe_ends& each : p) s.modify(each.reader, write);
  EXPECT_EQ(look_in(regime::watching), readers());
}

TEST_F(AdaptiveEntries, AndWhereItCannotTheEntryGoes) {
  register_all();
  EXPECT_TRUE(look().empty());
  EXPECT_TRUE(look_in(regime::polling).empty());
  {
    const epoll_ctl_fault refused(EPOLL_CTL_MOD, ENOMEM);
    for (const pipe_ends& each : p) s.modify(each.reader, write);
    EXPECT_EQ(refused.count(), 8);
  }
  EXPECT_EQ(look_in(regime::watching), readers());
}

TEST_F(AdaptiveEntries, WhatIsExclusiveNoMoreMayBePolled) {
  register_all();
  s.modify(p[0].reader, read, {}, trigger::exclusive);
  EXPECT_TRUE(look().empty());
  s.modify(p[0].reader, read, {}, trigger::level);
  (void)look_in(regime::polling);
  calls.take();
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(calls.take(), "poll");
}

TEST_F(AdaptiveEntries, WhatIsExclusiveStaysSoWhenTheSetIsMadeAnew) {
  register_all();
  s.modify(p[0].reader, read, {}, trigger::exclusive);
  const descriptor kept = duplicate(p[1].reader);
  put(p[1].writer);
  const int number = p[1].reader;
  p[1].reader.close();
  s.unregister(number);
  EXPECT_TRUE(look().empty()) << "a ghost is evicted";
  (void)look_in(regime::polling);
  calls.take();
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(calls.take(), "epoll_wait");
}

TEST_F(AdaptiveEntries, AChildHasNone) {
  register_all();
  EXPECT_TRUE(look().empty());
  EXPECT_TRUE(look_in(regime::polling).empty());
  for (const pipe_ends& each : p) put(each.writer);
  const std::string wrong = in_child([&]() -> std::string {
    calls.take();
    s.reinit_after_fork();
    if (calls.take().find("epoll_create") != std::string::npos) return "nobody has asked for a set";
    if (look() != readers()) return "polled";
    return wrong_unless(look_in(regime::watching) == readers(), "watched");
  });
  EXPECT_EQ(wrong, "");
}

TEST_F(AdaptiveEntries, WhatIsExclusiveAndPausedDoesNotMatter) {
  register_all();
  s.modify(p[0].reader, read, {}, trigger::exclusive);
  EXPECT_TRUE(look().empty());
  s.pause(p[0].reader);
  (void)look_in(regime::polling);
  calls.take();
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(calls.take(), "poll");
  put(p[0].writer);
  s.resume(p[0].reader);
  EXPECT_EQ(look(), std::vector<int>{p[0].reader});
}

TEST_F(AdaptiveEntries, WhatWasFoundClosedStaysSoForAudit) {
  regime_.hold(regime::polling);
  register_all();
  const int number = p[0].reader;
  p[0].reader.close();
  EXPECT_EQ(look(), std::vector<int>{number}) << "invalid";
  p[0].reader = duplicate(p[1].reader, number);
  ASSERT_EQ(p[0].reader, number);
  const std::vector<key> found = s.audit();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].fd, number);
}

// ------------------------------------------------------------------------------------------------- what epoll refuses

TEST_F(AdaptiveEntries, WhatWasRefusedIsNotTriedAgain) {
  const descriptor file = regular_file();
  register_all();
  s.register_fd(file, read);
  EXPECT_EQ(look(), std::vector<int>{file});
  for (int i = 0; i < 3; ++i) {
    calls.take();
    EXPECT_EQ(look(), std::vector<int>{file});
    EXPECT_EQ(calls.take().find("epoll_ctl"), std::string::npos);
  }
}

TEST_F(AdaptiveEntries, NorWhatBecameAFileAndIsPolledInstead) {
  register_all();
  EXPECT_TRUE(look().empty());
  replace(p[0].reader, regular_file());
  s.modify(p[0].reader, read | priority);
  EXPECT_EQ(look(), std::vector<int>{p[0].reader});
  calls.take();
  EXPECT_EQ(look(), std::vector<int>{p[0].reader});
  EXPECT_EQ(calls.take().find("epoll_ctl"), std::string::npos);
}

TEST_F(AdaptiveEntries, UntilItIsPausedAndResumed) {
  const descriptor pipe = duplicate(p[0].reader);
  s.register_fd(p[0].reader, read, {}, trigger::edge);
  s.pause(p[0].reader);
  replace(p[0].reader, regular_file());
  std::error_code ec;
  for (int i = 0; i < 2; ++i) {
    s.resume(p[0].reader, ec);
    EXPECT_EQ(ec.value(), EPERM);
  }
  replace(p[0].reader, pipe);
  s.resume(p[0].reader);
  put(p[0].writer);
  EXPECT_EQ(look(), std::vector<int>{p[0].reader});
  EXPECT_TRUE(look().empty());
}

TEST_F(AdaptiveEntries, OrForALevelInTheSameWay) {
  const descriptor pipe = duplicate(p[0].reader);
  register_all();
  replace(p[0].reader, regular_file());
  EXPECT_EQ(look(), std::vector<int>{p[0].reader});
  s.pause(p[0].reader);
  EXPECT_TRUE(look().empty());
  replace(p[0].reader, pipe);
  s.resume(p[0].reader);
  EXPECT_TRUE(look().empty());
  calls.take();
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(calls.take(), "epoll_wait") << "it is watched like the others";
}

// Many files come and go, or change: what is left counts.
TEST_F(AdaptiveEntries, FilesThatHaveGonePreventNoPurchase) {
  const descriptor file = regular_file();
  const descriptor lasting = regular_file();
  std::vector<descriptor> files;
  for (int i = 0; i < 40; ++i) files.push_back(duplicate(file));
  register_all();
  for (const descriptor& each : files) s.register_fd(each, read);
  EXPECT_EQ(look().size(), files.size());
  for (const descriptor& each : files) s.unregister(each);
  s.register_fd(lasting, read);
  for (int i = 0; i < 40; ++i) {
    s.modify(lasting, i % 2 == 0 ? read | write : read);
    EXPECT_EQ(look().size(), 1u);
  }
  s.unregister(lasting);
  EXPECT_TRUE(look_in(regime::polling).empty());
  forced_regime.reset();
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(look().empty());
  calls.take();
  EXPECT_TRUE(look().empty());
  EXPECT_EQ(calls.take(), "epoll_wait");
}

TEST_F(AdaptiveEntries, AHandleIsNotHeldByAChild) {
  const descriptor file = regular_file();
  const pipe_ends alive = make_pipe();
  register_all();
  s.register_fd(file, read);
  selector outer(backend::poll);
  outer.register_fd(s.native_handle(), read);
  EXPECT_EQ(outer.select(timeout::zero).size(), 1u);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::close(alive.writer);
    pollfd end{alive.reader, POLLIN, 0};
    ::poll(&end, 1, -1);
    ::_exit(0);
  }
  s.unregister(file);
  EXPECT_TRUE(outer.select(timeout::zero).empty());
  put(alive.writer);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

// ---------------------------------------------------------------------------------------- a modify that epoll refuses

class AdaptiveFailedModify : public AdaptiveEntries, public ::testing::WithParamInterface<regime> {};

// The new interest would hold at once, so that whatever of it has reached the kernel shows.
TEST_P(AdaptiveFailedModify, LeavesTheOldRegistrationInForceWhileTheKernelRefuses) {
  for (const trigger mode : {trigger::edge, trigger::exclusive}) {
    regime_.hold(GetParam());
    register_all();
    EXPECT_TRUE(look().empty());
    {
      const epoll_ctl_fault no_room(EPOLL_CTL_ADD, ENOSPC);
      std::error_code ec;
      for (const pipe_ends& each : p) {
        s.modify(each.reader, read | write, {}, mode, ec);
        EXPECT_EQ(s.get_key(each.reader).wanted, ec ? read : read | write);
        if (!ec) s.modify(each.reader, read, {}, trigger::level);
      }
      for (int i = 0; i < 3; ++i) EXPECT_TRUE(s.select(1ms).empty());
      calls.take();
      EXPECT_TRUE(s.select(3ms).empty());
      EXPECT_LE(calls.take().size(), 200u) << "it does not spin";
      for (const pipe_ends& each : p) put(each.writer);
      EXPECT_EQ(look(), readers());
      EXPECT_EQ(look(), readers());
    }
    EXPECT_EQ(look(), readers());
    for (const pipe_ends& each : p) drain(each.reader);
    for (const pipe_ends& each : p) s.unregister(each.reader);
  }
}

INSTANTIATE_TEST_SUITE_P(, AdaptiveFailedModify, ::testing::ValuesIn(all_regimes),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace selectors::tests
