// Mutants of good files, made mechanically: each key deleted, written twice, and given a value of another type. A
// reader that lets one through does not check that key.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "gate/thresholds.hpp"
#include "support.hpp"

namespace selectors::gate {
namespace {

using json = nlohmann::ordered_json;
using pointer = json::json_pointer;

using testing::copy_good;
using testing::joined;
using testing::slurp;
using testing::sources;
using testing::spill;
using testing::temporary_folder;
using testing::test_day;

void collect(const json& value, const pointer& at, std::vector<pointer>& keys) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      keys.push_back(at / key);
      collect(member, at / key, keys);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], at / i, keys);
  }
}

/// The text of `value` with the member at `twice` written two times.
std::string dump_twice(const json& value, const pointer& at, const pointer& twice) {
  if (!value.is_structured()) return value.dump();
  std::string out;
  std::size_t index = 0;
  for (const auto& [key, member] : value.items()) {
    const auto place = value.is_object() ? at / key : at / index++;
    const auto text = (value.is_object() ? json(key).dump() + ":" : "") + dump_twice(member, place, twice);
    out += (out.empty() ? "" : ",") + text;
    if (place == twice) out += "," + text;
  }
  return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

json another_type(const json& value) {
  if (value.is_string()) return 7;
  if (value.is_number()) return value.dump();
  if (value.is_object()) return json::array({value});
  return json::object();
}

class EveryKey : public ::testing::TestWithParam<const char*> {
 protected:
  EveryKey() : original_(json::parse(slurp(sources() / "good" / GetParam()))) {
    copy_good(folder_.path());
    // Alone, the portable profile is read without the evidence of the other; that is what takes time.
    if (GetParam() == std::string("portable.json")) std::filesystem::remove(folder_ / "example-class.json");
    collect(original_, pointer(), keys_);
  }

  void expect_refused(const std::string& text, const pointer& key, const char* what) {
    spill(folder_ / GetParam(), text);
    problems found;
    load_thresholds(folder_.path(), test_day(), found);
    EXPECT_FALSE(found.empty()) << key.to_string() << " " << what;
  }

  const json original_;
  const temporary_folder folder_;
  std::vector<pointer> keys_;
};

TEST_P(EveryKey, MustBeThere) {
  ASSERT_GT(keys_.size(), 20U);
  for (const auto& key : keys_) {
    auto mutant = original_;
    mutant.at(key.parent_pointer()).erase(key.back());
    expect_refused(mutant.dump(), key, "deleted");
  }
}

TEST_P(EveryKey, MustBeThereOnce) {
  for (const auto& key : keys_) expect_refused(dump_twice(original_, pointer(), key), key, "written twice");
}

TEST_P(EveryKey, MustBeOfItsType) {
  for (const auto& key : keys_) {
    for (const auto& value : {another_type(original_.at(key)), json(), json(true)}) {
      auto mutant = original_;
      mutant.at(key) = value;
      expect_refused(mutant.dump(), key, "given another type");
    }
  }
}

TEST_P(EveryKey, IsFineAsItIs) {
  problems found;
  load_thresholds(folder_.path(), test_day(), found);
  EXPECT_TRUE(found.empty()) << joined(found);
}

INSTANTIATE_TEST_SUITE_P(Thresholds, EveryKey, ::testing::Values("portable.json", "example-class.json"),
                         [](const auto& tested) {
                           return std::string(tested.param) == "portable.json" ? "Portable" : "MachineClass";
                         });

}  // namespace
}  // namespace selectors::gate
