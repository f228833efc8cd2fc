// reinit_after_fork when the kernel refuses, and what child and parent see of each other.
#include <algorithm>

#include <selectors/selector.hpp>

#include "children.hpp"
#include "descriptors.hpp"
#include "every_backend.hpp"
#include "replaced_calls.hpp"
#include "verbs.hpp"

namespace selectors::tests {
namespace {

using enum interest;

class Fork : public every_backend {
 protected:
  Fork() { s.register_fd(pipe.reader, read, 1); }

  pipe_ends pipe = make_pipe();
  selector s{GetParam()};
};

TEST_P(Fork, InTheParentReinitDoesNothing) {
  const waker w = s.make_waker();
  recorded_calls calls;
  s.reinit_after_fork();
  EXPECT_EQ(calls.take(), "");
  w.wake();
  EXPECT_TRUE(s.select().woken());
}

TEST_P(Fork, TheChildHasEverythingAfterReinitButTheWakers) {
  const pipe_ends paused = make_pipe();
  const waker old = s.make_waker();
  s.register_fd(paused.reader, read, 2);
  s.pause(paused.reader);
  put(pipe.writer);
  put(paused.writer);
  const std::string wrong = in_child([&]() -> std::string {
    s.reinit_after_fork();
    if (s.size() != 2 || !s.get_key(paused.reader).paused) return "a registration is lost";
    old.wake();
    if (s.select(timeout::zero).woken()) return "the parent's waker wakes the child";
    const waker mine = s.make_waker();
    mine.wake();
    const selection found = s.select();
    if (!found.woken()) return "its own waker does not wake it";
    if (found.size() != 1 || found[0].data != user_data(1)) return "the wrong entries";
    s.resume(paused.reader);
    if (s.select(timeout::zero).size() != 2) return "resume";
    s.unregister(pipe.reader);
    return wrong_unless(s.select(timeout::zero).size() == 1, "unregister");
  });
  EXPECT_EQ(wrong, "");
  const selection found = s.select(timeout::zero);
  EXPECT_EQ(found.size(), 1u) << "nothing of it reaches the parent";
  EXPECT_FALSE(found.woken());
}

TEST_P(Fork, AGrandchildIsForkedAgain) {
  const std::string wrong = in_child([&] {
    s.reinit_after_fork();
    return in_child([&]() -> std::string {
      std::error_code ec;
      s.select(timeout::zero, {}, ec);
      if (ec != errc::forked) return "the grandchild may use the child's selector";
      s.reinit_after_fork(ec);
      return wrong_unless(!ec && s.contains(pipe.reader), "reinit in the grandchild");
    });
  });
  EXPECT_EQ(wrong, "");
}

TEST_P(Fork, AChildClosesAndDestroysWithoutDisturbingTheParent) {
  const std::string wrong = in_child([&]() -> std::string {
    selector moved(std::move(s));
    std::error_code ec;
    moved.unregister(pipe.reader, ec);
    moved.close();
    selector fresh(GetParam());  // in the storage that the closed one left
    fresh.register_fd(pipe.reader, read);
    put(pipe.writer);
    return wrong_unless(fresh.select(timeout::zero).size() == 1, "a new selector in the child");
  });
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(s.select(timeout::zero).size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(, Fork, all_backends(), backend_name);

class ForkOnEpoll : public ::testing::Test {
 protected:
  ForkOnEpoll() {
    s.register_fd(a.reader, read);
    s.register_fd(b.reader, read);
    put(a.writer);
    put(b.writer);
  }

  pipe_ends a = make_pipe();
  pipe_ends b = make_pipe();
  selector s{backend::epoll};
};

TEST_F(ForkOnEpoll, AReinitThatFailsMayBeRepeated) {
  const std::string wrong = in_child([&]() -> std::string {
    std::error_code ec;
    for (const int error : {EMFILE, ENFILE, ENOMEM}) {
      scoped_fault<&system_calls::epoll_create> refuses(error);
      s.reinit_after_fork(ec);
      if (ec.value() != error) return "epoll_create: " + ec.message();
      const std::string still_forked = unlike(every_verb(a.reader).front(), s, errc::forked);
      if (!still_forked.empty()) return still_forked;
    }
    const std::size_t open = open_descriptors();
    for (const int skip : {0, 1}) {
      epoll_ctl_fault refuses(EPOLL_CTL_ADD, ENOSPC, {.skip = skip});
      s.reinit_after_fork(ec);
      if (ec.value() != ENOSPC) return "epoll_ctl: " + ec.message();
    }
    if (open_descriptors() != open) return "a descriptor leaked";
    s.reinit_after_fork();
    return wrong_unless(s.select(timeout::zero).size() == 2, "not everything is there");
  });
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(s.select(timeout::zero).size(), 2u);
}

TEST_F(ForkOnEpoll, ADescriptorThatTheChildClosedBecomesStale) {
  const std::string wrong = in_child([&]() -> std::string {
    const int number = a.reader;
    a.reader.close();
    const descriptor elsewhere = duplicate(b.reader, 100);
    s.reinit_after_fork();
    if (s.select(timeout::zero).size() != 1) return "the other one is not alone";
    const std::vector<key> stale = s.audit();
    return wrong_unless(stale.size() == 1 && stale[0].fd == number, "audit");
  });
  EXPECT_EQ(wrong, "");
}

TEST_F(ForkOnEpoll, TheChildGetsItsOwnNativeHandle) {
  const int handle = s.native_handle();
  const std::string wrong = in_child([&]() -> std::string {
    s.reinit_after_fork();
    drain(a.reader);
    drain(b.reader);
    selector outer(backend::poll);
    outer.register_fd(s.native_handle(), read);
    if (!outer.select(timeout::zero).empty()) return "readable with nothing to report";
    s.unregister(a.reader);
    put(b.writer);
    return wrong_unless(outer.select(timeout::zero).size() == 1, "not readable");
  });
  EXPECT_EQ(wrong, "");
  EXPECT_EQ(s.native_handle(), handle);
  EXPECT_TRUE(s.contains(a.reader));
}

}  // namespace
}  // namespace selectors::tests
