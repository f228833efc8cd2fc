// TYP: kinds of descriptors beyond pipes and sockets.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "chapters.hpp"
#include "children.hpp"
#include "claims.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

using enum interest;

descriptor open_file(const std::string& path, int flags) {
  return descriptor(checked(::open(path.c_str(), flags | O_CLOEXEC, 0600), ("open " + path).c_str()));
}

// A folder of its own that goes away with what is in it.
class scratch_folder {
 public:
  scratch_folder() {
    const char* const base = std::getenv("TMPDIR");
    path_ = std::string(base != nullptr ? base : "/tmp") + "/selectors-XXXXXX";
    if (::mkdtemp(path_.data()) == nullptr) throw setup_error("mkdtemp " + path_ + " failed");
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    ::unlink(file().c_str());
    ::rmdir(path_.c_str());
  }

  const std::string& path() const noexcept { return path_; }
  std::string file() const { return path_ + "/file"; }

 private:
  std::string path_;
};

void fifo_follows_its_writers(context& c) {
  const scratch_folder folder;
  checked(::mkfifo(folder.file().c_str(), 0600), "mkfifo");
  const descriptor reader = open_file(folder.file(), O_RDONLY | O_NONBLOCK);
  c.s().add(reader, read);
  EXPECT_TRUE(silent(c)) << "no writer yet";
  descriptor writer = open_file(folder.file(), O_WRONLY | O_NONBLOCK);
  EXPECT_TRUE(silent(c)) << "a writer that wrote nothing";
  writer.close();
  EXPECT_TRUE(reports(c.s(), {{reader, read}})) << "the last writer left";
  writer = open_file(folder.file(), O_WRONLY | O_NONBLOCK);
  EXPECT_TRUE(silent(c)) << "a new writer";
  put(writer);
  EXPECT_TRUE(reports(c.s(), {{reader, read}}));
}

