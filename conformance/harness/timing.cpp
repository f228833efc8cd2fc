#include "timing.hpp"

#include <utility>

namespace selectors::conformance {

later::later(std::chrono::milliseconds delay, std::function<void()> action)
    : thread_([until = std::chrono::steady_clock::now() + delay, act = std::move(action)] {
        std::this_thread::sleep_until(until);
        act();
      }) {}

testing::AssertionResult lasts(subject& s, std::chrono::nanoseconds t, std::chrono::milliseconds grace) {
  const stopwatch watch;
  const outcome result = s.wait(t);
  const auto elapsed = watch.elapsed();
  if (!result.events.empty() || result.woken || result.interrupted) {
    return testing::AssertionFailure() << "expected nothing, got " << to_string(result);
  }
  if (elapsed < t) {
    return testing::AssertionFailure() << "returned after " << elapsed.count() << " ns of " << t.count();
  }
  if (elapsed > t + grace) {
    return testing::AssertionFailure() << "a wait of " << t.count() << " ns took " << elapsed.count();
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult ends_at_once(const std::function<void()>& call) {
  const stopwatch watch;
  call();
  if (watch.elapsed() < 1s) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "took " << watch.elapsed().count() << " ns";
}

}  // namespace selectors::conformance
