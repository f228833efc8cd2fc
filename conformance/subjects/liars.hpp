// The table of liars over the library's backends.
#pragma once

#include <span>

#include <selectors/conformance/liar.hpp>

namespace selectors::conformance {

// The whole table, and its parts: one file of subjects/liars/ for each chapter.
std::span<const liar> liars();
std::span<const liar> registration_liars();
std::span<const liar> readiness_liars();
std::span<const liar> descriptor_kinds_liars();
std::span<const liar> closed_descriptors_liars();
std::span<const liar> limits_liars();
std::span<const liar> timeouts_liars();
std::span<const liar> signals_liars();
std::span<const liar> modes_liars();
std::span<const liar> wakers_liars();
std::span<const liar> fairness_liars();
std::span<const liar> lifetime_liars();
std::span<const liar> fork_liars();
std::span<const liar> costs_liars();

}  // namespace selectors::conformance
