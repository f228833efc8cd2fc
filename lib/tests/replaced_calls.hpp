// Stand-ins for the library's system calls: each is in force from construction to destruction, one at a time
// for each call.
#pragma once

#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <system_calls.hpp>

namespace selectors::tests {

// replaced<&system_calls::poll> fake([](pollfd*, nfds_t, int) { return 0; });
template <auto call, class = decltype(call)>
class replaced;

template <auto call, class R, class... Args, bool silent>
class replaced<call, R (*system_calls::*)(Args...) noexcept(silent)> {
 public:
  explicit replaced(std::function<R(Args...)> stand_in)
      : stand_in_(std::move(stand_in)), real_(system_call.*call) {
    current = this;
    system_call.*call = [](Args... args) noexcept(silent) -> R { return current->stand_in_(args...); };
  }
  replaced(const replaced&) = delete;
  replaced& operator=(const replaced&) = delete;
  ~replaced() { system_call.*call = real_; }

 private:
  static inline replaced* current = nullptr;

  std::function<R(Args...)> stand_in_;
  R (*real_)(Args...) noexcept(silent);
};

// Which occurrences of a call fail.
struct occurrences {
  int skip = 0;
  int times = INT_MAX;

  bool next() noexcept { return skip > 0 ? (--skip, false) : times > 0 && (--times, true); }
};

// scoped_fault<&system_calls::epoll_create> no_room(EMFILE);
template <auto call>
class scoped_fault {
 public:
  explicit scoped_fault(int error, occurrences which = {})
      : which_(which), fake_([this, error, real = system_call.*call](auto... args) {
          if (!which_.next()) return real(args...);
          ++count_;
          errno = error;
          return decltype(real(args...)){-1};
        }) {}

  // How often it was made to fail so far.
  int count() const noexcept { return count_; }

 private:
  occurrences which_;
  int count_ = 0;
  replaced<call> fake_;
};

// The same for one operation of epoll_ctl(2): EPOLL_CTL_ADD, EPOLL_CTL_MOD or EPOLL_CTL_DEL.
class epoll_ctl_fault {
 public:
  epoll_ctl_fault(int operation, int error, occurrences which = {})
      : which_(which),
        fake_([this, operation, error, real = system_call.epoll_ctl](int set, int op, int fd,
                                                                     epoll_event* event) {
          if (op != operation || !which_.next()) return real(set, op, fd, event);
          ++count_;
          errno = error;
          return -1;
        }) {}

  int count() const noexcept { return count_; }

 private:
  occurrences which_;
  int count_ = 0;
  replaced<&system_calls::epoll_ctl> fake_;
};

// Lets every call through and writes down its name. Reading the clock is no system call and is left out.
class recorded_calls {
 public:
  recorded_calls();
  recorded_calls(const recorded_calls&) = delete;
  recorded_calls& operator=(const recorded_calls&) = delete;
  ~recorded_calls();

  // The names since the last time, in order: "epoll_create epoll_ctl".
  std::string take();

 private:
  template <auto call, class R, class... Args, bool silent>
  void record(R (*system_calls::*)(Args...) noexcept(silent), const char* name);
  template <auto call>
  void record(const char* name) {
    record<call>(call, name);
  }

  static inline recorded_calls* current = nullptr;

  const system_calls original_;
  std::array<const char*, 1024> names_{};  // of a fixed size, so that recording allocates nothing
  std::size_t size_ = 0;
};

}  // namespace selectors::tests
