// What is behind a selector: the part that is the same for every backend. It answers with `fault` and has no
// opinion on how errors reach the caller; selector.cpp has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <selectors/selector.hpp>

#include "backend.hpp"
#include "buffer.hpp"
#include "fork_guard.hpp"
#include "registration_table.hpp"
#include "wake_channel.hpp"

namespace selectors {

class selector::state {
 public:
  using owner = std::unique_ptr<state, recycle>;

  // With the kernel objects of the backend open.
  static fault make(backend id, owner& out) noexcept;

  // errc::forked or errc::busy; precedes every verb but reinit_after_fork.
  fault check() const noexcept {
    if (fork_generation_ != fork_guard::now()) [[unlikely]]
      return errc::forked;
    if (in_hook_) [[unlikely]]
      return errc::busy;
    return {};
  }

  fault register_fd(int fd, interest wanted, user_data data, trigger mode, key& out) noexcept;
  fault modify(int fd, interest wanted, user_data data, trigger mode, key& out) noexcept;
  fault modify(int fd, interest wanted, key& out) noexcept;
  fault pause(int fd, key& out) noexcept;
  fault resume(int fd, key& out) noexcept;
  fault unregister(int fd, key& out) noexcept;
  fault unregister(const key& k, key& out) noexcept;
  fault select(timeout t, const wait_options& options, selection& out);  // throws what the hook throws
  fault make_waker(waker& out) noexcept;
  fault native_handle(int& out) noexcept { return multiplexer_->native_handle(out); }
  fault reinit_after_fork() noexcept;
  fault get_key(int fd, key& out) const noexcept;
  fault get_map(std::vector<key>& out) noexcept;
  fault audit(std::vector<key>& out) noexcept;
  bool in_hook() const noexcept { return in_hook_; }
  std::size_t size() const noexcept { return table_.size(); }
  bool contains(int fd) const noexcept { return table_.find(fd) != nullptr; }

 private:
  friend struct recycle;
  struct spare;

  explicit state(const backend_row& row) noexcept;

  void reset() noexcept;
  std::size_t footprint() const noexcept;

  fault validate(int fd, interest wanted, trigger mode) const noexcept;
  fault change(int fd, registration& r, interest wanted, user_data data, trigger mode, key& out) noexcept;
  void blank_entry(int fd, const registration& r) noexcept;
  bool ends_wait(const wait_options& options);
  template <class Wanted>
  fault list(std::vector<key>& out, Wanted wanted) noexcept;

  registration_table table_;
  std::unique_ptr<multiplexer> multiplexer_;
  buffer<event> events_;
  std::size_t selected_ = 0;  // entries of the last selection
  std::shared_ptr<const waker::channel> channel_;
  std::uint32_t fork_generation_;
  bool in_hook_ = false;
  std::uint8_t interests_;  // what the backend can watch for, as bits of `interest`
  std::uint8_t modes_;      // a bit for each trigger that it has
  int fd_limit_;
  backend id_;
};

}  // namespace selectors
