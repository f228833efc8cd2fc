// Every refusal of the kernel, on epoll: the verb fails with the kernel's own error, nothing has changed and
// nothing leaks, and the selector goes on.
#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "every_backend.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using enum interest;

class EpollFaults : public ::testing::TestWithParam<int> {
 protected:
  std::error_code expected() const { return {GetParam(), std::system_category()}; }

  // That only `pipe` is reported, whether or not the other one was tried to be entered.
  void expect_only(const pipe_ends& pipe) {
    const selection found = s.select(timeout::zero);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].fd, pipe.reader);
  }

  pipe_ends a = make_pipe();
  pipe_ends b = make_pipe();
  selector s{backend::epoll};
  std::error_code ec;
};

TEST_P(EpollFaults, ConstructionFailsAndLeavesNothing) {
  const std::size_t open = open_descriptors();
  {
    scoped_fault<&system_calls::epoll_create> refuses(GetParam());
    EXPECT_FALSE(selector::create(backend::epoll, ec).has_value());
    EXPECT_EQ(ec, expected());
    try {
      selector none(backend::epoll);
      FAIL() << "made";
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), expected());
      EXPECT_EQ(std::string(e.what()).find("selector::selector"), 0u) << e.what();
    }
    EXPECT_FALSE(find_backend(backend::epoll)->supported());
  }
  EXPECT_EQ(open_descriptors(), open);
  EXPECT_TRUE(find_backend(backend::epoll)->supported());
  EXPECT_TRUE(selector::create(backend::epoll, ec).has_value());
  EXPECT_FALSE(ec);
}

TEST_P(EpollFaults, ARegistrationThatFailsLeavesNoTrace) {
  s.register_fd(a.reader, read);
  put(a.writer);
  put(b.writer);
  {
    epoll_ctl_fault refuses(EPOLL_CTL_ADD, GetParam());
    EXPECT_EQ(s.register_fd(b.reader, read, {}, trigger::level, ec), key());
    EXPECT_EQ(ec, expected());
    EXPECT_THROW(s.register_fd(b.reader, read), std::system_error);
  }
  EXPECT_EQ(s.size(), 1u);
  EXPECT_FALSE(s.contains(b.reader));
  expect_only(a);
  EXPECT_NE(s.register_fd(b.reader, read).generation, 0u) << "it can be registered later";
  EXPECT_EQ(s.select(timeout::zero).size(), 2u);
}

TEST_P(EpollFaults, AModifyThatFailsLeavesTheOldRegistrationInForce) {
  const key before = s.register_fd(a.reader, read, 1);
  put(a.writer);
  {
    epoll_ctl_fault refuses(EPOLL_CTL_MOD, GetParam());
    EXPECT_EQ(s.modify(a.reader, write, 2, trigger::edge, ec), key());
    EXPECT_EQ(ec, expected());
    EXPECT_EQ(s.get_key(a.reader), before);
    EXPECT_EQ(s.modify(a.reader, read, 3, trigger::level).data, user_data(3)) << "needs no kernel";
  }
  expect_only(a);
  EXPECT_EQ(s.select(timeout::zero)[0].data, user_data(3));
}

TEST_P(EpollFaults, AModifyThatAdoptsAndFailsLeavesTheOldRegistrationInForce) {
  const key before = s.register_fd(a.reader, read, 1);
  const int number = a.reader;
  ASSERT_EQ(::dup2(b.reader, number), number);  // the number is another file now
  {
    epoll_ctl_fault refuses(EPOLL_CTL_ADD, GetParam());
    s.modify(number, read | write, 2, trigger::level, ec);
    EXPECT_EQ(ec, expected());
    EXPECT_EQ(s.get_key(number), before);
  }
  const key after = s.modify(number, read | write, 2, trigger::level);
  EXPECT_NE(after.generation, before.generation);
  put(b.writer);
  expect_only(a);
}

TEST_P(EpollFaults, AnExclusiveModifyThatFailsPutsTheOldEntryBack) {
  const key before = s.register_fd(a.reader, read, 1, trigger::exclusive);
  put(a.writer);
  {
    epoll_ctl_fault refuses(EPOLL_CTL_ADD, GetParam(), {.skip = 0, .times = 1});
    s.modify(a.reader, read | write, 2, trigger::exclusive, ec);
    EXPECT_EQ(ec, expected());
    EXPECT_EQ(refuses.count(), 1);
  }
  EXPECT_EQ(s.get_key(a.reader), before);
  expect_only(a);
  EXPECT_EQ(s.select(timeout::zero)[0].data, user_data(1));
}

