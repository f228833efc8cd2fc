// The epoll set is made anew when a ghost has shown itself: what every registration is like afterwards.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "epoll_rebuild.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

TEST_F(EpollRebuild, EvictsAGhostOnce) {
  make_ghost();
  EXPECT_EQ(rebuilds([&] { EXPECT_TRUE(s.select(timeout::zero).empty()); }), 1u);
  EXPECT_EQ(rebuilds([&] { EXPECT_TRUE(s.select(1ms).empty()); }), 0u);
}

TEST_F(EpollRebuild, IsNotInheritedByTheNextSelector) {
  make_ghost();
  {
    const scoped_fault<&system_calls::epoll_create> no_memory(ENOMEM);
    EXPECT_TRUE(s.select(timeout::zero, {}, ec).empty());
    EXPECT_GT(no_memory.count(), 0);
  }
  s.close();
  selector next(backend::epoll);
  EXPECT_EQ(rebuilds([&] { EXPECT_TRUE(next.select(timeout::zero).empty()); }), 0u);
}

TEST_F(EpollRebuild, KeepsEveryRegistrationAsItWas) {
  std::vector<pipe_ends> p = make_pipes(7);
  for (const pipe_ends& each : p) put(each.writer);
  s.register_fd(p[0].reader, read, 10);
  s.register_fd(p[1].reader, read, 11);
  s.pause(p[1].reader);
  s.register_fd(p[2].reader, read, 12, trigger::oneshot);
  s.register_fd(p[3].reader, read, 13, trigger::exclusive);
  s.register_fd(p[4].reader, write, 14);  // muted once its writer is gone
  p[4].writer.close();
  EXPECT_EQ(s.select(timeout::zero).size(), 3u) << "level, oneshot and exclusive";
  const auto ready = [&] {
    std::vector<int> fds;
    for (const event& e : s.select(timeout::zero)) fds.push_back(e.fd);
    std::sort(fds.begin(), fds.end());
    return fds;
  };
  const std::vector<int> still = {p[0].reader, p[3].reader};
  EXPECT_EQ(ready(), still);
  const std::vector<key> before = s.get_map();
  make_ghost();
  EXPECT_EQ(rebuilds([&] { EXPECT_EQ(ready(), still); }), 1u);
  EXPECT_EQ(s.get_map(), before);
  EXPECT_EQ(rebuilds([&] { EXPECT_EQ(ready(), still); }), 0u);
  s.resume(p[1].reader);
  s.resume(p[2].reader);
  EXPECT_EQ(ready(), (std::vector<int>{p[0].reader, p[1].reader, p[2].reader, p[3].reader}));
}

TEST_F(EpollRebuild, KeepsAnEdgeSilentOrReportsItAtMostOnce) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read, {}, trigger::edge);
  put(p.writer);
  EXPECT_EQ(s.select(timeout::zero).size(), 1u);
  make_ghost();
  EXPECT_LE(s.select(timeout::zero).size(), 1u) << "a report without a new edge is allowed";
  EXPECT_TRUE(s.select(timeout::zero).empty());
  put(p.writer);
  EXPECT_EQ(s.select(timeout::zero).size(), 1u);
}

TEST_F(EpollRebuild, KeepsTheWaker) {
  const waker w = s.make_waker();
  make_ghost();
  w.wake();
  EXPECT_TRUE(s.select().woken());
  EXPECT_TRUE(s.select(timeout::zero).empty());
  w.wake();
  EXPECT_TRUE(s.select().woken());
}

TEST_F(EpollRebuild, KeepsTheNativeHandle) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  const int handle = s.native_handle();
  make_ghost();
  EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_EQ(s.native_handle(), handle);
  EXPECT_FALSE(is_readable(handle));
  put(p.writer);
  EXPECT_TRUE(is_readable(handle));
}

TEST_F(EpollRebuild, LeavesOutADescriptorThatWasClosed) {
  pipe_ends gone = make_pipe();
  const pipe_ends p = make_pipe();
  s.register_fd(gone.reader, read);
  s.register_fd(p.reader, read);
  put(p.writer);
  make_ghost();  // before: it must not get the number
  const int number = gone.reader;
  gone.reader.close();
  expect_only(p, "with a ghost");
  const std::vector<key> stale = s.audit();
  ASSERT_EQ(stale.size(), 1u);
  EXPECT_EQ(stale[0].fd, number);
  EXPECT_EQ(s.unregister(number).fd, number);
}

