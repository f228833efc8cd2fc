#include "gate/thresholds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gate/evidence.hpp"
#include "gate/metrics.hpp"
#include "gate/sha256.hpp"
#include "support.hpp"
#include "synthetic.hpp"

namespace selectors::gate {
namespace {

using testing::copy_good;
using testing::has_code;
using testing::joined;
using testing::replaced;
using testing::slurp;
using testing::sources;
using testing::spill;
using testing::temporary_folder;
using testing::test_day;

problems load(const std::filesystem::path& folder) {
  problems found;
  load_thresholds(folder, test_day(), found);
  return found;
}

TEST(Thresholds, TheGoodOnesAreGood) {
  problems found;
  const auto set = load_thresholds(sources() / "good", test_day(), found);
  EXPECT_TRUE(found.empty()) << joined(found);
  ASSERT_EQ(set.profiles.size(), 2U);
  const auto& drift = set.profiles[1];
  EXPECT_EQ(drift.name, "example-class");
  EXPECT_EQ(drift.kind, profile_kind::machine_class);
  EXPECT_EQ(drift.revision, 2);
  EXPECT_DOUBLE_EQ(drift.control->fast, 1690);
  ASSERT_EQ(drift.limits.size(), 1U);
  EXPECT_DOUBLE_EQ(*drift.limits[0].lower, 16.2);
  EXPECT_DOUBLE_EQ(*drift.limits[0].reviewed, 16.883);
  EXPECT_DOUBLE_EQ(*drift.limits[0].upper, 17.57);
  EXPECT_EQ(drift.reviewed_in->reviewed_by, "B. Reviewer");
  const auto& portable = set.profiles[0];
  EXPECT_EQ(portable.kind, profile_kind::portable);
  EXPECT_EQ(portable.limits.size(), 6U + 12U + 24U) << "patterns are expanded";
  EXPECT_FALSE(portable.limits.front().lower);
}

// File names say what must be found: bad/PROFILE/CODE.what-is-wrong.json stands in for good/PROFILE.json.
TEST(Thresholds, EveryBadFileIsRefusedForItsOwnReason) {
  std::set<std::string> codes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sources() / "bad")) {
    if (!entry.is_regular_file()) continue;
    const auto name = entry.path().filename().string();
    const auto code = name.substr(0, name.find('.'));
    const temporary_folder folder;
    copy_good(folder.path());
    const auto stands_for = folder / (entry.path().parent_path().filename().string() + ".json");
    std::filesystem::copy_file(entry.path(), stands_for, std::filesystem::copy_options::overwrite_existing);
    const auto found = load(folder.path());
    EXPECT_TRUE(has_code(found, code)) << entry.path() << "\n" << joined(found);
    for (const auto& p : found) {
      EXPECT_FALSE(p.message.empty()) << name;
      EXPECT_TRUE(p.line != 0 || p.code.starts_with("E_METRIC_MISSING") || p.code.starts_with("E_PROFILE"))
          << to_string(p);
      EXPECT_EQ(to_string(p).find('\n'), std::string::npos) << "one line each: " << to_string(p);
    }
    codes.insert(code);
  }
  const std::set<std::string> expected{"E_PARSE",
                                       "E_DUP_KEY",
                                       "E_UNKNOWN_KEY",
                                       "E_TYPE",
                                       "E_VALUE",
                                       "E_MISSING_KEY",
                                       "E_SCHEMA",
                                       "E_SCHEMA_STALE",
                                       "E_SCHEMA_NEWER",
                                       "E_PROTOCOL",
                                       "E_BOUND_ORDER",
                                       "E_BOUND_CENTRE",
                                       "E_BOUND_TIGHT",
                                       "E_BOUND_LOOSE",
                                       "E_BOUND_MISSING",
                                       "E_BOUND_KIND",
                                       "E_METRIC_MISSING",
                                       "E_METRIC_ORPHAN",
                                       "E_DUP_BOUND",
                                       "E_UNIT",
                                       "E_ARM",
                                       "E_REVIEW",
                                       "E_EXPIRED",
                                       "E_DATE",
                                       "E_EVIDENCE",
                                       "E_PROFILE_AMBIGUOUS"};
  EXPECT_EQ(codes, expected);
}

