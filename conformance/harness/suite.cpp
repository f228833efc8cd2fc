#include <selectors/conformance/suite.hpp>

#include <gtest/gtest.h>

#include <string>

#include "case.hpp"
#include "children.hpp"
#include "descriptors.hpp"

namespace selectors::conformance {

namespace {

std::string joined(const std::vector<std::string_view>& ids) {
  std::string text;
  for (const std::string_view id : ids) text.append(text.empty() ? "" : " ").append(id);
  return text;
}

class case_test : public testing::Test {
 public:
  case_test(const test_case& c, const subject_info& s) : case_(c), subject_(s) {}

  void TestBody() override {
    RecordProperty("contract", joined(case_.promises));
    const watchdog guard(std::chrono::seconds(60), case_.name.data());
    try {
      context case_context(subject_);
      case_.run(case_context);
    } catch (const setup_error& e) {
      ADD_FAILURE() << "set-up: " << e.what();
    }
  }

 private:
  const test_case& case_;
  const subject_info& subject_;
};

void register_cases(const subject_info& s) {
  for (const chapter& part : chapters()) {
    const std::string suite = s.name + "/" + std::string(part.name);
    for (const test_case& c : part.cases) {
      if (!why_not_applicable(c, s).empty()) continue;
      testing::RegisterTest(suite.c_str(), std::string(c.name).c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [&c, &s]() -> testing::Test* { return new case_test(c, s); });
    }
  }
}

}  // namespace

int run_suite(int argc, char** argv, const std::vector<subject_info>& subjects) {
  testing::InitGoogleTest(&argc, argv);
  for (const subject_info& s : subjects) register_cases(s);
  return RUN_ALL_TESTS();
}

}  // namespace selectors::conformance