TEST_P(EpollFaults, AnExclusiveModifyWhoseOldEntryIsLostToo) {
  const key before = s.register_fd(a.reader, read, 1);
  put(a.writer);
  {
    epoll_ctl_fault refuses(EPOLL_CTL_ADD, GetParam(), {.skip = 0, .times = 2});
    s.modify(a.reader, read, 2, trigger::exclusive, ec);
    EXPECT_EQ(ec, expected());
    EXPECT_EQ(refuses.count(), 2);
  }
  EXPECT_EQ(s.get_key(a.reader), before);
  expect_only(a);
  const key after = s.modify(a.reader, read | write, 3, trigger::level);
  EXPECT_EQ(after.generation, before.generation) << "it is the same file";
}

TEST_P(EpollFaults, AModifyRightAfterALostEntryEntersItAgain) {
  const key before = s.register_fd(a.reader, read, 1);
  {
    epoll_ctl_fault refuses(EPOLL_CTL_ADD, GetParam(), {.skip = 0, .times = 2});
    s.modify(a.reader, read, 2, trigger::exclusive, ec);
  }
  ASSERT_EQ(ec, expected());
  EXPECT_EQ(s.modify(a.reader, read | write, 3, trigger::level).generation, before.generation);
  put(a.writer);
  expect_only(a);
  s.pause(a.reader);
  EXPECT_TRUE(s.select(timeout::zero).empty());
}

TEST_P(EpollFaults, AResumeThatFailsLeavesItPaused) {
  s.register_fd(a.reader, read);
  put(a.writer);
  s.pause(a.reader);
  {
    epoll_ctl_fault refuses(EPOLL_CTL_ADD, GetParam());
    EXPECT_EQ(s.resume(a.reader, ec), key());
    EXPECT_EQ(ec, expected());
    s.modify(a.reader, write, {}, trigger::level, ec);
    EXPECT_EQ(ec, expected());
  }
  EXPECT_TRUE(s.get_key(a.reader).paused);
  EXPECT_EQ(s.get_key(a.reader).wanted, read);
  EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_FALSE(s.resume(a.reader).paused);
  expect_only(a);
}

TEST_P(EpollFaults, ArmingAgainThatFailsLeavesItFired) {
  s.register_fd(a.reader, read, {}, trigger::oneshot);
  put(a.writer);
  expect_only(a);
  {
    epoll_ctl_fault refuses(EPOLL_CTL_MOD, GetParam());
    s.modify(a.reader, read, {}, trigger::oneshot, ec);
    EXPECT_EQ(ec, expected());
    s.resume(a.reader, ec);
    EXPECT_EQ(ec, expected());
  }
  EXPECT_TRUE(s.select(timeout::zero).empty());
  s.resume(a.reader);
  expect_only(a);
}

TEST_P(EpollFaults, UnregisterSucceedsWhateverTheKernelSays) {
  s.register_fd(a.reader, read);
  s.register_fd(b.reader, read);
  put(a.writer);
  put(b.writer);
  {
    epoll_ctl_fault refuses(EPOLL_CTL_DEL, GetParam());
    EXPECT_EQ(s.unregister(b.reader, ec).fd, b.reader);
    EXPECT_FALSE(ec);
    EXPECT_EQ(refuses.count(), 1);
  }
  expect_only(a);
  EXPECT_EQ(s.register_fd(b.reader, read).fd, b.reader);
  EXPECT_EQ(s.select(timeout::zero).size(), 2u);
}

TEST_P(EpollFaults, PauseIsSilentWhateverTheKernelSays) {
  s.register_fd(a.reader, read);
  s.register_fd(b.reader, read);
  put(a.writer);
  put(b.writer);
  {
    epoll_ctl_fault refuses(EPOLL_CTL_DEL, GetParam());
    EXPECT_TRUE(s.pause(b.reader).paused);
  }
  expect_only(a);
  s.resume(b.reader);
  EXPECT_EQ(s.select(timeout::zero).size(), 2u);
}

TEST_P(EpollFaults, ANativeHandleThatFailsLeavesNothing) {
  const std::size_t open = open_descriptors();
  {
    scoped_fault<&system_calls::epoll_create> refuses(GetParam());
    EXPECT_EQ(s.native_handle(ec), -1);
    EXPECT_EQ(ec, expected());
  }
  {
    epoll_ctl_fault refuses(EPOLL_CTL_ADD, GetParam());
    EXPECT_THROW(s.native_handle(), std::system_error);
  }
  EXPECT_EQ(open_descriptors(), open);
  EXPECT_GE(s.native_handle(), 0);
}

INSTANTIATE_TEST_SUITE_P(, EpollFaults, ::testing::Values(EMFILE, ENFILE, ENOMEM, ENOSPC, EPERM),
                         [](const auto& tested) { return std::string(::strerrorname_np(tested.param)); });

}  // namespace
}  // namespace selectors::tests