void eventfd_follows_its_counter(context& c) {
  const descriptor counter(checked(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd"));
  const auto add = [&](eventfd_t value) { checked(::eventfd_write(counter, value), "eventfd_write"); };
  c.s().add(counter, read | write);
  EXPECT_TRUE(reports(c.s(), {{counter, write}}));
  add(1);
  EXPECT_TRUE(reports(c.s(), {{counter, read | write}}));
  add(~eventfd_t{0} - 2);
  EXPECT_TRUE(reports(c.s(), {{counter, read}}));
  eventfd_t value = 0;
  checked(::eventfd_read(counter, &value), "eventfd_read");
  EXPECT_TRUE(reports(c.s(), {{counter, write}}));
}

void timerfd_is_read_until_it_is_read(context& c) {
  const descriptor timer(
      checked(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd_create"));
  c.s().add(timer, read | write);
  EXPECT_TRUE(silent(c));
  const itimerspec soon{{0, 0}, {0, 5'000'000}};
  checked(::timerfd_settime(timer, 0, &soon, nullptr), "timerfd_settime");
  EXPECT_TRUE(reports(c.s(), {{timer, read}}));
  EXPECT_TRUE(reports(c.s(), {{timer, read}}));
  EXPECT_EQ(take(timer, 8), 8u);
  EXPECT_TRUE(silent(c));
}

void signalfd_is_read_while_a_signal_is_pending(context& c) {
  sigset_t usr2;
  sigset_t before;
  sigemptyset(&usr2);
  sigaddset(&usr2, SIGUSR2);
  ::pthread_sigmask(SIG_BLOCK, &usr2, &before);
  const descriptor signals(checked(::signalfd(-1, &usr2, SFD_NONBLOCK | SFD_CLOEXEC), "signalfd"));
  c.s().add(signals, read | write);
  EXPECT_TRUE(silent(c));
  ::pthread_kill(::pthread_self(), SIGUSR2);
  EXPECT_TRUE(reports(c.s(), {{signals, read}}));
  EXPECT_EQ(take(signals, sizeof(signalfd_siginfo)), sizeof(signalfd_siginfo));
  EXPECT_TRUE(silent(c));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void inotify_is_read_while_news_wait(context& c) {
  const scratch_folder folder;
  const descriptor watcher(checked(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC), "inotify_init1"));
  checked(::inotify_add_watch(watcher, folder.path().c_str(), IN_CREATE), "inotify_add_watch");
  c.s().add(watcher, read | write);
  EXPECT_TRUE(silent(c));
  open_file(folder.file(), O_CREAT | O_WRONLY);
  EXPECT_TRUE(reports(c.s(), {{watcher, read}}));
  drain(watcher);
  EXPECT_TRUE(silent(c));
}

void pidfd_is_read_once_the_process_has_ended(context& c) {
  pipe_ends leash = make_pipe();
  companion child([&]() -> verdict {
    leash.writer.close();
    pollfd p{leash.reader, POLLIN, 0};
    ::poll(&p, 1, 10'000);
    return {0, {}};
  });
  const descriptor process(
      checked(static_cast<int>(::syscall(SYS_pidfd_open, child.pid(), 0)), "pidfd_open"));
  c.s().add(process, read);
  EXPECT_TRUE(silent(c));
  leash.writer.close();
  EXPECT_TRUE(reports(c.s(), {{process, read}}));
  EXPECT_TRUE(child.finish().good());
  EXPECT_TRUE(reports(c.s(), {{process, read}})) << "after it was reaped";
}

struct terminal {
  descriptor master;
  descriptor slave;
};

terminal make_terminal() {
  terminal t;
  t.master = descriptor(checked(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK), "posix_openpt"));
  checked(::grantpt(t.master), "grantpt");
  checked(::unlockpt(t.master), "unlockpt");
  char name[128];
  if (::ptsname_r(t.master, name, sizeof name) != 0) throw setup_error("ptsname_r failed");
  t.slave = open_file(name, O_RDWR | O_NOCTTY | O_NONBLOCK);
  return t;
}

void unfinished_line_of_a_terminal_is_not_readable(context& c) {
  const terminal t = make_terminal();
  c.s().add(t.slave, read);
  EXPECT_TRUE(silent(c));
  put(t.master, 3);
  EXPECT_TRUE(silent(c));
  checked(static_cast<int>(::write(t.master, "\n", 1)), "write");
  EXPECT_TRUE(reports(c.s(), {{t.slave, read}}));
}

void terminal_without_master_is_read_and_write(context& c) {
  terminal t = make_terminal();
  c.s().add(t.slave, read | write);
  EXPECT_TRUE(reports(c.s(), {{t.slave, write}}));
  t.master.close();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{t.slave, read | write}}));
}

void master_without_terminal_is_read(context& c) {
  terminal t = make_terminal();
  const descriptor writer = duplicate(t.master);
  c.s().add(t.master, read);
  c.s().add(writer, write);
  EXPECT_TRUE(reports(c.s(), {{writer, write}}));
  t.slave.close();
  EXPECT_TRUE(eventually(c.s(), t.master, read));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), {{t.master, read}, {writer, write}}));
}

std::vector<descriptor> files_that_never_block(const scratch_folder& folder) {
  std::vector<descriptor> files;
  files.push_back(open_file(folder.file(), O_CREAT | O_RDWR));
  files.push_back(open_file(folder.path(), O_RDONLY | O_DIRECTORY));
  for (const char* const device : {"/dev/null", "/dev/zero", "/dev/urandom"}) {
    files.push_back(open_file(device, O_RDWR));
  }
  files.push_back(open_file("/proc/self/status", O_RDONLY));
  files.push_back(descriptor(checked(::memfd_create("selectors", MFD_CLOEXEC), "memfd_create")));
  return files;
}

void regular_files_are_always_ready(context& c) {
  const scratch_folder folder;
  const std::vector<descriptor> files = files_that_never_block(folder);
  std::vector<expected_event> expected;
  for (const descriptor& file : files) {
    c.s().add(file, read | write);
    expected.push_back({file, read | write});
  }
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(reports(c.s(), expected));
}

void regular_files_are_refused(context& c) {
  const scratch_folder folder;
  const pipe_ends good = make_pipe();
  c.s().add(good.reader, read);
  for (const descriptor& file : files_that_never_block(folder)) {
    EXPECT_TRUE(refused(std::errc::operation_not_permitted, [&] { c.s().add(file, read | write); }));
    if (c.can(feature::counting)) {
      EXPECT_EQ(c.s().size(), 1u);
      EXPECT_FALSE(c.s().contains(file));
    }
  }
  EXPECT_TRUE(silent(c));
  put(good.writer);
  EXPECT_TRUE(reports(c.s(), {{good.reader, read}}));
}

