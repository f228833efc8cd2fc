#include "harness/arm.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace selectors::perf {

bool arm_list::wants(const std::string& name) const {
  return ::fnmatch(pattern_.c_str(), name.c_str(), FNM_EXTMATCH) == 0;
}

void arm_list::make_all(std::uint64_t seed) {
  std::vector<std::size_t> order(makers_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  arms_.resize(makers_.size());
  for (const std::size_t i : order) arms_[i] = makers_[i]();
}

arm* arm_list::find(const std::string& name) const noexcept {
  const auto at = std::find_if(arms_.begin(), arms_.end(), [&](const auto& a) { return a->name() == name; });
  return at == arms_.end() ? nullptr : at->get();
}

}  // namespace selectors::perf
