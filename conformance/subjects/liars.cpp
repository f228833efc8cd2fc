#include "liars.hpp"

namespace selectors::conformance {

std::span<const liar> liars() {
  static const std::vector<liar> all = [] {
    std::vector<liar> rows;
    for (const auto part :
         {registration_liars(), readiness_liars(), descriptor_kinds_liars(), closed_descriptors_liars(),
          limits_liars(), timeouts_liars(), signals_liars(), modes_liars(), wakers_liars(), fairness_liars(),
          lifetime_liars(), fork_liars(), costs_liars()}) {
      rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
  }();
  return all;
}

}  // namespace selectors::conformance
