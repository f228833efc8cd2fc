#include "run.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <sstream>

#include "children.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

std::string first_failures(const testing::TestPartResultArray& parts) {
  constexpr int shown = 3;
  std::ostringstream text;
  int failures = 0;
  for (int i = 0; i < parts.size(); ++i) {
    const testing::TestPartResult& part = parts.GetTestPartResult(i);
    if (!part.failed() || ++failures > shown) continue;
    if (failures > 1) text << '\n';
    if (part.file_name() != nullptr) {
      const std::string file = part.file_name();
      text << file.substr(file.rfind('/') + 1) << ':' << part.line_number() << ": ";
    }
    text << part.message();
  }
  if (failures > shown) text << "\n... and " << failures - shown << " more";
  return text.str();
}

}  // namespace

case_result run_captured(const test_case& c, const subject_info& s) {
  case_result result;
  testing::TestPartResultArray parts;
  const auto start = std::chrono::steady_clock::now();
  {
    const testing::ScopedFakeTestPartResultReporter capture(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &parts);
    try {
      context case_context(s);
      c.run(case_context);
    } catch (const setup_error& e) {
      result = {outcome_kind::error, std::string("set-up: ") + e.what(), {}};
    } catch (const unsupported& e) {
      result = {outcome_kind::error, e.what(), {}};
    } catch (const std::exception& e) {
      result = {outcome_kind::fail, std::string("unexpected exception: ") + e.what(), {}};
    }
  }
  result.duration = std::chrono::steady_clock::now() - start;
  if (result.kind == outcome_kind::pass) {
    if (std::string failures = first_failures(parts); !failures.empty()) {
      result.kind = outcome_kind::fail;
      result.message = std::move(failures);
    }
  }
  return result;
}

case_result run_isolated(const test_case& c, const subject_info& s, std::chrono::milliseconds limit) {
  const auto start = std::chrono::steady_clock::now();
  const child_result child = in_child(
      [&]() -> verdict {
        const case_result r = run_captured(c, s);
        return {static_cast<int>(r.kind), r.message};
      },
      limit);
  case_result result;
  result.duration = std::chrono::steady_clock::now() - start;
  if (child.how == child_result::ending::finished && child.code <= static_cast<int>(outcome_kind::error)) {
    result.kind = static_cast<outcome_kind>(child.code);
    result.message = child.message;
  } else {
    result.kind = outcome_kind::fail;
    std::ostringstream text;
    text << child;
    result.message = text.str();
  }
  return result;
}

}  // namespace selectors::conformance
