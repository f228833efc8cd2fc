// The handle of an adaptive selector shows what epoll refuses, too: a file that is always ready.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <selectors/selector.hpp>

#include "descriptors.hpp"
#include "replaced_calls.hpp"

namespace selectors::tests {
namespace {

using enum interest;

bool shows(int handle) {
  pollfd p = {.fd = handle, .events = POLLIN, .revents = 0};
  return ::poll(&p, 1, 0) == 1;
}

struct AdaptiveHandle : ::testing::Test {
  descriptor file{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
  pipe_ends quiet = make_pipe();
  selector s{backend::adaptive};
};

TEST_F(AdaptiveHandle, LetsGoAlthoughAChildHasTheSameFiles) {
  s.register_fd(file, read);
  const int handle = s.native_handle();
  pipe_ends life = make_pipe();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    life.writer.close();
    pollfd end = {.fd = life.reader, .events = POLLIN, .revents = 0};
    ::_exit(::poll(&end, 1, 20'000) == 1 ? 0 : 1);
  }
  EXPECT_TRUE(shows(handle));
  s.unregister(file);
  EXPECT_FALSE(shows(handle));
  life.writer.close();
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(AdaptiveHandle, IsNotGivenWhenItCouldNotShowAFile) {
  s.register_fd(file, read);
  std::error_code ec;
  {
    const scoped_fault<&system_calls::event_descriptor> full(EMFILE);
    EXPECT_EQ(s.native_handle(ec), -1);
    EXPECT_EQ(ec, std::errc::too_many_files_open);
  }
  EXPECT_TRUE(shows(s.native_handle()));
}

// What cannot be heard through it may be ready, so it says so until it can be.
TEST_F(AdaptiveHandle, HidesNothingThatTheKernelHadNoRoomFor) {
  const int handle = s.native_handle();
  {
    const epoll_ctl_fault no_room(EPOLL_CTL_ADD, ENOSPC);
    s.register_fd(quiet.reader, read);
    EXPECT_TRUE(shows(handle));
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(s.select(timeout::zero).empty());
    EXPECT_TRUE(shows(handle));
  }
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(s.select(timeout::zero).empty());
  EXPECT_FALSE(shows(handle));
  put(quiet.writer);
  EXPECT_TRUE(shows(handle));
}

TEST_F(AdaptiveHandle, ShowsAFileOnlyForWhatItIsAlwaysReadyFor) {
  s.register_fd(file, priority);
  const int handle = s.native_handle();
  EXPECT_FALSE(shows(handle));
  s.modify(file, read | priority);
  EXPECT_TRUE(shows(handle));
}

}  // namespace
}  // namespace selectors::tests
