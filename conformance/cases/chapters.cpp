#include "chapters.hpp"

#include <array>

namespace selectors::conformance {

std::span<const chapter> chapters() {
  static const std::array all{
      chapter{"Registration", "REG", registration_cases()},
      chapter{"Readiness", "RDY", readiness_cases()},
      chapter{"DescriptorKinds", "TYP", descriptor_kinds_cases()},
      chapter{"ClosedDescriptors", "CLO", closed_descriptors_cases()},
      chapter{"Limits", "SIZ", limits_cases()},
      chapter{"Timeouts", "TIM", timeouts_cases()},
      chapter{"Signals", "SIG", signals_cases()},
      chapter{"Modes", "MOD", modes_cases()},
      chapter{"Wakers", "WAK", wakers_cases()},
      chapter{"Fairness", "FAI", fairness_cases()},
      chapter{"Lifetime", "LIF", lifetime_cases()},
      chapter{"Fork", "FRK", fork_cases()},
      chapter{"Costs", "RES", costs_cases()},
  };
  return all;
}

}  // namespace selectors::conformance
