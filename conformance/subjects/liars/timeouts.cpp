#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "../liars.hpp"
#include "tools.hpp"

namespace selectors::conformance {

namespace {

using namespace std::chrono_literals;

// Waits for something else than it was told.
template <timeout (*change)(timeout)>
class misheard final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override { return decorator::wait(change(t)); }
};

constexpr auto longest_believable = std::chrono::hours(24 * 365 * 200);

timeout zero_blocks(timeout t) {
  return t.is_zero() ? timeout(1200ms) : t;
}
timeout infinite_is_short(timeout t) {
  return t.is_infinite() ? timeout(5ms) : t;
}
timeout a_little_early(timeout t) {
  return t.is_infinite() || t.duration() < 200us ? t : timeout(t.duration() - 100us);
}
timeout whole_milliseconds(timeout t) {
  return t.is_infinite() ? t : timeout(std::chrono::floor<std::chrono::milliseconds>(t.duration()));
}
timeout tens_of_milliseconds(timeout t) {
  return t.is_infinite() || t.is_zero() ? t : timeout(t.duration() / 10ms * 10ms + 10ms);
}
timeout long_overflows(timeout t) {
  return t.duration() > longest_believable ? timeout::zero : t;
}
timeout milliseconds_in_32_bits(timeout t) {
  if (t.is_infinite()) return t;
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(t.duration()).count();
  return std::chrono::milliseconds(static_cast<std::uint32_t>(count));
}

class zero_does_not_look final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override { return t.is_zero() ? outcome{} : decorator::wait(t); }
};

class refuses_zero final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    if (t.is_zero()) refuse(std::errc::invalid_argument);
    return decorator::wait(t);
  }
};

class nothing_to_wait_for final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override { return decorator::wait(honest().size() == 0 ? timeout::zero : t); }
};

class asks_again_and_again final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    if (t.is_infinite()) return decorator::wait(t);
    const auto deadline = std::chrono::steady_clock::now() + t.duration();
    outcome result;
    do {
      result = decorator::wait(timeout::zero);
    } while (result.events.empty() && std::chrono::steady_clock::now() < deadline);
    return result;
  }
};

class refuses_endless_durations final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    if (t.duration() > longest_believable) refuse(std::errc::invalid_argument);
    return decorator::wait(t);
  }
};

class microseconds_below_a_million_only final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
    if (!t.is_infinite() && t.duration() > 1s && t.duration() % 1s != 0s) refuse(std::errc::invalid_argument);
    return decorator::wait(t);
  }
};

class relies_on_the_finest_call final : public decorator {
 public:
  using decorator::decorator;
  outcome wait(timeout t) override {
#ifdef SYS_epoll_pwait2
    if (!t.is_infinite() && t.duration() % 1ms != 0s) {
      // EBADF or so where the call exists.
      ::syscall(SYS_epoll_pwait2, -1, nullptr, 0, nullptr, nullptr, 0);
      if (errno == ENOSYS || errno == EPERM) refuse(std::errc::function_not_supported);
    }
#endif
    return decorator::wait(t);
  }
};

}  // namespace

std::span<const liar> timeouts_liars() {
  static const std::vector<liar> rows{
      {"ZeroDoesNotLook", "TIM-01", &disguised<zero_does_not_look>},
      {"ZeroBlocks", "TIM-01", &disguised<misheard<zero_blocks>>},
      {"NegativeBlocks", "TIM-02", &disguised<misheard<zero_blocks>>},
      {"NegativeFails", "TIM-02", &disguised<refuses_zero>},
      {"InfiniteIsShort", "TIM-03", &disguised<misheard<infinite_is_short>>},
      {"NothingToWaitFor", "TIM-04", &disguised<nothing_to_wait_for>},
      {"ALittleEarly", "TIM-05", &disguised<misheard<a_little_early>>},
      {"WholeMilliseconds", "TIM-06", &disguised<misheard<whole_milliseconds>>},
      {"AsksAgainAndAgain", "TIM-06", &disguised<asks_again_and_again>},
      {"TensOfMilliseconds", "TIM-07", &disguised<misheard<tens_of_milliseconds>>},
      {"LongOverflows", "TIM-08", &disguised<misheard<long_overflows>>},
      {"RefusesEndlessDurations", "TIM-08", &disguised<refuses_endless_durations>},
      {"MillisecondsIn32Bits", "TIM-09", &disguised<misheard<milliseconds_in_32_bits>>},
      {"MinusInfinityBlocks", "TIM-10", &disguised<misheard<zero_blocks>>},
      {"MicrosecondsBelowAMillionOnly", "TIM-13", &disguised<microseconds_below_a_million_only>},
      {"ReliesOnTheFinestCall", "TIM-16", &disguised<relies_on_the_finest_call>},
  };
  return rows;
}

}  // namespace selectors::conformance
