// A case: a claim about every subject, as data and a function.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <selectors/conformance/subject.hpp>

namespace selectors::conformance {

// What a case gets to work with. Its subject is made before the case runs and destroyed after it.
class context {
 public:
  explicit context(const subject_info& info) : info_(info), subject_(info.make()) {}

  // The selector on trial.
  subject& s() const noexcept { return *subject_; }
  // A further selector of the same kind.
  std::unique_ptr<subject> another() const { return info_.make(); }
  // Destroys the selector; s() must not be used afterwards.
  void destroy() noexcept { subject_.reset(); }

  const subject_info& info() const noexcept { return info_; }
  // For the few places where one claim has two allowed forms. A whole case is gated by `needs` and `lacks`.
  bool can(feature f) const noexcept { return has(info_.can, f); }

 private:
  const subject_info& info_;
  std::unique_ptr<subject> subject_;
};

struct test_case {
  std::vector<std::string_view> promises;  // ids of CONTRACT.md, the one it is mainly about first
  std::string_view name;                   // the claim, in UpperCamel
  void (*run)(context&);
  feature needs = feature::none;  // not applicable to a subject without all of these ...
  feature lacks = feature::none;  // ... or with any of these
};

struct chapter {
  std::string_view name;    // the suite: "Registration"
  std::string_view prefix;  // of its ids: "REG"
  std::span<const test_case> cases;
};

// Every chapter of the contract, in its order.
std::span<const chapter> chapters();

// The empty string when `c` applies to the subject, otherwise why it does not.
std::string why_not_applicable(const test_case& c, const subject_info& s);

}  // namespace selectors::conformance
