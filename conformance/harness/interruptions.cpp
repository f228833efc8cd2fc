#include "interruptions.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "descriptors.hpp"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace selectors::conformance {

namespace {

// A handler has no other way to its case.
std::atomic<int> seen{0};
std::atomic<int> wanted{0};
std::atomic<void (*)()> besides{nullptr};
timer_t source{};

void on_signal(int) {
  const int number = ++seen;
  if (number == wanted) {
    const itimerspec never{};
    ::timer_settime(source, 0, &never, nullptr);
  }
  if (void (*const action)() = besides.load()) action();
}

void install(int flags, struct sigaction& before) {
  seen = 0;
  struct sigaction action {};
  action.sa_handler = &on_signal;
  action.sa_flags = flags;
  checked(::sigaction(interruption, &action, &before), "sigaction");
}

// Drops what is still pending.
void uninstall(const struct sigaction& before) noexcept {
  ::signal(interruption, SIG_IGN);
  ::sigaction(interruption, &before, nullptr);
}

}  // namespace

interruptions::interruptions(const plan& p) {
  wanted = p.count;
  besides = p.action;
  install(p.flags, before_);
  sigevent notice{};
  notice.sigev_notify = SIGEV_THREAD_ID;
  notice.sigev_signo = interruption;
  notice.sigev_notify_thread_id = static_cast<pid_t>(::syscall(SYS_gettid));
  checked(::timer_create(CLOCK_MONOTONIC, &notice, &timer_), "timer_create");
  source = timer_;
  const auto ns = std::chrono::nanoseconds(p.interval).count();
  const timespec every{ns / 1'000'000'000, ns % 1'000'000'000};
  const itimerspec when{every, every};
  checked(::timer_settime(timer_, 0, &when, nullptr), "timer_settime");
}

interruptions::~interruptions() {
  ::timer_delete(timer_);
  uninstall(before_);
  besides = nullptr;
}

int interruptions::handled() const noexcept {
  return seen;
}

blocked_interruption::blocked_interruption() {
  wanted = 0;
  besides = nullptr;
  install(0, before_);
  sigset_t one{};
  sigemptyset(&one);
  sigaddset(&one, interruption);
  ::pthread_sigmask(SIG_BLOCK, &one, &mask_before_);
  open_ = mask_before_;
  sigdelset(&open_, interruption);
}

blocked_interruption::~blocked_interruption() {
  uninstall(before_);
  ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void blocked_interruption::send() const {
  if (::pthread_kill(::pthread_self(), interruption) != 0) throw setup_error("pthread_kill failed");
}

int blocked_interruption::handled() const noexcept {
  return seen;
}

bool is_blocked(int signal) {
  sigset_t now{};
  ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return sigismember(&now, signal) == 1;
}

}  // namespace selectors::conformance
