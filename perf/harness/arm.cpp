#include "harness/arm.hpp"

#include <fnmatch.h>

#include <algorithm>

namespace selectors::perf {

bool arm_list::wants(const std::string& name) const {
  return ::fnmatch(pattern_.c_str(), name.c_str(), FNM_EXTMATCH) == 0;
}

std::vector<std::string> arm_list::names() const {
  std::vector<std::string> names;
  for (const auto& a : arms_) names.push_back(a->name());
  return names;
}

arm* arm_list::find(const std::string& name) const noexcept {
  const auto at = std::find_if(arms_.begin(), arms_.end(), [&](const auto& a) { return a->name() == name; });
  return at == arms_.end() ? nullptr : at->get();
}

}  // namespace selectors::perf
