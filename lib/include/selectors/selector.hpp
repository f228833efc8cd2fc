// I/O readiness: one object, many file descriptors, one wait.
//
//     #include <selectors/selector.hpp>
//
//     selectors::selector s;
//     s.register_fd(listener, selectors::interest::read, &accept_clients);
//     for (;;) {
//       for (const selectors::event& e : s.select(std::chrono::seconds(1))) {
//         (*e.data.pointer<handler>())(e);
//       }
//     }
//
// WHAT IS PROMISED, on every backend (CONTRACT.md in the conformance kit has each promise as a numbered
// sentence with a test):
//
//   * A selector owns only its own kernel objects. A registered descriptor is the caller's: it is never
//     closed, read, written or changed.
//   * A failed verb changes nothing.
//   * At most one entry for each key and wait, with the bits merged; only bits that were asked for.
//   * A level registration is reported by every select while its condition holds.
//   * A wait never ends early without a reason: an entry, a waker, the interruption hook, a handler under
//     `sigmask`. EINTR is hidden and the deadline kept.
//   * The number of a descriptor is not its identity. Each registration has a generation; entries carry it;
//     what the kernel still says about a descriptor that was unregistered is never delivered and never
//     credited to a later owner of the number.
//   * In the steady state a select allocates nothing, and on a fixed backend makes one system call.
//
// THE RULE FOR CALLERS: unregister, then close. A registration whose descriptor was closed first is *stale*:
// for its own events nothing is promised (there may be none; `status::invalid` once; or those of another file
// that got the number), but no other key is hidden or delayed by it, select does not fail, and unregister
// succeeds. audit() finds stale keys.
//
// WHICH BACKEND. The default, `adaptive`, waits with poll(2) while that is the cheaper one - few
// descriptors, most of them ready, or a selector that lives for a wait or two - and moves quiet descriptors
// into an epoll(7) set when the polling that they have cost would have paid for it; busy ones move back. It
// decides from counts, not from a clock, and there is nothing to tune. Whatever a program does, by the prices
// that it assumes it pays at most 2.3 times what the best fixed backend would have cost, and over a long run
// much less. No kernel object is made before the first move, so making such a selector costs nothing. When a
// descriptor moves, in which set it is, and how many system calls a single wait makes (one, or two while both
// sets are in use, and one more when a first look has found nothing) are not promised. To have one system call
// and no surprise, ask for a fixed backend.
//
// WHAT IS NOT PROMISED:
//
//   * The order of entries. When more is ready than the limit, the rest comes in later waits, fairly.
//   * Readiness is a hint: another process may have drained the descriptor. Use O_NONBLOCK and expect EAGAIN.
//   * A condition that nobody asked for (a hang-up on a write-only registration) makes no entry and no spin;
//     on poll such a key is silent until modify, elsewhere a later wanted condition is still
//     reported.
//   * With trigger::edge, a report may come without a new edge: after modify, resume, and when the kernel's
//     set had to be rebuilt.
//   * The numbers of the selector's own descriptors. One that is made anew takes the lowest that is free, so
//     dup2(2) onto a number that the caller has closed may hit it, as with any library that opens files.
//   * A second thread that registers while another waits: a selector is used by one thread at a time (wakers
//     excepted).
//   * vfork(2) and raw clone(2) bypass the fork guard. -fno-exceptions is not supported.
#pragma once

#include <csignal>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include <selectors/backends.hpp>
#include <selectors/error.hpp>
#include <selectors/event.hpp>
#include <selectors/timeout.hpp>
#include <selectors/waker.hpp>

namespace selectors {

// What a single wait may be told besides its timeout.
struct wait_options {
  // At most so many entries; the others come with later waits, in turn. 0 is refused
  // (std::errc::invalid_argument).
  std::size_t limit = std::numeric_limits<std::size_t>::max();

  // Installed for the time of the wait, atomically, as in ppoll(2). A handler that ran ends the wait, and the
  // selection is interrupted(); but a descriptor that is ready wins.
  const sigset_t* sigmask = nullptr;

  // Called after each EINTR; true ends the wait with an empty, interrupted() selection. It may throw - from
  // the throwing select only - and may not call the selector (errc::busy).
  bool (*on_interrupt)(void* context) = nullptr;
  void* context = nullptr;
};

// Move-only. One thread at a time. Every verb has a twin with a trailing std::error_code& that reports
// instead of throwing std::system_error; the twins are noexcept, and return a default value when they fail.
//
// Errors of every verb, not repeated below: errc::closed after close() and on a moved-from selector,
// errc::forked in a forked child, errc::busy from inside the interruption hook.
class selector {
 public:
  // The kernel objects of the backend are made here. Errors: errc::not_supported when this build has no such
  // backend; what the kernel says (EMFILE, ENFILE, ENOMEM).
  explicit selector(backend b = default_backend());
  static std::optional<selector> create(backend b, std::error_code& ec) noexcept;

  // The backend that the environment variable SELECTORS_BACKEND names (read once per process), else the best.
  // Throws std::system_error (std::errc::invalid_argument) when the variable holds an unknown name.
  // Thread-safe.
  static backend default_backend();

  selector(selector&& other) noexcept;
  selector& operator=(selector&& other) noexcept;
  selector(const selector&) = delete;
  selector& operator=(const selector&) = delete;
  ~selector();  // close(). In a forked child it disturbs nothing of the parent's.

