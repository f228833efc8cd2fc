// For tests that hold on every backend:
//
//     class Closing : public every_backend {};
//     TEST_P(Closing, IsIdempotent) { selector s(GetParam()); ... }
//     INSTANTIATE_TEST_SUITE_P(, Closing, all_backends(), backend_name);
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <selectors/selector.hpp>

namespace selectors::tests {

class every_backend : public ::testing::TestWithParam<backend> {
 protected:
  const capabilities& can() const { return find_backend(GetParam())->can; }
  bool is(backend b) const { return GetParam() == b; }
  // A descriptor that is not open may be found by the next wait only.
  bool finds_closed_by_polling() const { return is(backend::poll) || is(backend::adaptive); }
};

inline auto all_backends() {
  std::vector<backend> ids;
  for (const backend_info& b : backends()) ids.push_back(b.id);
  return ::testing::ValuesIn(ids);
}

// Those that are a single system call each: what is exact about them is not about adaptive, which may look first.
inline auto fixed_backends() {
  std::vector<backend> ids;
  for (const backend_info& b : backends()) {
    if (b.id != backend::adaptive) ids.push_back(b.id);
  }
  return ::testing::ValuesIn(ids);
}

// A thread keeps the storage of the last closed selector for the next of the same backend. From here on the next of
// `of` starts with nothing.
inline void forget_kept_storage(backend of) {
  selector of_another_backend(of == backend::select ? backend::poll : backend::select);
}

inline std::string backend_name(const ::testing::TestParamInfo<backend>& info) {
  return std::string(find_backend(info.param)->name);
}

}  // namespace selectors::tests
