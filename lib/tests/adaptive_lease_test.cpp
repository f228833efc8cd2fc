// While nothing changes, the adaptive backend lets waits go past it, straight to one of its sets. Whatever happens, at
// whichever of these waits, has to be seen as if it did not.
#include <sys/ioctl.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include <gtest/gtest.h>
#include <adaptive_backend.hpp>
#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "regimes.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

// A selector in the calm, after so many waits of it.
class calm {
 public:
  calm(regime r, int waits) : p(make_pipes(r == regime::polling ? 8 : 40)) {
    for (const pipe_ends& each : p) s.register_fd(each.reader, read);
    if (r == regime::polling) {
      for (const pipe_ends& each : p) put(each.writer);
    } else {
      put(p[5].writer);
    }
    for (int i = 0; i < 104 + waits; ++i) look();
  }

  std::vector<int> look(timeout t = timeout::zero) {
    std::vector<int> fds;
    for (const event& e : s.select(t)) fds.push_back(e.fd);
    std::sort(fds.begin(), fds.end());
    return fds;
  }
  bool reports(int fd, timeout t = timeout::zero) {
    const std::vector<int> found = look(t);
    return std::find(found.begin(), found.end(), fd) != found.end();
  }

  void drain_all() {
    for (const int fd : look()) {
      int bytes = 0;
      for (::ioctl(fd, FIONREAD, &bytes); bytes > 0; --bytes) drain(fd);
    }
  }

  std::vector<pipe_ends> p;
  selector s;
};

class Lease : public ::testing::TestWithParam<regime> {
 protected:
  // At each wait of more than a whole lease.
  void at_each_wait(const std::function<void(calm&)>& test) {
    for (int waits = 0; waits < 34; ++waits) {
      SCOPED_TRACE(waits);
      calm c(GetParam(), waits);
      test(c);
      if (HasFailure()) return;
    }
  }
};

TEST_P(Lease, IsGrantedWhenNothingChanges) {
  const std::vector<pipe_ends> p = make_pipes(GetParam() == regime::polling ? 8 : 40);
  registration_table table;
  adaptive_backend backend(table);
  ASSERT_FALSE(backend.open());
  for (const pipe_ends& each : p) {
    registration* r = nullptr;
    ASSERT_FALSE(table.make_vacancy(each.reader, r));
    *r = registration{};
    r->wanted = read;
    table.occupy(*r);
    ASSERT_FALSE(backend.add(each.reader, *r));
    if (GetParam() == regime::polling) put(each.writer);
  }
  std::vector<event> found(p.size() + 1);
  for (int i = 0; i < 200 && !backend.lease.runs(); ++i)
    backend.wait({.nanoseconds = 0, .mask = nullptr, .out = found.data(), .limit = found.size()});
  EXPECT_TRUE(backend.lease.runs());
  EXPECT_EQ(backend.lease.polls != nullptr, GetParam() == regime::polling);
  registration* first = table.find(p[0].reader);
  backend.remove(p[0].reader, *first);
  EXPECT_FALSE(backend.lease.runs());
  backend.close();
}

TEST_P(Lease, MoreAndLessThanBeforeIsSeen) {
  at_each_wait([](calm& c) {
    for (const pipe_ends& each : c.p) put(each.writer);
    EXPECT_EQ(c.look().size(), c.p.size());
    c.drain_all();
    EXPECT_TRUE(c.look().empty());
    put(c.p[7].writer);
    EXPECT_EQ(c.look(), std::vector<int>{c.p[7].reader});
  });
}

TEST_P(Lease, RegistrationsAreChangedAtOnce) {
  at_each_wait([](calm& c) {
    const int fd = c.p[5].reader;
    c.s.unregister(fd);
    EXPECT_FALSE(c.reports(fd));
    c.s.register_fd(fd, read);
    EXPECT_TRUE(c.reports(fd));
    c.s.pause(fd);
    EXPECT_FALSE(c.reports(fd));
    c.s.resume(fd);
    EXPECT_TRUE(c.reports(fd));
  });
}

TEST_P(Lease, OneshotFiresOnce) {
  at_each_wait([](calm& c) {
    const pipe_ends one = make_pipe();
    put(one.writer);
    c.s.register_fd(one.reader, read, {}, trigger::oneshot);
    EXPECT_TRUE(c.reports(one.reader));
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(c.reports(one.reader));
    c.s.modify(one.reader, read);
    EXPECT_TRUE(c.reports(one.reader));
    EXPECT_FALSE(c.reports(one.reader));
  });
}

TEST_P(Lease, AConditionThatNobodyAskedForDoesNotSpin) {
  at_each_wait([](calm& c) {
    const hung_up_writer w;
    c.s.register_fd(w.end, write);
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(c.reports(w.end));
    w.make_room();
    EXPECT_TRUE(c.reports(w.end));
  });
}

TEST_P(Lease, AStaleKeyIsInvalidAtMostOnce) {
  at_each_wait([](calm& c) {
    const int number = c.p[5].reader;
    c.p[5].reader.close();
    int reported = 0;
    for (int i = 0; i < 10; ++i) reported += static_cast<int>(c.reports(number));
    EXPECT_LE(reported, 1);
    EXPECT_EQ(c.s.audit().size(), 1u);
    c.s.unregister(number);
  });
}

TEST_P(Lease, AWakeIsSeenOnce) {
  at_each_wait([](calm& c) {
    const waker w = c.s.make_waker();
    for (int i = 0; i < 9; ++i) EXPECT_FALSE(c.s.select(timeout::zero).woken());
    w.wake();
    EXPECT_TRUE(c.s.select(timeout::zero).woken());
    EXPECT_FALSE(c.s.select(timeout::zero).woken());
  });
}

TEST_P(Lease, NothingReadyIsWaitedFor) {
  at_each_wait([](calm& c) {
    c.drain_all();
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(c.s.select(2ms).empty());
    EXPECT_GE(std::chrono::steady_clock::now() - start, 2ms);
    c.s.make_waker().wake();
    EXPECT_TRUE(c.s.select(timeout::infinite).woken());
  });
}

TEST_P(Lease, AnInterruptionIsRetried) {
  at_each_wait([](calm& c) {
    const scoped_fault<&system_calls::poll> poll(EINTR, {.times = 1});
    const scoped_fault<&system_calls::epoll_wait> epoll(EINTR, {.times = 1});
    EXPECT_TRUE(c.reports(c.p[5].reader));
    EXPECT_EQ(poll.count() + epoll.count(), 1);
  });
}

TEST_P(Lease, WhatEpollRefusesIsPolled) {
  at_each_wait([](calm& c) {
    const scoped_fault<&system_calls::epoll_wait> no_memory(ENOMEM);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(c.reports(c.p[5].reader));
  });
}

INSTANTIATE_TEST_SUITE_P(, Lease, ::testing::Values(regime::polling, regime::watching),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace selectors::tests
