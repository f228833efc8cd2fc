// Which system calls each verb makes, and no others.
#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "every_backend.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using namespace std::chrono_literals;
using enum interest;

class SystemCalls : public every_backend {
 protected:
  // The one call of an ordinary wait.
  std::string wait_call() const {
    return is(backend::epoll) ? "epoll_wait" : std::string(find_backend(GetParam())->name);
  }
  std::string on_epoll(const std::string& text) const { return is(backend::epoll) ? text : ""; }
  std::string on_select(const std::string& text) const { return is(backend::select) ? text : ""; }

  void expect_steady(std::size_t ready, const char* what) {
    for (const timeout t : {timeout::zero, timeout::infinite, timeout(1s)}) {
      if (t.is_infinite() && ready == 0) continue;
      if (t == timeout(1s) && ready == 0) continue;
      (void)s.select(t);
      calls.take();
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(s.select(t).size(), ready) << what;
        EXPECT_EQ(calls.take(), wait_call()) << what;
        EXPECT_EQ(s.select(t, {}).size(), ready) << what;
        EXPECT_EQ(calls.take(), wait_call()) << what << ", the longer form";
      }
    }
  }

  recorded_calls calls;
  selector s{GetParam()};
};

TEST_P(SystemCalls, ASteadySelectMakesExactlyOne) {
  expect_steady(0, "nothing registered");
  const std::vector<pipe_ends> pipes = make_pipes(64);
  for (const pipe_ends& p : pipes) s.register_fd(p.reader, read);
  expect_steady(0, "none ready");
  put(pipes[13].writer);
  expect_steady(1, "one ready");
  for (const pipe_ends& p : pipes) put(p.writer);
  expect_steady(64, "all ready");
}

TEST_P(SystemCalls, ALimitedSelectMakesOneToo) {
  const std::vector<pipe_ends> pipes = make_pipes(5);
  for (const pipe_ends& p : pipes) {
    s.register_fd(p.reader, read);
    put(p.writer);
  }
  calls.take();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(s.select(timeout::zero, {.limit = 2}).size(), 2u);
    EXPECT_EQ(calls.take(), wait_call());
  }
}

TEST_P(SystemCalls, AWaitThatRunsOutMakesOne) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  calls.take();
  EXPECT_TRUE(s.select(2ms).empty());
  EXPECT_EQ(calls.take(), wait_call());
}

TEST_P(SystemCalls, RegisteringMakesAtMostTwo) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  calls.take();
  s.register_fd(p.writer, write);
  EXPECT_EQ(calls.take(), is(backend::epoll) ? "epoll_ctl" : on_select("status_flags"));
  // The first of a page looks whether the number is open before there is memory for it.
  const descriptor high = duplicate(p.reader, 900);
  s.register_fd(high, read);
  EXPECT_EQ(calls.take(), is(backend::epoll)    ? "status_flags epoll_ctl"
                          : is(backend::select) ? "status_flags status_flags"
                                                : "status_flags");
}

TEST_P(SystemCalls, ModifyOfDataOnlyMakesNone) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read, 1);
  calls.take();
  EXPECT_EQ(s.modify(p.reader, read, 2, trigger::level).data, user_data(2));
  EXPECT_EQ(s.modify(p.reader, read).data, user_data(2));
  EXPECT_EQ(calls.take(), "");
}

TEST_P(SystemCalls, ModifyOfTheInterestMakesOneOrNone) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  calls.take();
  s.modify(p.reader, read | write);
  EXPECT_EQ(calls.take(), is(backend::epoll) ? "epoll_ctl" : on_select("status_flags"));
}

TEST_P(SystemCalls, ArmingAgainReachesTheKernel) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read, {}, trigger::oneshot);
  calls.take();
  s.modify(p.reader, read, {}, trigger::oneshot);
  EXPECT_EQ(calls.take(), is(backend::epoll) ? "epoll_ctl" : on_select("status_flags"));
}

TEST_P(SystemCalls, UnregisterMakesOneOnEpollAndNoneElsewhere) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  calls.take();
  s.unregister(p.reader);
  EXPECT_EQ(calls.take(), on_epoll("epoll_ctl"));
}

TEST_P(SystemCalls, PauseAndResumeAreIdempotentForTheKernelToo) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  calls.take();
  s.pause(p.reader);
  EXPECT_EQ(calls.take(), on_epoll("epoll_ctl"));
  s.pause(p.reader);
  EXPECT_EQ(calls.take(), "");
  s.resume(p.reader);
  EXPECT_EQ(calls.take(), is(backend::epoll) ? "epoll_ctl" : on_select("status_flags"));
  s.resume(p.reader);
  EXPECT_EQ(calls.take(), "");
  s.pause(p.reader);
  calls.take();
  s.unregister(p.reader);
  EXPECT_EQ(calls.take(), "") << "a paused registration is in no set";
}

TEST_P(SystemCalls, AskingAboutTheTableMakesNone) {
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  calls.take();
  EXPECT_EQ(s.get_map().size(), 1u);
  EXPECT_EQ(s.get_key(p.reader).fd, p.reader);
  EXPECT_EQ(s.size(), 1u);
  EXPECT_TRUE(s.contains(p.reader));
  EXPECT_EQ(calls.take(), "");
}

TEST_P(SystemCalls, ASelectorThatIsOnlyMadeCostsItsKernelObject) {
  calls.take();
  { selector another(GetParam()); }
  EXPECT_EQ(calls.take(), on_epoll("epoll_create close"));
}

TEST_P(SystemCalls, AWakerCostsNothingUntilItIsAskedFor) {
  const std::size_t open = open_descriptors();
  const pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  (void)s.select(timeout::zero);
  EXPECT_EQ(open_descriptors(), open + 2);
  calls.take();
  const waker w = s.make_waker();
  EXPECT_EQ(calls.take(), is(backend::epoll) ? "event_descriptor epoll_ctl" : "event_descriptor");
  const waker same = s.make_waker();
  EXPECT_EQ(calls.take(), "");
  EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_EQ(calls.take(), wait_call()) << "a waker that does not wake costs a wait no call";
  same.wake();
  w.wake();
  EXPECT_EQ(calls.take(), "write write");
  EXPECT_TRUE(s.select().woken());
  EXPECT_EQ(calls.take(), wait_call() + " read");
}

TEST_P(SystemCalls, AuditMakesOneOrThreeForEachRegistration) {
  pipe_ends p = make_pipe();
  s.register_fd(p.reader, read);
  s.register_fd(p.writer, write);
  calls.take();
  EXPECT_TRUE(s.audit().empty());
  EXPECT_EQ(calls.take(), is(backend::epoll) ? "status_flags epoll_ctl status_flags epoll_ctl"
                                             : "status_flags status_flags");
}

INSTANTIATE_TEST_SUITE_P(, SystemCalls, fixed_backends(), backend_name);

TEST(SystemCallsOfEpoll, ANativeHandleIsMadeOnce) {
  recorded_calls calls;
  selector s(backend::epoll);
  calls.take();
  const int handle = s.native_handle();
  EXPECT_EQ(calls.take(), "epoll_create epoll_ctl");
  EXPECT_EQ(s.native_handle(), handle);
  EXPECT_EQ(calls.take(), "");
}

}  // namespace
}  // namespace selectors::tests
