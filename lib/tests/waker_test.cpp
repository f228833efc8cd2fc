// What wakers do when the kernel refuses, and around the end of their selector.
#include <sys/eventfd.h>

#include <cstdint>

#include <selectors/selector.hpp>

#include "children.hpp"
#include "descriptors.hpp"
#include "every_backend.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

class Waker : public every_backend {
 protected:
  selector s{GetParam()};
  std::error_code ec;
};

TEST_P(Waker, IsNotMadeWithoutADescriptorAndNothingLeaks) {
  const std::size_t open = open_descriptors();
  for (const int error : {EMFILE, ENFILE, ENOMEM}) {
    scoped_fault<&system_calls::event_descriptor> refuses(error);
    s.make_waker(ec).wake();
    EXPECT_EQ(ec, std::error_code(error, std::system_category()));
    EXPECT_THROW(s.make_waker(), std::system_error);
  }
  EXPECT_EQ(open_descriptors(), open);
  s.make_waker().wake();
  EXPECT_TRUE(s.select().woken());
}

TEST_P(Waker, AFullCountIsAPendingWake) {
  const waker w = s.make_waker();
  w.wake();
  scoped_fault<&system_calls::write> full(EAGAIN);
  errno = E2BIG;
  w.wake();
  EXPECT_EQ(errno, E2BIG) << "errno is kept";
  EXPECT_EQ(full.count(), 1);
  EXPECT_TRUE(s.select().woken());
}

TEST_P(Waker, AccompaniesEntriesAndTakesNoPlace) {
  const pipe_ends pipe = make_pipe();
  s.register_fd(pipe.reader, interest::read);
  put(pipe.writer);
  const waker w = s.make_waker();
  for (const timeout t : {timeout::zero, timeout::infinite, timeout(std::chrono::seconds(1))}) {
    w.wake();
    const selection found = s.select(t);
    EXPECT_TRUE(found.woken());
    EXPECT_EQ(found.size(), 1u);
    EXPECT_FALSE(s.select(timeout::zero).woken()) << "consumed";
  }
}

TEST_P(Waker, IsHeardInTurnWhenTheLimitIsUsedUp) {
  const pipe_ends pipe = make_pipe();
  s.register_fd(pipe.reader, interest::read);
  put(pipe.writer);
  s.make_waker().wake();
  int woken = 0;
  for (int i = 0; i < 4; ++i) {
    const selection found = s.select(timeout::zero, {.limit = 1});
    EXPECT_EQ(found.size(), 1u);
    woken += static_cast<int>(found.woken());
  }
  EXPECT_EQ(woken, 1);
}

TEST_P(Waker, OutlivesItsSelectorAndReachesNobody) {
  const waker w = s.make_waker();
  s.close();
  const std::size_t open = open_descriptors();
  w.wake();
  selector next(GetParam());
  (void)next.make_waker();
  w.wake();
  EXPECT_FALSE(next.select(timeout::zero).woken()) << "also when the storage is used again";
  EXPECT_GE(open_descriptors(), open);
}

TEST_P(Waker, ItsDescriptorIsClosedWithTheLastOfThem) {
  const std::size_t before = open_descriptors();
  {
    const waker w = s.make_waker();
    const waker copy(w);
    s.close();
    copy.wake();
  }
  EXPECT_EQ(open_descriptors() + (is(backend::epoll) ? 1 : 0), before) << "the epoll set is gone as well";
}

TEST_P(Waker, SurvivesAStaleKeyThatHadItsNumber) {
  std::vector<int> stale;
  {
    const std::vector<pipe_ends> pipes = make_pipes(2);
    for (const pipe_ends& p : pipes) {
      s.register_fd(stale.emplace_back(p.reader), interest::read);
      s.register_fd(stale.emplace_back(p.writer), interest::read);
    }
  }
  const waker w = s.make_waker();
  s.modify(stale[0], interest::write, {}, trigger::level, ec);
  for (const int fd : stale) EXPECT_EQ(s.unregister(fd).fd, fd);
  EXPECT_FALSE(s.select(timeout::zero).woken());
  w.wake();
  EXPECT_TRUE(s.select(std::chrono::seconds(5)).woken());
}

TEST_P(Waker, ADefaultOneDoesNothing) {
  errno = E2BIG;
  waker().wake();
  EXPECT_EQ(errno, E2BIG);
}

TEST_P(Waker, InAForkedChildDoesNothing) {
  const waker w = s.make_waker();
  EXPECT_EQ(in_child([&] {
              w.wake();
              return std::string();
            }),
            "");
  EXPECT_FALSE(s.select(timeout::zero).woken());
}

TEST_P(Waker, DoesNotWaitForRoomInAFullCount) {
  int made = -1;
  const replaced<&system_calls::event_descriptor> recorded(
      [&, real = system_call.event_descriptor] { return made = real(); });
  const waker w = s.make_waker();
  ASSERT_EQ(::eventfd_write(made, UINT64_MAX - 1), 0);
  w.wake();
  EXPECT_TRUE(s.select().woken());
  EXPECT_FALSE(s.select(timeout::zero).woken());
}

INSTANTIATE_TEST_SUITE_P(, Waker, all_backends(), backend_name);

TEST(WakerOfSelect, IsRefusedForANumberBeyondTheLimit) {
  allow_descriptors_below(2048);
  selector s(backend::select);
  const pipe_ends pipe = make_pipe();
  const std::size_t open = open_descriptors();
  std::error_code ec;
  {
    replaced<&system_calls::event_descriptor> high([real = system_call.event_descriptor] {
      const descriptor low(real());
      return ::dup2(low, 1500);
    });
    s.make_waker(ec);
    EXPECT_EQ(ec, errc::fd_out_of_range);
  }
  EXPECT_EQ(open_descriptors(), open);
  s.register_fd(pipe.reader, interest::read);
  put(pipe.writer);
  EXPECT_EQ(s.select().size(), 1u);
  s.make_waker().wake();
  EXPECT_TRUE(s.select().woken());
}

TEST(WakerOfEpoll, IsRefusedWhenTheSetIsFull) {
  selector s(backend::epoll);
  const std::size_t open = open_descriptors();
  std::error_code ec;
  for (const int error : {ENOSPC, ENOMEM}) {
    epoll_ctl_fault refuses(EPOLL_CTL_ADD, error);
    s.make_waker(ec);
    EXPECT_EQ(ec, std::error_code(error, std::system_category()));
  }
  EXPECT_EQ(open_descriptors(), open);
  s.make_waker().wake();
  EXPECT_TRUE(s.select().woken());
}

}  // namespace
}  // namespace selectors::tests