TEST(Thresholds, AllMistakesOfAFileAreToldAtOnce) {
  const temporary_folder folder;
  copy_good(folder.path());
  auto text = slurp(folder / "portable.json");
  text = replaced(text, "\"upper\": 1.05", "\"uper\": 1.05");
  text = replaced(text, "\"equals\": 1", "\"equals\": \"1\"");
  text = replaced(text, "\"revision\": 3", "\"revision\": 0");
  spill(folder / "portable.json", text);
  const auto found = load(folder.path());
  EXPECT_TRUE(has_code(found, "E_UNKNOWN_KEY"));
  EXPECT_TRUE(has_code(found, "E_TYPE"));
  EXPECT_TRUE(has_code(found, "E_VALUE"));
}

TEST(Thresholds, AMisspeltKeyIsToldTheRightOne) {
  const temporary_folder folder;
  copy_good(folder.path());
  spill(folder / "portable.json", replaced(slurp(folder / "portable.json"), "\"upper\"", "\"uper\""));
  EXPECT_NE(joined(load(folder.path()))
                .find("$.limits[0].uper E_UNKNOWN_KEY unknown key \"uper\"; did you mean \"upper\"?"),
            std::string::npos)
      << joined(load(folder.path()));
}

TEST(Thresholds, ATypeErrorSaysWhatWasGiven) {
  const temporary_folder folder;
  copy_good(folder.path());
  spill(folder / "portable.json", replaced(slurp(folder / "portable.json"), "1.05", "\"1.05\""));
  const auto text = joined(load(folder.path()));
  EXPECT_NE(text.find("portable.json:9:"), std::string::npos) << text;
  EXPECT_NE(text.find("$.limits[0].upper E_TYPE \"upper\" must be number, got string \"1.05\""),
            std::string::npos)
      << text;
}

TEST(Thresholds, AFolderThatIsNotThereIsAnInputError) {
  EXPECT_TRUE(has_code(load("/nonexistent/thresholds"), "E_IO"));
  const temporary_folder empty;
  EXPECT_TRUE(has_code(load(empty.path()), "E_PROFILE_NONE"));
  copy_good(empty / "thresholds");
  std::filesystem::remove(empty / "thresholds/portable.json");
  EXPECT_TRUE(has_code(load(empty / "thresholds"), "E_PROFILE_NONE"));
}

TEST(Thresholds, AHugeFileIsNotRead) {
  const temporary_folder folder;
  copy_good(folder.path());
  spill(folder / "portable.json", std::string(max_thresholds_bytes + 1, ' '));
  EXPECT_TRUE(has_code(load(folder.path()), "E_IO"));
}

class EvidenceOfAProfile : public ::testing::Test {
 protected:
  problems load_with(const std::string& profile_name, testing::model m) {
    m.arms = testing::arms_of({"recreate_over_reuse/epoll/32"});
    const temporary_folder folder;
    copy_good(folder.path());
    const auto text = evidence_text({profile_name, reduce(testing::synthesise(m), std::nullopt)});
    const auto old = sha256_hex(slurp(folder / "evidence/sound.json"));
    spill(folder / "evidence/sound.json", text);
    const auto file = folder / "example-class.json";
    spill(file, replaced(slurp(file), old, sha256_hex(text)));
    return load(folder.path());
  }

  static testing::model sound() {
    testing::model m;
    m.bursts = 200;
    return m;
  }
};

