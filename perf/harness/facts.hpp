// What a measurement must say about where it comes from.
#pragma once

#include <string>
#include <vector>

namespace selectors::perf {

struct machine_facts {
  std::string architecture;
  std::string cpu_model;
  int cpu_family = 0;
  int cpu_model_number = 0;
  std::string kernel;
  std::string virtualization;  // "none", "kvm", ...; "unknown" when nothing here can tell
  int cpus = 0;
};

// Of the program that asks, not of the tree it came from.
struct build_facts {
  std::string type;  // the build type; "<type> without optimisation" when the compiler was not told to
  std::string compiler;
  std::string libc;
  std::vector<std::string> sanitizers;
};

struct source_facts {
  std::string commit = "unknown";  // 40 hexadecimal digits
  bool dirty = false;              // something is not committed
};

machine_facts this_machine();
build_facts this_build();
source_facts source_tree(const std::string& folder);

// From the text of /proc/cpuinfo; facts that are not in it are empty or 0.
void read_cpuinfo(const std::string& text, machine_facts& facts);

std::string iso_time_now();  // UTC, to the second

}  // namespace selectors::perf
