// A clock that stands still but for the waits: tests of timeouts without waiting, and exact to the nanosecond.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "replaced_calls.hpp"

namespace selectors::tests {

// How the kernel takes part in one wait.
struct fake_wait {
  std::int64_t lasts = whole_time;
  int error = 0;  // 0: nothing was ready

  static constexpr std::int64_t whole_time = -1;
};

class fake_time {
 public:
  fake_time();

  // The waits to come, in order; after them each lasts its whole time and finds nothing. A wait for ever that is not
  // told otherwise fails with EDEADLK, so that no test hangs.
  std::deque<fake_wait> script;
  std::int64_t now = 1'000'000'000;

  struct asked {
    std::string call;
    std::int64_t nanoseconds;  // -1: for ever

    bool operator==(const asked&) const = default;
  };
  // What the library asked for since the last time.
  std::vector<asked> take() { return std::exchange(waits_, {}); }

 private:
  int wait(const char* call, std::int64_t nanoseconds);

  std::vector<asked> waits_;
  replaced<&system_calls::monotonic_nanoseconds> clock_;
  replaced<&system_calls::epoll_wait> epoll_wait_;
  replaced<&system_calls::epoll_pwait> epoll_pwait_;
  replaced<&system_calls::epoll_pwait2> epoll_pwait2_;
  replaced<&system_calls::poll> poll_;
  replaced<&system_calls::ppoll> ppoll_;
  replaced<&system_calls::select> select_;
  replaced<&system_calls::pselect> pselect_;
};

std::ostream& operator<<(std::ostream& out, const fake_time::asked& a);

}  // namespace selectors::tests
