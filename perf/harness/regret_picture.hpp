#pragma once

#include <filesystem>
#include <string>

#include "harness/regret_report.hpp"

namespace selectors::perf {

// A heat map for each arm whose cells have a number of descriptors and a share of ready ones; where several cells fall
// together, the worst. As a program for gnuplot that writes `picture`.
std::string gnuplot_program(const regret_report& report, const std::filesystem::path& picture);

// Runs gnuplot; an older picture is gone in any case. Returns why there is none, or nothing.
std::string draw_regret(const regret_report& report, const std::filesystem::path& picture);

}  // namespace selectors::perf
