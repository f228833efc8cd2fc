#include "children.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <ostream>
#include <utility>

#include "descriptors.hpp"

#ifdef SELECTORS_COVERAGE
extern "C" void __gcov_dump(void);
#endif

namespace selectors::conformance {

namespace {

constexpr int exception_code = 99;

verdict guarded(const std::function<verdict()>& body) noexcept {
  try {
    return body();
  } catch (const std::exception& e) {
    return {exception_code, e.what()};
  } catch (...) {
    return {exception_code, "an exception that is no std::exception"};
  }
}

void write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

// True at the end of file, false when the deadline came first.
bool read_until_end(int fd, std::string& text, std::chrono::steady_clock::time_point deadline) {
  std::array<char, 4096> buffer{};
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd p{fd, POLLIN, 0};
    const int ready = ::poll(&p, 1, left.count() > 0 ? static_cast<int>(left.count()) : 0);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return false;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

int reap(int pid) noexcept {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

void leave_child(int code) noexcept {
#ifdef SELECTORS_COVERAGE
  __gcov_dump();
#endif
  ::_exit(code);
}

verdict says(bool fine, const std::string& message) {
  return fine ? verdict{0, {}} : verdict{1, message};
}

companion::companion(const std::function<verdict()>& body) {
  std::array<int, 2> fds{};
  checked(::pipe2(fds.data(), O_CLOEXEC), "pipe2");
  pid_ = checked(::fork(), "fork");
  if (pid_ == 0) {
    // The message needs a descriptor that no case closes or reuses by its number.
    const int out = ::fcntl(fds[1], F_DUPFD_CLOEXEC, 500);
    ::close(fds[0]);
    ::close(fds[1]);
    const verdict v = guarded(body);
    write_all(out, v.message);
    ::close(out);
    leave_child(v.code);
  }
  ::close(fds[1]);
  pipe_ = fds[0];
}

companion::~companion() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    reap(pid_);
  }
  if (pipe_ >= 0) ::close(pipe_);
}

child_result companion::finish(std::chrono::milliseconds limit) {
  child_result result;
  const bool ended = read_until_end(pipe_, result.message, std::chrono::steady_clock::now() + limit);
  if (!ended) ::kill(pid_, SIGKILL);
  const int status = reap(std::exchange(pid_, -1));
  if (!ended) {
    result.how = child_result::ending::hung;
    result.code = SIGKILL;
  } else if (WIFSIGNALED(status)) {
    result.how = child_result::ending::crashed;
    result.code = WTERMSIG(status);
  } else {
    result.code = WEXITSTATUS(status);
  }
  return result;
}

child_result in_child(const std::function<verdict()>& body, std::chrono::milliseconds limit) {
  companion child(body);
  return child.finish(limit);
}

std::ostream& operator<<(std::ostream& out, const child_result& r) {
  switch (r.how) {
    case child_result::ending::finished:
      return out << "the child ended with code " << r.code << ": " << r.message;
    case child_result::ending::crashed:
      return out << "the child crashed (" << ::strsignal(r.code) << ") " << r.message;
    case child_result::ending::hung:
      return out << "the child hung and was killed " << r.message;
  }
  return out;
}

namespace {

const char* watched = "";

void bark(int) {
  write_all(STDERR_FILENO, "selectors-conformance: no end in sight, given up: ");
  write_all(STDERR_FILENO, watched);
  write_all(STDERR_FILENO, "\n");
  ::_exit(3);
}

}  // namespace

watchdog::watchdog(std::chrono::seconds limit, const char* what) {
  watched = what;
  struct sigaction action {};
  action.sa_handler = &bark;
  checked(::sigaction(SIGRTMAX, &action, nullptr), "sigaction");
  sigevent notice{};
  notice.sigev_notify = SIGEV_SIGNAL;
  notice.sigev_signo = SIGRTMAX;
  checked(::timer_create(CLOCK_MONOTONIC, &notice, &timer_), "timer_create");
  const itimerspec when{{0, 0}, {limit.count(), 0}};
  checked(::timer_settime(timer_, 0, &when, nullptr), "timer_settime");
}

watchdog::~watchdog() {
  ::timer_delete(timer_);
}

}  // namespace selectors::conformance
