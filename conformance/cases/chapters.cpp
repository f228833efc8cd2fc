#include "chapters.hpp"

#include <array>
#include <deque>
#include <vector>

namespace selectors::conformance {

namespace {

// A chapter that has more than one file.
std::span<const test_case> joined(std::span<const test_case> first, std::span<const test_case> second) {
  static std::deque<std::vector<test_case>> store;
  std::vector<test_case>& all = store.emplace_back(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

}  // namespace

std::span<const chapter> chapters() {
  static const std::array all{
      chapter{"Registration", "REG", joined(registration_cases(), modification_cases())},
      chapter{"Readiness", "RDY", joined(readiness_cases(), readiness_of_sockets_cases())},
      chapter{"DescriptorKinds", "TYP", descriptor_kinds_cases()},
      chapter{"ClosedDescriptors", "CLO", joined(closed_descriptors_cases(), ghosts_cases())},
      chapter{"Limits", "SIZ", limits_cases()},
      chapter{"Timeouts", "TIM", timeouts_cases()},
      chapter{"Signals", "SIG", signals_cases()},
      chapter{"Modes", "MOD", joined(modes_cases(), oneshot_and_pause_cases())},
      chapter{"Wakers", "WAK", wakers_cases()},
      chapter{"Fairness", "FAI", fairness_cases()},
      chapter{"Lifetime", "LIF", lifetime_cases()},
      chapter{"Fork", "FRK", fork_cases()},
      chapter{"Costs", "RES", costs_cases()},
  };
  return all;
}

}  // namespace selectors::conformance