TEST_F(EvidenceOfAProfile, IsAcceptedWhenSound) {
  const auto found = load_with("example-class", sound());
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST_F(EvidenceOfAProfile, MustBeOfThatProfile) {
  EXPECT_TRUE(has_code(load_with("another-class", sound()), "E_EVIDENCE"));
}

TEST_F(EvidenceOfAProfile, MustHoldEnoughBursts) {
  auto m = sound();
  m.bursts = 199;
  EXPECT_TRUE(has_code(load_with("example-class", m), "E_EVIDENCE"));
}

TEST_F(EvidenceOfAProfile, MustNotBeContaminatedNorBlind) {
  auto m = sound();
  m.factor["twin/reuse/epoll/32"] = 1.02;
  EXPECT_NE(joined(load_with("example-class", m)).find("contaminated"), std::string::npos);
  m = sound();
  m.factor["injected/reuse/epoll/32"] = 0.96;
  EXPECT_NE(joined(load_with("example-class", m)).find("blind"), std::string::npos);
}

TEST_F(EvidenceOfAProfile, MustSayWhatTheLimitSays) {
  auto m = sound();
  m.factor["recreate/epoll/32"] = 1.01;
  EXPECT_TRUE(has_code(load_with("example-class", m), "E_BOUND_CENTRE"));
}

TEST(Revision, MustRiseWithTheContent) {
  const temporary_folder folder;
  copy_good(folder / "old");
  copy_good(folder / "new");
  const auto check = [&] {
    problems found;
    check_revisions(folder / "new", folder / "old", found);
    return found;
  };
  EXPECT_TRUE(check().empty());
  const auto file = folder / "new/portable.json";
  const auto changed = replaced(slurp(file), "1.05", "1.5");
  spill(file, changed);
  EXPECT_TRUE(has_code(check(), "E_REVISION"));
  spill(file, replaced(changed, "\"revision\": 3", "\"revision\": 2"));
  EXPECT_TRUE(has_code(check(), "E_REVISION"));
  spill(file, replaced(changed, "\"revision\": 3", "\"revision\": 4"));
  EXPECT_TRUE(check().empty());
  std::filesystem::remove(folder / "old/portable.json");
  EXPECT_TRUE(check().empty()) << "a new file has no older self";
  spill(file, "{");
  spill(folder / "old/portable.json", "{}");
  EXPECT_TRUE(has_code(check(), "E_PARSE"));
}

TEST(MachineMatch, FitsByPrefixAndEquality) {
  machine_match match{testing::example_machine()};
  match.wanted.cpu_model = "Example CPU";
  match.wanted.kernel = "6.1";
  auto machine = testing::example_machine();
  machine.kernel = "6.1.90";
  EXPECT_TRUE(match.fits(machine));
  machine.kernel = "6.1";
  EXPECT_TRUE(match.fits(machine));
  machine.kernel = "6.18.5";
  EXPECT_FALSE(match.fits(machine)) << "6.1 is not 6.18";
  machine.kernel = "6.1-rc3";
  EXPECT_TRUE(match.fits(machine));
  const auto without = [&](auto change) {
    auto other = machine;
    change(other);
    return match.fits(other);
  };
  EXPECT_FALSE(without([](machine_facts& m) { m.arch = "aarch64"; }));
  EXPECT_FALSE(without([](machine_facts& m) { m.cpu_model = "Sample CPU 9"; }));
  EXPECT_FALSE(without([](machine_facts& m) { m.cpu_family = 26; }));
  EXPECT_FALSE(without([](machine_facts& m) { m.cpu_model_number = 1; }));
  EXPECT_FALSE(without([](machine_facts& m) { m.virtualization = ""; }));
  EXPECT_FALSE(without([](machine_facts& m) { m.cpus = 4; }));
}

TEST(Date, IsStrict) {
  EXPECT_TRUE(parse_date("2026-11-30"));
  EXPECT_TRUE(parse_date("2028-02-29"));
  for (const auto* bad :
       {"", "2026-11-31", "2027-02-29", "2026-1-30", "30-11-2026", "2026/11/30", "2026-11-3x",
        "2026-11-30T00:00", "20x6-11-30", "2026-1x-30", "2026-13-01", "-026-11-30"}) {
    EXPECT_FALSE(parse_date(bad)) << bad;
  }
  EXPECT_GE(today(), *parse_date("2024-01-01"));
}

TEST(ProfileKind, HasAWordForEach) {
  EXPECT_EQ(to_string(profile_kind::portable), "portable");
  EXPECT_EQ(to_string(profile_kind::machine_class), "machine_class");
}

}  // namespace
}  // namespace selectors::gate