  // Starts to watch `fd` (0 <= fd < the backend's fd_limit) for a non-empty `wanted`.
  //   errc::already_registered  also when the number was closed and belongs to another file by now
  //   errc::fd_out_of_range, errc::invalid_interest, errc::not_supported
  //   EBADF   not open; on poll and adaptive this may be found by select instead, as status::invalid
  //   EPERM   epoll only: a file that cannot be waited for, such as a regular one (capability regular_files)
  //   ENOMEM, ENOSPC (the limit /proc/sys/fs/epoll/max_user_watches)
  // At most two system calls: none on poll, as a rule.
  key register_fd(int fd, interest wanted, user_data data = {}, trigger mode = trigger::level) {
    return {.fd = fd,
            .wanted = wanted,
            .mode = mode,
            .paused = false,
            .generation = enter(fd, wanted, data, mode),
            .data = data};
  }
  key register_fd(int fd, interest wanted, user_data data, trigger mode, std::error_code& ec) noexcept;

  // Replaces interest, data and trigger, and resumes. An unchanged level registration costs no system call;
  // edge and oneshot always reach the kernel: that is how they are armed again. When the number belongs to
  // another file by now, a modify that reaches the kernel adopts that file, with a new generation. Errors as
  // of register_fd, and errc::not_registered.
  key modify(int fd, interest wanted, user_data data, trigger mode);
  key modify(int fd, interest wanted, user_data data, trigger mode, std::error_code& ec) noexcept;
  // Keeps data and trigger.
  key modify(int fd, interest wanted);
  key modify(int fd, interest wanted, std::error_code& ec) noexcept;

  // Silence, truly: the descriptor leaves the kernel's set, and hang-ups and errors are not seen either. The
  // registration stays. Both are idempotent. errc::not_registered; resume also what the kernel says (ENOMEM,
  // EBADF).
  key pause(int fd);
  key pause(int fd, std::error_code& ec) noexcept;
  key resume(int fd);
  key resume(int fd, std::error_code& ec) noexcept;

  // Ends the registration and returns it. Always succeeds for a registered number, whatever became of the
  // descriptor, and touches no other registration of whoever owns the number now. The key's entry in the
  // current selection is blanked. errc::not_registered; with a key, also when its number has a newer
  // registration.
  key unregister(int fd);
  key unregister(int fd, std::error_code& ec) noexcept;
  key unregister(const key& k);
  key unregister(const key& k, std::error_code& ec) noexcept;

  // Waits until something is ready, at most `t`. Empty when the time is over - then woken() and interrupted()
  // tell whether it was. With nothing registered it is a sleep that a waker can end.
  //   std::errc::invalid_argument  limit is 0
  //   ENOMEM; EMFILE and ENFILE when an epoll set has to be made anew; EINVAL when RLIMIT_NOFILE was lowered
  //   below the number of descriptors on poll
  // register_fd, modify, unregister, pause and resume are allowed while the selection is looped over.
  [[nodiscard]] selection select(timeout t = timeout::infinite);
  [[nodiscard]] selection select(timeout t, const wait_options& options);
  selection select(timeout t, const wait_options& options, std::error_code& ec) noexcept;

  // See waker. The first call makes a descriptor (EMFILE, ENFILE, ENOMEM; errc::fd_out_of_range when the
  // select backend gets a number that it cannot watch); a selector that was never asked pays nothing.
  waker make_waker();
  waker make_waker(std::error_code& ec) noexcept;

  // A descriptor that polls readable when select(timeout::zero) would return something, for nesting in
  // another selector or event loop. It belongs to the selector and stays the same until close or
  // reinit_after_fork. errc::not_supported without the capability; EMFILE, ENFILE, ENOMEM from the first
  // call.
  int native_handle();
  int native_handle(std::error_code& ec) noexcept;

  // Ends every registration and closes the kernel objects. Idempotent. Descriptors of the caller stay open.
  void close() noexcept;

  // In a forked child: makes the kernel objects anew and registers everything again, so that child and parent
  // do not share any. Wakers from before stay without effect; make new ones. In the parent it does nothing.
  // Errors: what the kernel says; the selector then stays errc::forked and the call may be repeated.
  void reinit_after_fork();
  void reinit_after_fork(std::error_code& ec) noexcept;

  // The keys whose descriptor is closed or, where the kernel can tell (epoll), has become another file. Costs
  // a system call or two for each registration: for tests, diagnostics and after-the-fact clean-up.
  std::vector<key> audit();
  std::vector<key> audit(std::error_code& ec) noexcept;

  // errc::not_registered.
  key get_key(int fd) const;
  key get_key(int fd, std::error_code& ec) const noexcept;

  // A snapshot, in no promised order; later changes do not reach it. ENOMEM.
  std::vector<key> get_map() const;
  std::vector<key> get_map(std::error_code& ec) const noexcept;

  // Live. 0 and false after close.
  std::size_t size() const noexcept;
  bool contains(int fd) const noexcept;

  // The backend it was made with, also after close and of a moved-from selector.
  backend active_backend() const noexcept;

 private:
  class state;
  // Registers; returns the generation. One register wide, so that a key that nobody looks at costs nothing.
  std::uint32_t enter(int fd, interest wanted, user_data data, trigger mode);

  // Destroys a state, or leaves its storage to the next selector of this thread.
  struct recycle {
    void operator()(state* s) const noexcept;
  };

  selector(backend b, std::unique_ptr<state, recycle> s) noexcept;

  std::unique_ptr<state, recycle> state_;  // null: closed, or moved from
  backend backend_;
};

}  // namespace selectors
