// The kit on trial: does it catch a liar by the promise that the liar breaks?
#pragma once

#include <span>
#include <string>
#include <vector>

#include <selectors/conformance/liar.hpp>

#include "run.hpp"

namespace selectors::conformance {

struct trial_result {
  bool caught = false;
  std::string by;       // "epoll/Registration.SecondRegisterIsRefused"
  std::string message;  // what that case said; or what was tried, when the liar survived
  std::chrono::nanoseconds duration{0};
};

// Runs the cases that cite the liar's promise, each in a forked child, until one fails. A crash and a hang count as
// caught. A case that ends in an error does not: then the kit, not the liar, is at fault.
trial_result try_liar(const liar& l, std::span<const subject_info> honest_subjects);

// The chapter that a promise's id belongs to: "Registration" for REG-05.
std::string_view chapter_of(std::string_view id);

}  // namespace selectors::conformance
