// For claims about time: what is longer than it may be, what is shorter, and what happens meanwhile.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "claims.hpp"

namespace selectors::conformance {

// Does `action` once, `delay` after its construction, on a thread of its own. The destructor waits for that.
class later {
 public:
  later(std::chrono::milliseconds delay, std::function<void()> action);

 private:
  std::jthread thread_;
};

// A wait of `t` returns nothing and not before `t`; nor is it woken or interrupted. It may be late by `grace`:
// ample, because only a wait that begins anew is to be found out.
testing::AssertionResult lasts(subject& s, std::chrono::nanoseconds t,
                               std::chrono::milliseconds grace = std::chrono::seconds(3));

// `call` returns without having slept. A second is granted to a busy machine, no more.
testing::AssertionResult ends_at_once(const std::function<void()>& call);

}  // namespace selectors::conformance
