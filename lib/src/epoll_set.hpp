// A set of descriptors to wait for with epoll(7). Owns every quirk of it:
//
//   * An entry belongs to an open file *and* a number, and outlives the number when a dup or a child keeps
//   the file:
//     a ghost, which epoll_ctl cannot name any more. What rides in epoll_event.data is number and generation,
//     so a ghost is recognised; since filtering alone would spin, the whole set is then made anew without it.
//   * HUP and ERR are reported whether asked for or not: a registration that shows nothing else is watched
//   for edges
//     until something that was asked for happens.
//   * EPOLLONESHOT and EPOLLEXCLUSIVE cannot be combined with everything; modify of an exclusive entry is
//   refused.
//   * epoll_pwait2 may be missing.
#pragma once

#include <sys/epoll.h>

#include <cstddef>
#include <cstdint>

#include "backend.hpp"
#include "selection_writer.hpp"

namespace selectors {

class epoll_set {
 public:
  explicit epoll_set(registration_table& table) noexcept : table_(table) {}
  epoll_set(const epoll_set&) = delete;
  epoll_set& operator=(const epoll_set&) = delete;
  ~epoll_set() { close(); }

  // EMFILE, ENFILE, ENOMEM.
  fault open() noexcept;
  void close() noexcept;

  // Arms; makes an entry where there is none. EBADF, EPERM (a file that cannot be waited for), ENOSPC, ENOMEM; ELOOP and EINVAL for nested sets.
  fault insert(int fd, registration& r) noexcept;
  // Adopts the file that has the number now, with a new generation, when it is another one.
  fault update(int fd, registration& r, const registration& old) noexcept;
  // A ghost that this leaves behind is no longer this registration's: it gets another generation.
  void erase(int fd, registration& r) noexcept;
  // The same for a registration that stays what it is: a ghost of it has the set made anew.
  void forget(int fd, registration& r) noexcept;
  // Keeps the entry, for nothing. While the poll set has the registration (position is not 0), an entry of either kind
  // is not delivered.
  fault mask(int fd, registration& r) noexcept;
  // Arms an entry that there is. Adopts nothing: fails when the number is another file's.
  fault arm(int fd, registration& r) noexcept;

  fault watch_waker(int fd) noexcept;
  wait_result wait(const wait_request& request);
  bool is_healthy(int fd, const registration& r) noexcept;

  // A stable descriptor around the set proper, which a rebuild replaces.
  fault handle(int& handle) noexcept;
  // Whether the handle is readable whatever the set says: for what may be ready and cannot be in it. Fails at the first
  // call only: EMFILE, ENFILE, ENOMEM, ENOSPC.
  fault hold_handle(bool readable) noexcept;

  // Every live registration in a new kernel object. Those whose descriptor is not open any more become stale.
  [[gnu::cold, gnu::noinline]] fault rebuild() noexcept;
  // On behalf of one that is not open, or not to be had: for it, this is no reason to become stale.
  fault rebuild_for(registration& r) noexcept;
  // The same in a forked child, whose set, outer set and waker are the parent's.
  fault leave_parent() noexcept;

  bool has_set() const noexcept { return set_ >= 0; }
  // Whether the kernel's set is what it should be; else the next wait makes it anew.
  bool is_whole() const noexcept { return set_ >= 0 && !rebuild_due_; }
  bool wants_attention() const noexcept { return rebuild_due_; }
  int fd() const noexcept { return set_; }
  std::size_t size() const noexcept { return count_; }
  std::size_t masked() const noexcept { return masked_; }
  // Grows when the entries of registrations that the poll set has are gone.
  std::uint32_t rebuilds() const noexcept { return rebuilds_; }

  std::size_t footprint() const noexcept { return found_.footprint(); }

 private:
  // One more than the entries and a waker: then a full answer means that something was left behind.
  std::size_t most_found() const noexcept { return count_ + 2; }

  fault control(int operation, int fd, const registration& r) noexcept;
  int create() noexcept;
  bool take_out(int fd, registration& r) noexcept;
  fault change(int fd, registration& r) noexcept;
  void note_armed(registration& r) noexcept;
  fault adopt(int fd, registration& r) noexcept;
  fault need_set() noexcept;
  fault fill(int set) noexcept;
  fault replace(int set) noexcept;
  void count_entries() noexcept;
  int ask(std::int64_t nanoseconds, const sigset_t* mask, int room);
  [[gnu::noinline]] int ask_for_a_time(std::int64_t nanoseconds, const sigset_t* mask, int room);
  [[gnu::noinline]] int ask_finely(std::int64_t nanoseconds, const sigset_t* mask, int room);
  [[gnu::cold, gnu::noinline]] bool is_waker(std::uint64_t cookie) noexcept;
  template <bool again>
  bool collect(int found, selection_writer& out, bool& woken) noexcept;
  [[gnu::cold, gnu::noinline]] wait_result look_again(const sigset_t* mask, selection_writer out,
                                                      wait_result result);
  void deliver(int fd, registration& r, std::uint32_t raw, selection_writer& out) noexcept;
  [[gnu::cold, gnu::noinline]] bool is_delivered(int fd, registration& r, interest ready) noexcept;
  void mute(int fd, registration& r) noexcept;
  void settle(int fd, registration& r) noexcept;
  void rearm(int fd, registration& r) noexcept;

  registration_table& table_;
  buffer<epoll_event> found_;
  int set_ = -1;
  int outer_ = -1;   // made when first asked for
  int holder_ = -1;  // in the outer set; readable while the handle is held so
  int waker_ = -1;
  std::size_t count_ = 0;   // entries that we know of
  std::size_t masked_ = 0;  // of them, masked
  std::uint32_t rebuilds_ = 0;
  bool holds_ = false;         // the holder is readable
  bool rebuild_due_ = false;   // a ghost was seen, or the set has lost an entry
  bool has_fine_wait_ = true;  // epoll_pwait2 exists, as far as we know
};

}  // namespace selectors
