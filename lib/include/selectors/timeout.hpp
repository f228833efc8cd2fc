// How long a wait may last.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace selectors {

namespace detail {

inline constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

// A duration as nanoseconds: rounded up, from 0 to `forever`.
template <class Rep, class Period>
constexpr std::int64_t saturated_nanoseconds(std::chrono::duration<Rep, Period> d) {
  if constexpr (std::is_floating_point_v<Rep>) {
    if (d.count() != d.count()) throw std::invalid_argument("selectors::timeout: the duration is NaN");
    if (d.count() <= 0) return 0;
    // In double, so that 0.001 seconds are a million nanoseconds: no digit beyond it is meant.
    const double exact =
        static_cast<double>(d.count()) * (static_cast<double>(Period::num) * 1e9 / Period::den);
    if (exact >= static_cast<double>(forever)) return forever;
    const auto whole = static_cast<std::int64_t>(exact);
    return static_cast<double>(whole) < exact ? whole + 1 : whole;
  } else {
    if (d <= d.zero()) return 0;
    __extension__ using wide = unsigned __int128;
    const auto count = static_cast<std::uintmax_t>(d.count());
    if (count > std::numeric_limits<std::uintmax_t>::max() / static_cast<std::uintmax_t>(Period::num))
      return forever;
    const wide scaled = static_cast<wide>(count) * static_cast<wide>(Period::num) * 1'000'000'000u;
    const wide exact = (scaled + static_cast<wide>(Period::den) - 1) / static_cast<wide>(Period::den);
    return exact >= static_cast<wide>(forever) ? forever : static_cast<std::int64_t>(exact);
  }
}

}  // namespace detail

// A span of monotonic time, made from any chrono duration, floating ones included.
//
//   * rounded up to a whole nanosecond, so that a wait is never shorter than asked;
//   * saturating: what a 64-bit count of nanoseconds cannot hold (292 years) waits for ever;
//   * zero and everything negative look once and do not wait;
//   * NaN is refused with std::invalid_argument.
//
//     s.select(std::chrono::milliseconds(20));
//     s.select(timeout::until(deadline));
//     s.select(timeout::infinite);
class timeout {
 public:
  static const timeout infinite;
  static const timeout zero;

  template <class Rep, class Period>
  constexpr timeout(std::chrono::duration<Rep, Period> d) : nanoseconds_(detail::saturated_nanoseconds(d)) {}

  // What remains until `deadline` now; nothing when it has passed.
  static timeout until(std::chrono::steady_clock::time_point deadline) {
    const auto now = std::chrono::steady_clock::now();
    return deadline <= now ? zero : timeout(distance(now, deadline));
  }

  constexpr bool is_infinite() const noexcept { return nanoseconds_ == detail::forever; }
  constexpr bool is_zero() const noexcept { return nanoseconds_ == 0; }
  // Never negative; meaningless for an infinite timeout.
  constexpr std::chrono::nanoseconds duration() const noexcept {
    return std::chrono::nanoseconds(nanoseconds_);
  }

  friend constexpr bool operator==(timeout, timeout) noexcept = default;

 private:
  constexpr explicit timeout(std::int64_t nanoseconds) noexcept : nanoseconds_(nanoseconds) {}

  // The difference of two time points may not fit: time_point::min() and max() are valid arguments.
  static constexpr std::chrono::nanoseconds distance(std::chrono::steady_clock::time_point from,
                                                     std::chrono::steady_clock::time_point to) noexcept {
    std::int64_t difference = 0;
    return __builtin_sub_overflow(to.time_since_epoch().count(), from.time_since_epoch().count(), &difference)
               ? std::chrono::nanoseconds::max()
               : std::chrono::nanoseconds(difference);
  }

  std::int64_t nanoseconds_;
};

inline constexpr timeout timeout::infinite{detail::forever};
inline constexpr timeout timeout::zero{std::int64_t{0}};

}  // namespace selectors
