#include "case.hpp"

namespace selectors::conformance {

std::string why_not_applicable(const test_case& c, const subject_info& s) {
  if (const feature missing = c.needs & ~s.can; missing != feature::none) return "needs " + names_of(missing);
  if (const feature present = c.lacks & s.can; present != feature::none) {
    return "only without " + names_of(present);
  }
  return {};
}

}  // namespace selectors::conformance
