// What a backend supplies. Adding one is: a file with a subclass of `multiplexer`, a row in backends.cpp, a
// line in lib/CMakeLists.txt.
//
// The shared part (selector_state.cpp) checks arguments, owns the table, keeps the deadline and retries after
// EINTR; a backend sees valid, known registrations only and makes one kernel wait per call.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <selectors/backends.hpp>
#include <selectors/event.hpp>

#include "fault.hpp"
#include "registration_table.hpp"

namespace selectors {

struct wait_request {
  std::int64_t nanoseconds;  // 0: look once; negative: for ever
  const sigset_t* mask;      // nullptr: leave the thread's
  event* out;                // room for `limit` entries
  std::size_t limit;         // >= 1
  std::size_t filled = 0;    // entries that the selection has already
};

// Small enough for two registers.
struct wait_result {
  fault failed;
  std::uint32_t entries = 0;  // of the whole selection
  bool woken = false;         // the waker's descriptor was readable
};
static_assert(sizeof(wait_result) <= 16);

class poll_set;
class epoll_set;

class multiplexer {
 public:
  // A backend that is, now, nothing but one of these sets says so here; then registering and waiting go straight to the
  // set. They are what a program does most, and after a system call, with cold branch prediction, a virtual call more is
  // a measurable share of the whole.
  poll_set* appends_to = nullptr;    // registering is no more than inserting there
  poll_set* only_polls = nullptr;    // waiting is no more than waiting there
  epoll_set* only_epolls = nullptr;  // both
  // A backend that chooses between them need not see every wait: until as many are taken as granted, each is a look at
  // one of the sets. One that finds fewer or more than expected ends the lease.
  struct set_lease {
    poll_set* polls = nullptr;  // this, or
    epoll_set* epolls = nullptr;
    std::uint32_t granted = 0;
    std::uint32_t taken = 0;
    std::uint32_t fewest = 0;
    std::uint32_t most = 0;

    bool runs() const noexcept { return taken != granted; }
    void end() noexcept { granted = taken; }
  };
  set_lease lease;

  multiplexer() noexcept = default;
  multiplexer(const multiplexer&) = delete;
  multiplexer& operator=(const multiplexer&) = delete;
  virtual ~multiplexer() = default;

  // Makes the kernel objects. Called before everything else, and again after close.
  virtual fault open() noexcept { return {}; }
  // Forgets everything and closes the kernel objects; may keep storage. Removes no registration from an
  // object that a forked child shares.
  virtual void close() noexcept = 0;

  // `r` has its interest and trigger, and state live; the backend keeps `position`. On failure nothing has
  // changed.
  virtual fault add(int fd, registration& r) noexcept = 0;
  // A registration that is not parked has got another interest or trigger than `old`, or must be armed again.
  // On failure the kernel's set is as before, and the caller restores `r` but for its position.
  virtual fault modify(int fd, registration& r, const registration& old) noexcept = 0;
  // Always succeeds: whatever the kernel answers, nothing of this registration may be delivered afterwards.
  virtual void remove(int fd, registration& r) noexcept = 0;
  // Silent until unpark. The caller sets the reason (r.state).
  virtual void park(int fd, registration& r) noexcept = 0;
  // Live again, as `r` says by now (state live included). On failure it stays parked.
  virtual fault unpark(int fd, registration& r) noexcept = 0;

  // One wait. Fills request.out with at most `limit` entries, one for each registration, in turn when more
  // are ready; sets `selected` of their registrations. Nothing may be delivered that was not asked for, and what
  // the kernel reports over and over without need must be silenced here. Empty means: the time is over, or
  // there was nothing to deliver after all - the caller's clock tells. EINTR is an ordinary failure.
  virtual wait_result wait(const wait_request& request) = 0;

  // Reports `woken` when this descriptor is readable. -1: no longer.
  virtual fault watch_waker(int fd) noexcept = 0;

  // Whether the kernel still watches the file that was registered under this number.
  virtual bool is_healthy(int fd, const registration& r) noexcept = 0;

  virtual fault native_handle(int& handle) noexcept {
    (void)handle;
    return errc::not_supported;
  }

  // In a forked child: new kernel objects with every live registration of the table in them, and no waker.
  // May be repeated after a failure.
  virtual fault leave_parent() noexcept = 0;

  virtual std::size_t footprint() const noexcept = 0;
};

struct backend_row {
  backend_info info;
  // nullptr: no memory.
  std::unique_ptr<multiplexer> (*make)(registration_table&) noexcept;
};

// nullptr when this build has no such backend.
const backend_row* find_row(backend id) noexcept;

// One for each backend file.
std::unique_ptr<multiplexer> make_adaptive_backend(registration_table& table) noexcept;
std::unique_ptr<multiplexer> make_epoll_backend(registration_table& table) noexcept;
std::unique_ptr<multiplexer> make_poll_backend(registration_table& table) noexcept;
std::unique_ptr<multiplexer> make_select_backend(registration_table& table) noexcept;

}  // namespace selectors
