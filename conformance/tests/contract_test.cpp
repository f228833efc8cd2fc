// The contract, the cases and the liars speak of the same promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

#include <selectors/backends.hpp>

#include "case.hpp"
#include "contract.hpp"
#include "liars.hpp"
#include "library_subject.hpp"
#include "trial.hpp"

namespace selectors::conformance {

namespace {

std::set<std::string> ids_of_contract() {
  std::set<std::string> ids;
  for (const promise& p : contract()) ids.insert(p.id);
  return ids;
}

template <class Action>
void for_each_case(const Action& action) {
  for (const chapter& part : chapters()) {
    for (const test_case& c : part.cases) action(part, c);
  }
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream text(list);
  for (std::string item; std::getline(text, item, ',');) items.push_back(item);
  return items;
}

TEST(Contract, EveryPromiseHasACase) {
  std::set<std::string> missing = ids_of_contract();
  for_each_case([&](const chapter&, const test_case& c) {
    for (const std::string_view id : c.promises) missing.erase(std::string(id));
  });
  EXPECT_EQ(missing, std::set<std::string>{});
}

TEST(Contract, EveryCaseCitesPromisesThatExist) {
  const std::set<std::string> known = ids_of_contract();
  for_each_case([&](const chapter& part, const test_case& c) {
    EXPECT_FALSE(c.promises.empty()) << c.name;
    for (const std::string_view id : c.promises) {
      EXPECT_TRUE(known.contains(std::string(id))) << part.name << '.' << c.name << " cites " << id;
    }
  });
}

TEST(Contract, EveryCaseIsMainlyAboutItsChapter) {
  for_each_case([](const chapter& part, const test_case& c) {
    const bool its_own =
        std::ranges::any_of(c.promises, [&](std::string_view id) { return id.starts_with(part.prefix); });
    EXPECT_TRUE(its_own) << part.name << '.' << c.name;
  });
}

TEST(Contract, EveryMustHasALiar) {
  std::set<std::string> missing;
  for (const promise& p : contract()) {
    if (p.level == "must") missing.insert(p.id);
  }
  for (const liar& l : liars()) missing.erase(std::string(l.promise));
  EXPECT_EQ(missing, std::set<std::string>{});
}

TEST(Contract, EveryLiarBreaksAPromiseThatExists) {
  const std::set<std::string> known = ids_of_contract();
  std::set<std::string> names;
  for (const liar& l : liars()) {
    EXPECT_TRUE(known.contains(std::string(l.promise))) << l.name;
    const std::string full_name = std::string(chapter_of(l.promise)) + "." + std::string(l.name);
    EXPECT_TRUE(names.insert(full_name).second) << full_name << " is there twice";
  }
}

bool is_upper_camel(std::string_view name) {
  return !name.empty() && std::isupper(static_cast<unsigned char>(name[0])) != 0 &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0; });
}

TEST(Contract, NamesAreClaimsInUpperCamel) {
  std::set<std::string> names;
  for_each_case([&](const chapter& part, const test_case& c) {
    EXPECT_TRUE(is_upper_camel(c.name)) << c.name;
    EXPECT_TRUE(names.insert(std::string(part.name) + "." + std::string(c.name)).second)
        << c.name << " twice";
  });
}

TEST(Contract, EveryCaseAppliesToSomeBackend) {
  const std::vector<subject_info> subjects = library_subjects();
  for_each_case([&](const chapter& part, const test_case& c) {
    // What is refused where a feature is missing may be a matter of other people's selectors only.
    const bool applies =
        c.lacks != feature::none || std::ranges::any_of(subjects, [&](const subject_info& s) {
          return why_not_applicable(c, s).empty();
        });
    EXPECT_TRUE(applies) << part.name << '.' << c.name;
  });
}

TEST(Contract, RowsAreRead) {
  const std::vector<promise> rows = parse_contract(
      "# Title\n| id | level | promise | source |\n|---|---|---|---|\n"
      "| ABC-01 | must | One. | decision |\n| ABC-20 | info (Linux) | Two. | poll(2) |\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].id, "ABC-01");
  EXPECT_FALSE(rows[0].linux_only);
  EXPECT_EQ(rows[1].level, "info");
  EXPECT_TRUE(rows[1].linux_only);
  EXPECT_EQ(rows[1].sentence, "Two.");
}

std::string complaint_about(const std::string& markdown) {
  try {
    parse_contract(markdown);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "none";
}

TEST(Contract, BadRowsAreRefusedWithTheirLine) {
  const std::string good = "| ABC-01 | must | One. | decision |\n";
  EXPECT_NE(complaint_about(good + good).find("CONTRACT.md:2: ABC-01 is there twice"), std::string::npos);
  EXPECT_NE(complaint_about("\n| ABC-02 | maybe | One. | decision |\n").find("CONTRACT.md:2: expected"),
            std::string::npos);
  EXPECT_NE(complaint_about("| ABC-03 | must | One. |\n").find("CONTRACT.md:1: expected"), std::string::npos);
}

// The lists in CMakeLists.txt name the CTest tests and their labels; a backend or chapter that they lack is not run.
TEST(BuildLists, NameEverySubject) {
  std::vector<std::string> names;
  for (const subject_info& each : library_subjects()) names.push_back(each.name);
  std::vector<std::string> listed = split(SELECTORS_CONFORMANCE_SUBJECTS);
  std::ranges::sort(names);
  std::ranges::sort(listed);
  EXPECT_EQ(listed, names);
}

TEST(BuildLists, NameEveryChapter) {
  std::vector<std::string> names;
  for (const chapter& part : chapters()) names.emplace_back(part.name);
  EXPECT_EQ(split(SELECTORS_CONFORMANCE_CHAPTERS), names);
}

TEST(Subjects, RunTheBackendThatTheyName) {
  for (const backend_info& b : backends()) {
    if (b.supported()) {
      EXPECT_EQ(selector(b.id).active_backend(), b.id) << b.name;
    }
  }
}

}  // namespace

}  // namespace selectors::conformance
