// The values that travel through a selector: what is asked for (interest, trigger, user_data), what stands in
// its table (key) and what comes out of a wait (event, selection).
#pragma once

#include <cstddef>
#include <cstdint>

namespace selectors {

// What to watch for, and what was found. Bit flags.
//
//   read         read(2), recv(2) or accept(2) would not block: data, end of file, a queued connection, an
//                error
//   write        write(2) or send(2) would not block, a connect(2) has finished either way, or an error
//   priority     exceptional data: TCP urgent data, a packet-mode pty, a changed cgroup or sysfs file
//   peer_closed  the peer shut down its writing half (POLLRDHUP), while data may still be unread
//
// How the kernel's bits become these is one table for every backend, the rule of select(2):
// IN and HUP -> read, OUT -> write, ERR -> read and write, PRI -> priority, RDHUP -> peer_closed; then only
// what was asked for is kept.
enum class interest : std::uint8_t { none = 0, read = 1, write = 2, priority = 4, peer_closed = 8 };

constexpr interest operator|(interest a, interest b) noexcept {
  return static_cast<interest>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr interest operator&(interest a, interest b) noexcept {
  return static_cast<interest>(static_cast<std::uint8_t>(a) & static_cast<std::uint8_t>(b));
}
constexpr interest operator~(interest a) noexcept {
  return static_cast<interest>(~static_cast<std::uint8_t>(a) & 0x0f);
}
constexpr interest& operator|=(interest& a, interest b) noexcept {
  return a = a | b;
}
constexpr interest& operator&=(interest& a, interest b) noexcept {
  return a = a & b;
}
// any(e.ready & interest::read) reads better than a comparison with none.
constexpr bool any(interest a) noexcept {
  return a != interest::none;
}

// Conditions that the system reports without being asked. They travel beside `ready`, where the backend sees
// them (select(2) does not), and never make an entry by themselves - except `invalid`.
//
//   hangup   the other end is gone (POLLHUP)
//   error    an error is pending (POLLERR); for a socket, SO_ERROR tells which
//   invalid  the descriptor is not open (POLLNVAL): it was closed without unregister
enum class status : std::uint8_t { none = 0, hangup = 1, error = 2, invalid = 4 };

constexpr status operator|(status a, status b) noexcept {
  return static_cast<status>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr status operator&(status a, status b) noexcept {
  return static_cast<status>(static_cast<std::uint8_t>(a) & static_cast<std::uint8_t>(b));
}
constexpr status operator~(status a) noexcept {
  return static_cast<status>(~static_cast<std::uint8_t>(a) & 0x07);
}
constexpr status& operator|=(status& a, status b) noexcept {
  return a = a | b;
}
constexpr bool any(status a) noexcept {
  return a != status::none;
}

// When a registration reports.
//
//   level      whenever the condition holds (every backend)
//   edge       when something new happened since the last report, and after each modify (EPOLLET)
//   oneshot    once, then silent - for hang-ups too - until modify or resume
//   exclusive  level, but one of several selectors that wait for the same file is woken, not all
//              (EPOLLEXCLUSIVE); only with read and write
enum class trigger : std::uint8_t { level, edge, oneshot, exclusive };

// 64 bits of the caller's that travel with a registration: a pointer or an integer. Never dereferenced here.
class user_data {
 public:
  constexpr user_data() noexcept = default;
  constexpr user_data(std::uintptr_t value) noexcept : value_(value) {}
  template <class T>
  user_data(T* address) noexcept : value_(reinterpret_cast<std::uintptr_t>(address)) {}

  constexpr std::uintptr_t value() const noexcept { return value_; }
  template <class T>
  T* pointer() const noexcept {
    return reinterpret_cast<T*>(value_);
  }

  friend constexpr bool operator==(user_data, user_data) noexcept = default;

 private:
  std::uintptr_t value_ = 0;
};

// A registration, as it was at the moment of asking. `generation` tells two registrations of one number
// apart: it is never 0 and changes whenever the number is registered anew.
struct key {
  int fd = -1;
  interest wanted = interest::none;
  trigger mode = trigger::level;
  bool paused = false;
  std::uint32_t generation = 0;
  user_data data;

  friend constexpr bool operator==(const key&, const key&) noexcept = default;
};

// One entry of a selection. Its (fd, generation) is that of the key it belongs to. Unregistering the key
// blanks it: ready and flags none, data empty.
struct event {
  int fd = -1;
  interest ready = interest::none;
  status flags = status::none;
  std::uint32_t generation = 0;
  user_data data;

  friend constexpr bool operator==(const event&, const event&) noexcept = default;
};

// What one wait returned: a view of entries that the selector owns, at most one for each key, in no promised
// order. Valid until the next select, close or destruction of its selector (moving the selector keeps it
// valid).
class selection {
 public:
  constexpr selection() noexcept = default;

  constexpr const event* begin() const noexcept { return first_; }
  constexpr const event* end() const noexcept { return first_ + size_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr const event& operator[](std::size_t i) const noexcept { return first_[i]; }

  // A waker ended or accompanied the wait. Its wake is consumed.
  constexpr bool woken() const noexcept { return woken_; }
  // The interruption hook, or a signal handler that ran under `wait_options::sigmask`, ended the wait.
  constexpr bool interrupted() const noexcept { return interrupted_; }

 private:
  friend class selector;
  constexpr selection(const event* first, std::uint32_t size, bool woken, bool interrupted) noexcept
      : first_(first), size_(size), woken_(woken), interrupted_(interrupted) {}

  // Two registers wide, so that it is returned without a detour through memory.
  const event* first_ = nullptr;
  std::uint32_t size_ = 0;
  bool woken_ = false;
  bool interrupted_ = false;
};

}  // namespace selectors
