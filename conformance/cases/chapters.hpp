// One function for each case file. A new one is a function here and its place in chapters.cpp.
#pragma once

#include <span>

#include "case.hpp"

namespace selectors::conformance {

std::span<const test_case> registration_cases();
std::span<const test_case> modification_cases();
std::span<const test_case> readiness_cases();
std::span<const test_case> readiness_of_sockets_cases();
std::span<const test_case> descriptor_kinds_cases();
std::span<const test_case> closed_descriptors_cases();
std::span<const test_case> ghosts_cases();
std::span<const test_case> limits_cases();
std::span<const test_case> timeouts_cases();
std::span<const test_case> signals_cases();
std::span<const test_case> modes_cases();
std::span<const test_case> oneshot_and_pause_cases();
std::span<const test_case> wakers_cases();
std::span<const test_case> fairness_cases();
std::span<const test_case> lifetime_cases();
std::span<const test_case> fork_cases();
std::span<const test_case> costs_cases();

}  // namespace selectors::conformance