void always_ready_file_obeys_and_hides_nothing(context& c) {
  const pipe_ends pipe = make_pipe();
  const descriptor file = open_file("/dev/null", O_RDWR);
  c.s().add(pipe.reader, read);
  c.s().add(file, write);
  EXPECT_TRUE(holds(c.s().wait(timeout::infinite), {{file, write}}));
  put(pipe.writer);
  EXPECT_TRUE(reports(c.s(), {{file, write}, {pipe.reader, read}}));
  take(pipe.reader);
  if (c.can(feature::modify)) {
    c.s().modify(file, read);
    EXPECT_TRUE(reports(c.s(), {{file, read}}));
  }
  c.s().unregister(file);
  EXPECT_TRUE(silent(c));
}

void path_descriptor_counts_as_not_open(context& c) {
  const descriptor path = open_file("/", O_PATH);
  bool was_refused = false;
  try {
    c.s().add(path, read | write);
  } catch (const std::system_error& e) {
    was_refused = true;
    EXPECT_EQ(e.code(), std::errc::bad_file_descriptor);
  }
  if (!was_refused) {
    const std::optional<event> e = entry_of(c.s().wait(patience), path);
    EXPECT_TRUE(e && any(e->flags & status::invalid) && !any(e->ready));
  }
  EXPECT_TRUE(silent(c));
}

short polled(int fd) {
  pollfd p{fd, POLLIN | POLLOUT, 0};
  ::poll(&p, 1, 0);
  return p.revents;
}

void handle_is_readable_while_something_is_ready(context& c) {
  const pipe_ends p = make_pipe();
  const int handle = c.s().native_handle();
  EXPECT_EQ(polled(handle), 0);
  c.s().add(p.reader, read);
  EXPECT_EQ(polled(handle), 0);
  put(p.writer);
  EXPECT_EQ(polled(handle), POLLIN);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_EQ(polled(handle), POLLIN) << "level until drained";
  take(p.reader);
  EXPECT_TRUE(quiet(c.s()));
  EXPECT_EQ(polled(handle), 0);
  EXPECT_EQ(c.s().native_handle(), handle);
  if (c.can(feature::waker)) {
    c.s().make_waker()->wake();
    EXPECT_EQ(polled(handle), POLLIN) << "a pending wake ends a wait";
    EXPECT_TRUE(c.s().wait(timeout::zero).woken);
    EXPECT_EQ(polled(handle), 0);
  }
}

// What cannot be in the kernel's set has to show on its handle all the same, whichever came first.
void handle_shows_files_that_are_always_ready(context& c) {
  const descriptor before = open_file("/proc/self/exe", O_RDONLY);
  const descriptor after = open_file("/proc/self/exe", O_RDONLY);
  c.s().add(before, read);
  const int handle = c.s().native_handle();
  EXPECT_EQ(polled(handle), POLLIN);
  EXPECT_TRUE(reports(c.s(), {{before, read}}));
  c.s().unregister(before);
  EXPECT_EQ(polled(handle), 0);
  c.s().add(after, read);
  EXPECT_EQ(polled(handle), POLLIN);
  if (c.can(feature::pause)) {
    c.s().pause(after);
    EXPECT_EQ(polled(handle), 0);
    c.s().resume(after);
    EXPECT_EQ(polled(handle), POLLIN);
  }
  EXPECT_TRUE(reports(c.s(), {{after, read}}));
  c.s().unregister(after);
  EXPECT_EQ(polled(handle), 0);
  if (c.can(feature::priority)) {
    c.s().add(after, priority);
    EXPECT_EQ(polled(handle), 0) << "which a file never has";
    EXPECT_TRUE(quiet(c.s()));
  }
}

// Adopted by modify, the number's new file is one of those.
void handle_shows_files_that_numbers_become(context& c) {
  pipe_ends p = make_pipe();
  const int handle = c.s().native_handle();
  c.s().add(p.reader, read);
  EXPECT_EQ(polled(handle), 0);
  const descriptor file = open_file("/dev/null", O_RDWR);
  checked(::dup3(file, p.reader, O_CLOEXEC), "dup3");
  c.s().modify(p.reader, read | write);
  EXPECT_EQ(polled(handle), POLLIN);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read | write}}));
  c.s().unregister(p.reader);
  EXPECT_EQ(polled(handle), 0);
}

