#include <selectors/conformance/suite.hpp>

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "children.hpp"
#include "descriptors.hpp"
#include "options.hpp"
#include "results.hpp"

namespace selectors::conformance {

namespace {

struct run_state {
  options asked;
  results found;
};

std::string suite_name(std::string_view subject, std::string_view chapter_name) {
  return std::string(subject) + "/" + std::string(chapter_name);
}

std::string joined(const std::vector<std::string_view>& ids) {
  std::string text;
  for (const std::string_view id : ids) text.append(text.empty() ? "" : " ").append(id);
  return text;
}

class case_test : public testing::Test {
 public:
  case_test(const chapter& part, const test_case& c, const subject_info& s, run_state& run)
      : chapter_(part), case_(c), subject_(s), run_(run) {}

  void TestBody() override {
    RecordProperty("contract", joined(case_.promises));
    if (run_.asked.json.empty()) {
      run_here();
    } else {
      const case_result r = run_isolated(case_, subject_);
      if (r.kind != outcome_kind::pass) ADD_FAILURE() << r.message;
      run_.found.add(subject_, chapter_, case_, r);
    }
  }

 private:
  // In this process, so that a debugger and a leak checker see everything.
  void run_here() {
    const watchdog guard(std::chrono::seconds(60), case_.name.data());
    const auto start = std::chrono::steady_clock::now();
    case_result r;
    try {
      context case_context(subject_);
      case_.run(case_context);
    } catch (const setup_error& e) {
      r.kind = outcome_kind::error;
      ADD_FAILURE() << "set-up: " << e.what();
    } catch (const std::exception& e) {
      ADD_FAILURE() << "unexpected exception: " << e.what();
    }
    if (HasFailure() && r.kind == outcome_kind::pass) r.kind = outcome_kind::fail;
    r.duration = std::chrono::steady_clock::now() - start;
    run_.found.add(subject_, chapter_, case_, r);
  }

  const chapter& chapter_;
  const test_case& case_;
  const subject_info& subject_;
  run_state& run_;
};

class liar_test : public testing::Test {
 public:
  liar_test(const liar& l, const std::vector<subject_info>& subjects, run_state& run)
      : liar_(l), subjects_(subjects), run_(run) {}

  void TestBody() override {
    RecordProperty("contract", std::string(liar_.promise));
    const trial_result r = try_liar(liar_, subjects_);
    if (!r.caught) ADD_FAILURE() << r.message;
    if (r.caught) RecordProperty("caught_by", r.by);
    run_.found.add(liar_, r);
  }

 private:
  const liar& liar_;
  const std::vector<subject_info>& subjects_;
  run_state& run_;
};

void register_cases(const subject_info& s, run_state& run) {
  for (const chapter& part : chapters()) {
    const std::string suite = suite_name(s.name, part.name);
    for (const test_case& c : part.cases) {
      const std::string claim(c.name);
      if (const std::string reason = why_not_applicable(c, s); !reason.empty()) {
        if (selected(run.asked.filter, suite + "." + claim)) {
          run.found.add(s, part, c, {outcome_kind::not_applicable, reason, {}});
        }
        continue;
      }
      testing::RegisterTest(
          suite.c_str(), claim.c_str(), nullptr, nullptr, __FILE__, __LINE__,
          [&part, &c, &s, &run]() -> testing::Test* { return new case_test(part, c, s, run); });
    }
  }
}

void register_liars(std::span<const liar> liars, const std::vector<subject_info>& subjects, run_state& run) {
  // Suites have to be registered in one piece each.
  for (const chapter& part : chapters()) {
    const std::string suite = suite_name("liars", part.name);
    for (const liar& l : liars) {
      if (chapter_of(l.promise) != part.name) continue;
      testing::RegisterTest(
          suite.c_str(), std::string(l.name).c_str(), nullptr, nullptr, __FILE__, __LINE__,
          [&l, &subjects, &run]() -> testing::Test* { return new liar_test(l, subjects, run); });
    }
  }
}

void list_everything(const std::vector<subject_info>& subjects, std::span<const liar> liars) {
  for (const chapter& part : chapters()) {
    for (const test_case& c : part.cases) {
      std::string where;
      for (const subject_info& s : subjects) {
        if (why_not_applicable(c, s).empty()) where += " " + s.name;
      }
      std::cout << part.name << '.' << c.name << "  [" << joined(c.promises) << "] " << where << '\n';
    }
  }
  for (const liar& l : liars)
    std::cout << "liars/" << chapter_of(l.promise) << '.' << l.name << "  [" << l.promise << "]\n";
}

int run_selected(run_state& run, const std::vector<subject_info>& subjects) {
  const bool only_listing = testing::GTEST_FLAG(list_tests);
  if (!run.asked.json.empty()) check_writable(run.asked.json);
  const int failed = RUN_ALL_TESTS();
  if (only_listing) return 0;
  const testing::UnitTest& unit = *testing::UnitTest::GetInstance();
  if (unit.test_to_run_count() == 0) {
    throw usage_error("no case is selected by \"" + run.asked.filter + "\"; --list shows the names");
  }
  if (!run.asked.json.empty()) write_file(run.asked.json, run.found.json(subjects));
  if (unit.test_to_run_count() > 1) std::cout << '\n' << run.found.summary();
  return failed != 0 || !run.found.good() ? 1 : 0;
}

}  // namespace

int run_suite(int argc, char** argv, const std::vector<subject_info>& subjects, std::span<const liar> liars) {
  try {
    options asked = read_options(argc, argv);
    if (asked.help) {
      std::cout << usage;
      return 0;
    }
    if (asked.list) {
      list_everything(subjects, liars);
      return 0;
    }
    run_state run{asked, results(asked.filter)};
    testing::InitGoogleTest(&argc, argv);
    for (const subject_info& s : subjects) register_cases(s, run);
    register_liars(liars, subjects, run);
    return run_selected(run, subjects);
  } catch (const std::exception& e) {
    std::cerr << "selectors-conformance: " << e.what() << '\n';
    return 2;
  }
}

}  // namespace selectors::conformance
