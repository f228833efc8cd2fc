#include "../liars.hpp"

namespace selectors::conformance {

std::span<const liar> costs_liars() {
  static const std::vector<liar> rows{};
  return rows;
}

}  // namespace selectors::conformance