void handle_can_be_nested_in_another_selector(context& c) {
  const pipe_ends p = make_pipe();
  const std::unique_ptr<subject> outer = c.another();
  const int handle = c.s().native_handle();
  c.s().add(p.reader, read);
  outer->add(handle, read | write);
  EXPECT_TRUE(silent(*outer, c.info()));
  put(p.writer);
  EXPECT_TRUE(reports(*outer, {{handle, read}}));
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  take(p.reader);
  EXPECT_TRUE(quiet(c.s()));
  EXPECT_TRUE(silent(*outer, c.info()));
}

void nesting_in_itself_is_refused(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  EXPECT_THROW(c.s().add(c.s().native_handle(), read), std::system_error);
  const std::unique_ptr<subject> other = c.another();
  other->add(c.s().native_handle(), read);
  EXPECT_THROW(c.s().add(other->native_handle(), read), std::system_error);
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
  EXPECT_TRUE(reports(*other, {{c.s().native_handle(), read}}));
}

void missing_handle_says_so(context& c) {
  const pipe_ends p = make_pipe();
  c.s().add(p.reader, read);
  try {
    const int handle = c.s().native_handle();
    ADD_FAILURE() << "returned " << handle;
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code(), std::errc::operation_not_supported);
  } catch (const unsupported&) {
    // An adapter without the verb says the same.
  }
  put(p.writer);
  EXPECT_TRUE(reports(c.s(), {{p.reader, read}}));
}

}  // namespace

std::span<const test_case> descriptor_kinds_cases() {
  using enum feature;
  static const std::vector<test_case> cases{
      {{"TYP-01"}, "FifoFollowsItsWriters", fifo_follows_its_writers},
      {{"TYP-02"}, "EventfdFollowsItsCounter", eventfd_follows_its_counter},
      {{"TYP-02"}, "TimerfdIsReadUntilItIsRead", timerfd_is_read_until_it_is_read},
      {{"TYP-02"}, "SignalfdIsReadWhileASignalIsPending", signalfd_is_read_while_a_signal_is_pending},
      {{"TYP-02"}, "InotifyIsReadWhileNewsWait", inotify_is_read_while_news_wait},
      {{"TYP-03"}, "PidfdIsReadOnceTheProcessHasEnded", pidfd_is_read_once_the_process_has_ended},
      {{"TYP-05"}, "UnfinishedLineOfATerminalIsNotReadable", unfinished_line_of_a_terminal_is_not_readable},
      {{"TYP-05"}, "TerminalWithoutMasterIsReadAndWrite", terminal_without_master_is_read_and_write},
      {{"TYP-05"}, "MasterWithoutTerminalIsRead", master_without_terminal_is_read},
      {{"TYP-06"}, "RegularFilesAreAlwaysReady", regular_files_are_always_ready, regular_files},
      {{"TYP-06"}, "RegularFilesAreRefused", regular_files_are_refused, names_errors, regular_files},
      {{"TYP-07"},
       "AlwaysReadyFileObeysAndHidesNothing",
       always_ready_file_obeys_and_hides_nothing,
       regular_files},
      {{"TYP-09"}, "PathDescriptorCountsAsNotOpen", path_descriptor_counts_as_not_open, names_errors},
      {{"TYP-12"},
       "HandleIsReadableWhileSomethingIsReady",
       handle_is_readable_while_something_is_ready,
       native_handle},
      {{"TYP-12"},
       "HandleShowsFilesThatAreAlwaysReady",
       handle_shows_files_that_are_always_ready,
       native_handle | regular_files},
      {{"TYP-12", "CLO-06"},
       "HandleShowsFilesThatNumbersBecome",
       handle_shows_files_that_numbers_become,
       native_handle | regular_files | modify},
      {{"TYP-12"},
       "HandleCanBeNestedInAnotherSelector",
       handle_can_be_nested_in_another_selector,
       native_handle},
      {{"TYP-13"}, "NestingInItselfIsRefused", nesting_in_itself_is_refused, native_handle},
      {{"TYP-14"}, "MissingHandleSaysSo", missing_handle_says_so, names_errors, native_handle},
  };
  return cases;
}

}  // namespace selectors::conformance
