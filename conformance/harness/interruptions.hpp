// Signals for the calling thread, as cases about interrupted waits need them.
#pragma once

#include <signal.h>

#include <chrono>

namespace selectors::conformance {

// The signal of this file. Its handler counts, and nothing else unless told.
inline constexpr int interruption = SIGUSR1;

// The calling thread gets the signal `count` times, `interval` apart. The destructor puts back everything.
class interruptions {
 public:
  struct plan {
    std::chrono::milliseconds interval;
    int count = 1;
    int flags = 0;               // SA_RESTART, for instance
    void (*action)() = nullptr;  // what the handler does besides
  };
  explicit interruptions(const plan& p);
  interruptions(const interruptions&) = delete;
  interruptions& operator=(const interruptions&) = delete;
  ~interruptions();

  int handled() const noexcept;

 private:
  struct sigaction before_ {};
  timer_t timer_{};
};

// While in scope, the signal is blocked for the calling thread and has the counting handler.
class blocked_interruption {
 public:
  blocked_interruption();
  blocked_interruption(const blocked_interruption&) = delete;
  blocked_interruption& operator=(const blocked_interruption&) = delete;
  ~blocked_interruption();

  // Pending from now on, unless the mask of a wait lets it through.
  void send() const;
  int handled() const noexcept;
  // The thread's mask, but for the signal.
  const sigset_t* open_mask() const noexcept { return &open_; }

 private:
  struct sigaction before_ {};
  sigset_t mask_before_{};
  sigset_t open_{};
};

bool is_blocked(int signal);

}  // namespace selectors::conformance
