#include "harness/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace selectors::perf {
namespace {

constexpr int no_such_program = 127;

volatile std::sig_atomic_t signal_seen = 0;
bool listening = false;
// What was blocked before `interruption` blocked its signals; a wait lets them in.
sigset_t usual_mask;

void remember(int) {
  signal_seen = 1;
}

const sigset_t* mask_while_waiting() {
  return listening ? &usual_mask : nullptr;
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::system_category(), what);
}

class pipe_end {
 public:
  explicit pipe_end(int fd = -1) : fd_(fd) {}
  pipe_end(const pipe_end&) = delete;
  pipe_end& operator=(const pipe_end&) = delete;
  ~pipe_end() { reset(); }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

struct channel {
  pipe_end from;
  pipe_end to;
  channel() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe2");
    from.reset(ends[0]);
    to.reset(ends[1]);
  }
};

[[noreturn]] void become(const std::vector<char*>& arguments, int output, int errors) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  if (listening) ::sigprocmask(SIG_SETMASK, &usual_mask, nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(no_such_program);
}

pid_t start(const std::vector<std::string>& command, const channel& output, const channel& errors) {
  std::vector<char*> arguments;
  for (const auto& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) become(arguments, output.to.get(), errors.to.get());
  return child;
}

// False at the end of the stream.
bool drain(int fd, std::string& into) {
  std::array<char, 65536> block;
  const ssize_t got = ::read(fd, block.data(), block.size());
  if (got > 0) into.append(block.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

timespec until(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::max(std::chrono::nanoseconds::zero(),
                             std::chrono::nanoseconds(deadline - std::chrono::steady_clock::now()));
  return {left.count() / 1'000'000'000, left.count() % 1'000'000'000};
}

// Reads until both streams end; that is when the process, and whatever it left behind, is done with them.
void collect(pid_t child, const channel& output, const channel& errors, process_result& result,
             std::chrono::milliseconds at_most) {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  std::array<pollfd, 2> streams{{{output.from.get(), POLLIN, 0}, {errors.from.get(), POLLIN, 0}}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const timespec left = until(deadline);
    const int ready = ::ppoll(streams.data(), streams.size(), &left, mask_while_waiting());
    result.interrupted = interruption::requested();
    result.timed_out = ready == 0;
    if (result.interrupted || result.timed_out) {
      ::kill(child, SIGKILL);
      return;
    }
    if (ready < 0) continue;
    if (streams[0].revents != 0 && !drain(streams[0].fd, result.output)) streams[0].fd = -1;
    if (streams[1].revents != 0 && !drain(streams[1].fd, result.errors)) streams[1].fd = -1;
  }
}

}  // namespace

process_result run_process(const std::vector<std::string>& command, std::chrono::milliseconds at_most) {
  process_result result;
  channel output;
  channel errors;
  const pid_t child = start(command, output, errors);
  output.to.reset();
  errors.to.reset();
  collect(child, output, errors, result, at_most);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  result.started = result.exit_code != no_such_program;
  return result;
}

interruption::interruption() {
  signal_seen = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGINT, SIGTERM}) {
    ::sigaction(signal, &action, nullptr);
    sigaddset(&ours, signal);
  }
  ::sigprocmask(SIG_BLOCK, &ours, &usual_mask);
  listening = true;
}

interruption::~interruption() {
  listening = false;
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  // A second Ctrl-C while the file was being written has had its effect already.
  signal_seen = 0;
  for (const int signal : {SIGINT, SIGTERM}) {
    ::signal(signal, SIG_IGN);
    ::sigaction(signal, &action, nullptr);
  }
  ::sigprocmask(SIG_SETMASK, &usual_mask, nullptr);
}

bool interruption::requested() noexcept {
  if (signal_seen != 0) return true;
  // One that came while nobody waited is still held back.
  sigset_t held;
  return listening && ::sigpending(&held) == 0 &&
         (sigismember(&held, SIGINT) == 1 || sigismember(&held, SIGTERM) == 1);
}

void pause_for(std::chrono::milliseconds time) {
  if (interruption::requested()) return;
  const timespec left{time.count() / 1000, (time.count() % 1000) * 1'000'000};
  ::ppoll(nullptr, 0, &left, mask_while_waiting());
}

}  // namespace selectors::perf
