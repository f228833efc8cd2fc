// Making the epoll set anew while the kernel refuses parts of that.
#include <chrono>

#include "epoll_rebuild.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

TEST_F(EpollRebuild, WithoutASpareDescriptorClosesTheOldSetFirst) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  put(p.writer);
  const int handle = s.native_handle();
  const std::size_t open = open_descriptors();
  make_ghost();
  for (const int error : {EMFILE, ENFILE}) {
    make_ghost();
    scoped_fault<&system_calls::epoll_create> full(error, {.skip = 0, .times = 1});
    expect_only(p, "the first try is refused");
    EXPECT_EQ(full.count(), 1);
  }
  EXPECT_EQ(open_descriptors(), open + kept.size());
  EXPECT_EQ(s.native_handle(), handle);
  EXPECT_TRUE(is_readable(handle));
  drain(p.reader);
  EXPECT_FALSE(is_readable(handle));
}

TEST_F(EpollRebuild, WithoutAnyDescriptorFailsOnceAndRecovers) {
  const pipe_ends p = make_pipe();
  const pipe_ends later = make_pipe();
  const key before = s.register_fd(p.reader, read);
  make_ghost();
  {
    scoped_fault<&system_calls::epoll_create> full(EMFILE);
    EXPECT_TRUE(s.select(timeout::zero, {}, ec).empty());
    EXPECT_EQ(ec.value(), EMFILE);
    EXPECT_TRUE(s.select(10s, {}, ec).empty());
    EXPECT_EQ(ec.value(), EMFILE) << "said at once, not after the time";
    s.register_fd(later.reader, read, {}, trigger::level, ec);
    EXPECT_EQ(ec.value(), EMFILE);
    EXPECT_FALSE(s.contains(later.reader));
    EXPECT_EQ(s.get_key(p.reader), before);
  }
  put(p.writer);
  expect_only(p, "when there is room again");
  put(later.writer);
  s.register_fd(later.reader, read);
  EXPECT_EQ(s.select(timeout::zero).size(), 2u);
}

// Between the failure and the next wait there is no set: the verbs make it, or need none.
TEST_F(EpollRebuild, VerbsAfterAFailureWork) {
  const std::vector<pipe_ends> p = make_pipes(5);
  for (const pipe_ends& each : p) s.register_fd(each.reader, read);
  const auto lose_the_set = [&] {
    make_ghost();
    scoped_fault<&system_calls::epoll_create> full(EMFILE);
    s.select(timeout::zero, {}, ec);
    ASSERT_EQ(ec.value(), EMFILE);
  };
  lose_the_set();
  EXPECT_EQ(s.modify(p[0].reader, read | write, ec).wanted, read | write) << ec.message();
  lose_the_set();
  const std::uint32_t generation = s.get_key(p[1].reader).generation;
  EXPECT_EQ(s.pause(p[1].reader).generation, generation);
  EXPECT_EQ(s.resume(p[1].reader).generation, generation);
  lose_the_set();
  EXPECT_EQ(s.unregister(p[2].reader).fd, p[2].reader);
  s.register_fd(p[2].reader, read);
  lose_the_set();
  EXPECT_TRUE(s.audit(ec).empty());
  EXPECT_FALSE(ec);
  lose_the_set();
  const waker w = s.make_waker(ec);
  EXPECT_FALSE(ec) << ec.message();
  lose_the_set();
  EXPECT_GE(s.native_handle(ec), 0) << ec.message();
  for (const pipe_ends& each : p) put(each.writer);
  w.wake();
  const selection found = s.select();
  EXPECT_EQ(found.size(), p.size());
  EXPECT_TRUE(found.woken());
}

// The new set cannot be filled: the old one stays, ghost and all.
TEST_F(EpollRebuild, WithoutMemoryKeepsTheOldSet) {
  const std::vector<pipe_ends> p = make_pipes(4);
  for (const pipe_ends& each : p) s.register_fd(each.reader, read);
  const std::size_t open = open_descriptors();
  for (const int error : {ENOMEM, ENOSPC}) {
    for (int skip = 0; skip < 4; ++skip) {
      make_ghost();
      {
        epoll_ctl_fault full(EPOLL_CTL_ADD, error, {.skip = skip});
        s.select(timeout::zero, {}, ec);
        EXPECT_EQ(ec.value(), error);
        put(p[0].writer);
        const selection found = s.select(timeout::zero);
        ASSERT_EQ(found.size(), 1u) << "what is ready is not hidden";
        EXPECT_EQ(found[0].fd, p[0].reader);
        drain(p[0].reader);
      }
      EXPECT_TRUE(s.select(timeout::zero).empty());
    }
  }
  EXPECT_EQ(open_descriptors(), open + kept.size());
}

TEST_F(EpollRebuild, WithoutMemoryForTheWakerKeepsTheOldSet) {
  const waker w = s.make_waker();
  make_ghost();
  {
    epoll_ctl_fault full(EPOLL_CTL_ADD, ENOMEM);
    s.select(timeout::zero, {}, ec);
    EXPECT_EQ(ec.value(), ENOMEM);
  }
  w.wake();
  EXPECT_TRUE(s.select().woken());
}

TEST_F(EpollRebuild, WithoutMemoryForTheOuterSetLosesNothing) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  const int handle = s.native_handle();
  const std::size_t open = open_descriptors();
  make_ghost();
  {
    epoll_ctl_fault full(EPOLL_CTL_ADD, ENOMEM, {.skip = 1});  // the pipe yes, the inner set no
    s.select(timeout::zero, {}, ec);
    EXPECT_EQ(ec.value(), ENOMEM);
  }
  EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_EQ(open_descriptors(), open + kept.size());
  EXPECT_FALSE(is_readable(handle));
  put(p.writer);
  EXPECT_TRUE(is_readable(handle));
  expect_only(p, "in the new set");
}

// Whatever stands in the old set can still be taken out of it after a rebuild that failed half-way.
TEST_F(EpollRebuild, PauseIsSilentAfterAFailedOne) {
  const std::vector<pipe_ends> p = make_pipes(3);
  for (const pipe_ends& each : p) s.register_fd(each.reader, read);
  make_ghost();
  epoll_ctl_fault full(EPOLL_CTL_ADD, ENOMEM, {.skip = 1});
  s.select(timeout::zero, {}, ec);
  ASSERT_EQ(ec.value(), ENOMEM);
  for (const pipe_ends& each : p) {
    s.pause(each.reader);
    put(each.writer);
    EXPECT_TRUE(s.select(timeout::zero, {}, ec).empty());
  }
}

}  // namespace
}  // namespace selectors::tests
