// What a measurement must say about where it comes from.
#pragma once

#include <string>

#include "gate/measurement.hpp"

namespace selectors::perf {

gate::machine_facts this_machine();

// Of the program that asks. Commit and checksum are not known to it and are left out; the build type is
// "<type> without optimisation" when the compiler was not told to optimise.
gate::build_facts this_build();

// Commit and dirtiness of a work tree; "unknown" when git cannot tell.
void add_source_facts(gate::build_facts& build, const std::string& folder);

// From the text of /proc/cpuinfo; facts that are not in it stay as they are.
void read_cpuinfo(const std::string& text, gate::machine_facts& facts);

std::string iso_time_now();  // UTC, to the second

}  // namespace selectors::perf
