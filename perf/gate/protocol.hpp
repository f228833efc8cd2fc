#pragma once

#include <array>
#include <string_view>

/// How the gated measurement is taken and judged. Limits hold for one protocol only: whoever changes a number
/// here that moves an estimate gives the protocol a new id, and every file with the old one is refused.
namespace selectors::gate {

inline constexpr std::string_view protocol_id = "micro-burst/1";
inline constexpr int rounds_per_burst = 70;
inline constexpr int rounds_per_making = 10;  ///< after so many the arms are made anew
inline constexpr int batch_us = 80;

/// The verdict is looked for at these numbers of bursts and nowhere else: each look spends its share of the
/// error.
inline constexpr std::array<int, 5> looks{12, 18, 27, 40, 60};
inline constexpr double level_per_look = 0.99;

/// What remains of unlike work after control gating is a slow drift that more bursts do not average out.
inline constexpr double drift_floor = 0.005;
inline constexpr double twin_floor = 0.001;

inline constexpr double control_tolerance =
    0.04;  ///< a round counts while its control is within this of fast
inline constexpr double reference_slack =
    1.02;                                      ///< the reference may exceed the profile's fast state by this
inline constexpr double fast_quantile = 0.05;  ///< of the control's times: the machine's fast state
inline constexpr int min_kept_rounds = 5;      ///< fewer, and the burst has no estimate for drift metrics
inline constexpr int min_valid_bursts = 8;     ///< fewer, and there is no interval

inline constexpr double twin_tolerance = 0.005;     ///< self/twin must lie inside 1 +- this
inline constexpr double injected_tolerance = 0.03;  ///< self/injected must lie above 1 + this

/// A proposal rests on at least this many bursts, cut into gates of about what a normal run takes.
inline constexpr int min_proposal_bursts = 200;
inline constexpr int bursts_per_gate = 20;

}  // namespace selectors::gate
