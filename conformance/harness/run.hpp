// Running one case against one subject.
#pragma once

#include <chrono>
#include <string>

#include "case.hpp"

namespace selectors::conformance {

enum class outcome_kind { pass, fail, not_applicable, error };

struct case_result {
  outcome_kind kind = outcome_kind::pass;
  std::string message;  // of the first failures, or why it is not applicable
  std::chrono::nanoseconds duration{0};
};

// In this process; GoogleTest failures are caught, not passed on. Nothing ends it early: see run_isolated.
case_result run_captured(const test_case& c, const subject_info& s);

// In a forked child with a deadline: a crash or a hang is a failure with a message.
case_result run_isolated(const test_case& c, const subject_info& s,
                         std::chrono::milliseconds limit = std::chrono::seconds(30));

}  // namespace selectors::conformance
