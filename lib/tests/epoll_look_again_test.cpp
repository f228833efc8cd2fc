// What is no entry - the waker, a ghost, a repetition - takes no entry's place, and costs no more looks than it must.
#include <algorithm>
#include <vector>

#include "epoll_rebuild.hpp"

namespace selectors::tests {
namespace {

using enum interest;

class EpollLooksAgain : public EpollRebuild {
 protected:
  std::vector<int> look(std::size_t limit) {
    std::vector<int> fds;
    const selection found = s.select(timeout::zero, {.limit = limit});
    for (const event& e : found) fds.push_back(e.fd);
    std::sort(fds.begin(), fds.end());
    woken = found.woken();
    return fds;
  }
  static std::size_t waits(const std::string& made) {
    std::size_t n = 0;
    for (std::size_t i = made.find("epoll_wait"); i != std::string::npos; i = made.find("epoll_wait", i + 1))
      ++n;
    return n;
  }

  const std::vector<pipe_ends> p = make_pipes(2);
  bool woken = false;
};

TEST_F(EpollLooksAgain, ForWhatAWakeHasDisplaced) {
  const waker w = s.make_waker();
  s.register_fd(p[0].reader, read);
  for (int i = 0; i < 4; ++i) {
    w.wake();
    put(p[0].writer);
    EXPECT_EQ(look(1), std::vector<int>{p[0].reader});
    drain(p[0].reader);
    EXPECT_EQ(look(1), std::vector<int>{});
  }
}

TEST_F(EpollLooksAgain, ForWhatAGhostAndThenAWakeHaveDisplaced) {
  const waker w = s.make_waker();
  for (int i = 0; i < 4; ++i) {
    s.register_fd(p[0].reader, read);
    make_ghost();
    put(p[0].writer);
    w.wake();
    EXPECT_EQ(look(1), std::vector<int>{p[0].reader}) << i;
    EXPECT_TRUE(woken);
    drain(p[0].reader);
    s.unregister(p[0].reader);
    EXPECT_TRUE(look(1).empty());
  }
}

TEST_F(EpollLooksAgain, PastWhatItHasAlready) {
  for (const pipe_ends& each : p) s.register_fd(each.reader, read);
  put(p[0].writer);
  make_ghost();
  put(p[1].writer);
  EXPECT_EQ(look(2), (std::vector<int>{p[0].reader, p[1].reader}));
}

TEST_F(EpollLooksAgain, OnceWhenThereIsNothingButAWake) {
  const waker w = s.make_waker();
  s.register_fd(p[0].reader, read);
  w.wake();
  recorded_calls calls;
  EXPECT_TRUE(look(1).empty());
  EXPECT_TRUE(woken);
  EXPECT_EQ(calls.take(), "epoll_wait epoll_wait read");
}

TEST_F(EpollLooksAgain, OnceAfterAGhostWhateverTheLimit) {
  for (const pipe_ends& each : p) s.register_fd(each.reader, read);
  for (const std::size_t limit : {std::size_t{1}, std::size_t{10}}) {
    make_ghost();
    put(p[0].writer);
    recorded_calls calls;
    EXPECT_EQ(look(limit), std::vector<int>{p[0].reader});
    EXPECT_EQ(waits(calls.take()), 2u) << "limit " << limit;
    drain(p[0].reader);
  }
}

}  // namespace
}  // namespace selectors::tests