// The kernel refuses each of them in a way of its own.
TEST_F(EpollRebuild, LeavesOutNumbersThatCannotBeWatchedAnyMore) {
  const std::vector<pipe_ends> gone = make_pipes(2);
  const pipe_ends p = make_pipe();
  for (const pipe_ends& each : gone) s.register_fd(each.reader, read);
  s.register_fd(p.reader, read);
  put(p.writer);
  const descriptor file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::dup3(file, gone[0].reader, O_CLOEXEC), gone[0].reader);
  ASSERT_EQ(::dup3(s.native_handle(), gone[1].reader, O_CLOEXEC), gone[1].reader);
  make_ghost();
  expect_only(p, "with a ghost");
  EXPECT_EQ(rebuilds([&] { expect_only(p, "without"); }), 0u) << "the new set is the one that is used";
  EXPECT_EQ(s.audit().size(), 2u);
}

TEST_F(EpollRebuild, LeavesOutTheNumberThatItHasItself) {
  pipe_ends gone = make_pipe();
  const pipe_ends p = make_pipe();
  s.register_fd(gone.reader, read);
  s.register_fd(p.reader, read);
  put(p.writer);
  make_ghost();
  gone.reader.close();  // the lowest number that is free
  const scoped_fault<&system_calls::epoll_create> no_other(EMFILE, {.skip = 1});
  expect_only(p, "with a ghost");
  EXPECT_EQ(no_other.count(), 1);
  expect_only(p, "without");
}

TEST_F(EpollRebuild, ThatFailedIsTriedAgainAlthoughNoGhostShowsItselfAnew) {
  pipe_ends p = make_pipe();
  const pipe_ends other = make_pipe();
  s.register_fd(p.reader, write);
  s.register_fd(other.reader, read);
  kept.push_back(duplicate(p.reader));
  p.reader.close();
  p.writer.close();  // a hang-up, which nobody asked for, of an entry that cannot be reached
  const epoll_ctl_fault fails(EPOLL_CTL_ADD, ENOMEM, {.times = 2});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(s.select(timeout::zero, {}, ec).empty());
  recorded_calls calls;
  EXPECT_TRUE(s.select(5ms).empty());
  EXPECT_LE(calls.take().size(), 100u) << "not a busy loop";
}

// As long as the child lives, closing is not enough: what it has open is still there.
TEST_F(EpollRebuild, OfASetThatAChildHasOpenKeepsNoHandleReadable) {
  const pipe_ends alive = make_pipe();
  const int handle = s.native_handle();
  make_ghost();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::close(alive.writer);
    pollfd end{alive.reader, POLLIN, 0};
    ::poll(&end, 1, -1);
    ::_exit(0);
  }
  EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_FALSE(is_readable(handle));
  put(alive.writer);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST_F(EpollRebuild, LeavesForAuditWhatWasFoundClosed) {
  pipe_ends gone = make_pipe();
  const pipe_ends p = make_pipe();
  s.register_fd(gone.reader, read);
  make_ghost();
  const int number = gone.reader;
  gone.reader.close();
  EXPECT_TRUE(s.select(timeout::zero).empty());
  const descriptor other = duplicate(p.reader, number);
  ASSERT_EQ(other, number);
  ASSERT_EQ(s.audit().size(), 1u);
  EXPECT_EQ(s.audit()[0].fd, number);
}

TEST_F(EpollRebuild, IsNotNeededForAFileThatIsBackUnderItsNumber) {
  pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  const int number = p.reader;
  const descriptor same = duplicate(number);
  p.reader.close();
  s.unregister(number);
  p.reader = duplicate(same, number);
  ASSERT_EQ(p.reader, number);
  s.register_fd(number, read);
  put(p.writer);
  EXPECT_EQ(rebuilds([&] { expect_only(p, "under its number"); }), 0u);
}

TEST_F(EpollRebuild, IsNotNeededForAuditToFindANumberThatBecameAFiles) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  const descriptor file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::dup3(file, p.reader, O_CLOEXEC), p.reader);
  ASSERT_EQ(s.audit().size(), 1u);
  EXPECT_EQ(s.audit()[0].fd, p.reader);
}

// Stale, muted, and not to be reached: without a rebuild the kernel would report it again and again.
TEST_F(EpollRebuild, SilencesAStaleKeyThatCannotBeMuted) {
  pipe_ends p = make_pipe();
  s.register_fd(p.reader, write);
  kept.push_back(duplicate(p.reader));
  p.reader.close();
  p.writer.close();  // a hang-up, which nobody asked for
  recorded_calls calls;
  EXPECT_TRUE(s.select(20ms).empty());
  EXPECT_LE(calls.take().size(), 200u) << "a dozen calls, not a busy loop";
}

}  // namespace
}  // namespace selectors::tests
