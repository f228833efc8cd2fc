// Child processes and deadlines: no case may block the run for ever, and no case may damage the next.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace selectors::conformance {

struct child_result {
  enum class ending { finished, crashed, hung } how = ending::finished;
  int code = 0;         // of exit, or the signal's number
  std::string message;  // what the child had to say

  bool good() const noexcept { return how == ending::finished && code == 0; }
};

// Runs `body` in a forked child and waits for it, at most `limit`; then the child is killed. The child ends
// with the code and the message that `body` returned; an exception ends it with code 99 and its what().
// GoogleTest assertions do not work inside: say what is wrong with the message.
//
//     const child_result r = in_child([&] { return says(s.wait(zero).events.empty(), "the child saw it"); });
//     EXPECT_TRUE(r.good()) << r;
struct verdict {
  int code;
  std::string message;
};
child_result in_child(const std::function<verdict()>& body,
                      std::chrono::milliseconds limit = std::chrono::seconds(10));

// Code 0 when `fine`, otherwise code 1 with the message.
verdict says(bool fine, const std::string& message);

std::ostream& operator<<(std::ostream& out, const child_result& r);

// Ends a forked child without running the parent's exit handlers, but with its coverage counts written.
[[noreturn]] void leave_child(int code) noexcept;

// A child that runs beside the parent until `finish`, or is killed by the destructor.
class companion {
 public:
  explicit companion(const std::function<verdict()>& body);
  companion(const companion&) = delete;
  companion& operator=(const companion&) = delete;
  ~companion();

  int pid() const noexcept { return pid_; }
  child_result finish(std::chrono::milliseconds limit = std::chrono::seconds(10));

 private:
  int pid_ = -1;
  int pipe_ = -1;
};

// Ends the process with a message when the scope is not left in time. For code that may block for ever in
// this process; uses a timer and a real-time signal, so it does not interrupt anything before it is due.
class watchdog {
 public:
  watchdog(std::chrono::seconds limit, const char* what);
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog();

 private:
  void* timer_ = nullptr;
};

}  // namespace selectors::conformance
