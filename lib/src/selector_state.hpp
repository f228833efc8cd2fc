// What is behind a selector: the part that is the same for every backend. It answers with `fault` and has no
// opinion on how errors reach the caller; selector.cpp has.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <selectors/selector.hpp>

#include "backend.hpp"
#include "buffer.hpp"
#include "epoll_set.hpp"
#include "fork_guard.hpp"
#include "kernel_timeout.hpp"
#include "poll_set.hpp"
#include "registration_table.hpp"
#include "wake_channel.hpp"

namespace selectors {

inline key key_of(int fd, const registration& r) noexcept {
  return {.fd = fd,
          .wanted = r.wanted,
          .mode = r.mode,
          .paused = r.state == watch::paused,
          .generation = r.generation,
          .data = r.data};
}

// Instead of the result of a wait: there was none yet.
constexpr wait_result not_asked = {.failed = fault::from_errno(EAGAIN)};

class selector::state {
 public:
  using owner = std::unique_ptr<state, recycle>;

  // With the kernel objects of the backend open.
  static fault make(backend id, owner& out) noexcept;

  // Whether verbs may be used; precedes every one but reinit_after_fork. `why_not` says errc::forked or errc::busy.
  bool usable() const noexcept { return usable_in_ == fork_guard::now(); }
  fault why_not() const noexcept { return in_hook() ? errc::busy : errc::forked; }
  bool in_hook() const noexcept { return usable_in_ == inside_hook; }

  // The ordinary case of register_fd with poll(2): valid, level, a number that the table and the set have room for.
  // nullptr and no change when it is not the case. Calls nothing, so that the compiler makes a leaf of it.
  const registration* register_quickly(int fd, interest wanted, user_data data, trigger mode) noexcept {
    const unsigned code = static_cast<unsigned>(mode) << 8 | static_cast<unsigned>(wanted);
    poll_set* polls = multiplexer_->appends_to;
    registration* r = table_.vacancy(fd);
    if (polls == nullptr || r == nullptr) [[unlikely]]
      return nullptr;
    if (code >= 16 || (level_interests_ >> code & 1) == 0 || !polls->has_room()) [[unlikely]]
      return nullptr;
    fill(*r, wanted, data, trigger::level);
    table_.occupy(*r);
    polls->insert(fd, *r);
    return r;
  }
  fault register_fd(int fd, interest wanted, user_data data, trigger mode, const registration*& out) noexcept;
  fault modify(int fd, interest wanted, user_data data, trigger mode, key& out) noexcept;
  fault modify(int fd, interest wanted, key& out) noexcept;
  fault pause(int fd, key& out) noexcept;
  fault resume(int fd, key& out) noexcept;
  fault unregister(int fd, key& out) noexcept;
  fault unregister(const key& k, key& out) noexcept;
  // The ordinary case of select: no deadline, and something is ready now or that was all there was to ask. False when it
  // is not the case; then `found` is what a wait has answered, if there was one, and select goes on from there.
  // `waiter` is one of the sets when the backend is no more than that, or the multiplexer.
  template <class Waiter>
  bool select_quickly(Waiter& waiter, timeout t, wait_result& found, selection& out) {
    const std::size_t limit = table_.size() + 1;
    if ((!t.is_zero() && !t.is_infinite()) || !events_.reserve(limit)) [[unlikely]]
      return false;
    selected_ = 0;
    found = waiter.wait({.nanoseconds = t.is_zero() ? 0 : wait_for_ever,
                         .mask = nullptr,
                         .out = events_.data(),
                         .limit = limit});
    if (found.failed || found.woken || (found.entries == 0 && !t.is_zero())) [[unlikely]]
      return false;
    deliver(found, out);
    return true;
  }
  // Throws what the hook throws.
  fault select(timeout t, const wait_options& options, wait_result found, selection& out);
  multiplexer& waiter() noexcept { return *multiplexer_; }
  fault make_waker(waker& out) noexcept;
  fault native_handle(int& out) noexcept { return multiplexer_->native_handle(out); }
  fault reinit_after_fork() noexcept;
  fault get_key(int fd, key& out) const noexcept;
  fault get_map(std::vector<key>& out) noexcept;
  fault audit(std::vector<key>& out) noexcept;
  std::size_t size() const noexcept { return table_.size(); }
  bool contains(int fd) const noexcept { return table_.find(fd) != nullptr; }

 private:
  friend struct recycle;
  struct spare;

  explicit state(const backend_row& row) noexcept;

  void reset() noexcept;
  std::size_t footprint() const noexcept;

  static void fill(registration& r, interest wanted, user_data data, trigger mode) noexcept {
    r.data = data;
    r.position = 0;
    r.wanted = wanted;
    r.mode = mode;
    r.state = watch::live;
    r.in_epoll = entry::none;
  }
  fault add(int fd, registration& r) noexcept {
    if (epoll_set* epolls = multiplexer_->only_epolls) return epolls->insert(fd, r);
    return multiplexer_->add(fd, r);
  }
  void deliver(const wait_result& found, selection& out) noexcept {
    selected_ = found.entries;
    out = selection(events_.data(), found.entries, found.woken, false);
  }
  fault validate(int fd, interest wanted, trigger mode) const noexcept;
  fault change(int fd, registration& r, interest wanted, user_data data, trigger mode, key& out) noexcept;
  void blank_entry(int fd, const registration& r) noexcept;
  fault make_channel(std::shared_ptr<const waker::channel>& out) noexcept;
  bool ends_wait(const wait_options& options);
  template <class Wanted>
  fault list(std::vector<key>& out, Wanted wanted) noexcept;

  registration_table table_;
  std::unique_ptr<multiplexer> multiplexer_;
  buffer<event> events_;
  std::uint32_t selected_ = 0;  // entries of the last selection
  std::shared_ptr<const waker::channel> channel_;
  static constexpr std::uint32_t inside_hook = 0;  // not a fork generation
  std::uint32_t usable_in_ = inside_hook;          // the fork generation in which this may be used
  std::uint32_t level_interests_;                  // bit i: the interest with value i may be watched for
  std::uint8_t modes_;                             // a bit for each trigger that the backend has
  int fd_limit_;
  backend id_;
};

}  // namespace selectors
