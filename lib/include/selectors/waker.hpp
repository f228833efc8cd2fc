// Ending a wait from outside.
#pragma once

#include <memory>

namespace selectors {

// Wakes the selector that made it (selector::make_waker), from any thread or signal handler.
//
// A wake is sticky: without a wait in progress the next one returns at once. Wakes coalesce: any number of
// them before a wait ends end that one wait. A wait that consumed them says so with selection::woken(); a
// wait with timeout zero consumes them too. A wake is never an entry and never counted against a limit. What
// happened before wake() in the waking thread is visible to the other after the woken select.
//
// Copyable; copies wake the same selector. Harmless after the selector is gone or closed, in a forked child
// (it never wakes the parent), and when default-constructed.
//
//     selectors::waker w = s.make_waker();
//     std::jthread other([w] { w.wake(); });
//     if (s.select().woken()) ...
class waker {
 public:
  waker() noexcept = default;

  // Async-signal-safe; keeps errno.
  void wake() const noexcept;

 private:
  friend class selector;
  struct channel;
  explicit waker(std::shared_ptr<const channel> c) noexcept
      : channel_(static_cast<std::shared_ptr<const channel>&&>(c)) {}

  std::shared_ptr<const channel> channel_;
};

}  // namespace selectors
