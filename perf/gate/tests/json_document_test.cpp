#include "gate/json_document.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace selectors::gate {
namespace {

using testing::has_code;
using testing::joined;

problems parse(const std::string& text) {
  problems found;
  const bool parsed = json_document::parse("f.json", text, found).has_value();
  EXPECT_EQ(parsed, found.empty());
  return found;
}

std::string only_line(const std::string& text) {
  const auto found = parse(text);
  EXPECT_EQ(found.size(), 1U) << joined(found);
  return found.empty() ? "" : to_string(found.front());
}

TEST(JsonDocument, ReadsWhatItIsGiven) {
  problems found;
  const auto document = json_document::parse(
      "f.json", R"({"a": [1, -2, 2.5, true, null, "x\"y"], "b": {"c": {}}, "d": []})", found);
  ASSERT_TRUE(document) << joined(found);
  EXPECT_EQ(document->root()["a"].dump(), R"([1,-2,2.5,true,null,"x\"y"])");
  EXPECT_EQ(document->root()["b"]["c"], nlohmann::json::object());
  EXPECT_EQ(document->file(), "f.json");
}

TEST(JsonDocument, NamesLineAndColumnOfASyntaxError) {
  EXPECT_EQ(only_line("{\n  \"a\": 1,\n  \"b\" 2\n}").substr(0, 10), "f.json:3:7");
  EXPECT_NE(only_line("{\"a\": [1, 2").find("unexpected end of input"), std::string::npos);
  EXPECT_EQ(only_line(""), "f.json:1:1 E_PARSE the file is empty, expected a JSON object");
}

TEST(JsonDocument, RefusesWhatIsNoNumber) {
  EXPECT_EQ(only_line("{\"a\": NaN}"), "f.json:1:7 E_PARSE expected a finite number, got NaN");
  EXPECT_EQ(only_line("[Infinity]"), "f.json:1:2 E_PARSE expected a finite number, got Infinity");
  EXPECT_NE(only_line("[-Infinity]").find("expected a finite number, got -Infinity"), std::string::npos);
  EXPECT_NE(only_line("[1e999]").find("expected a finite number, got 1e999"), std::string::npos);
}

TEST(JsonDocument, RefusesMarksCommentsAndWhatFollows) {
  EXPECT_TRUE(has_code(parse("\xEF\xBB\xBF{}"), "E_PARSE"));
  EXPECT_TRUE(has_code(parse("{} // done"), "E_PARSE"));
  EXPECT_TRUE(has_code(parse("{} {}"), "E_PARSE"));
  EXPECT_TRUE(has_code(parse("{\"a\": \"\xff\"}"), "E_PARSE"));
}

TEST(JsonDocument, FindsEveryDuplicateKeyAndItsFirstPlace) {
  const auto found = parse("{\"a\": 1,\n \"b\": {\"c\\\"\": 1, \"c\\\"\": 2},\n \"a\": 3}");
  ASSERT_EQ(found.size(), 2U) << joined(found);
  EXPECT_EQ(to_string(found[0]), "f.json:2:18 $.b.c\" E_DUP_KEY duplicate key \"c\"\" (first at 2:8)");
  EXPECT_EQ(to_string(found[1]), "f.json:3:2 $.a E_DUP_KEY duplicate key \"a\" (first at 1:2)");
}

TEST(JsonDocument, AllowsTheSameKeyInTwoObjects) {
  EXPECT_TRUE(parse(R"([{"a": 1}, {"a": 2}])").empty());
}

TEST(JsonDocument, StopsAtADepthNoFileNeeds) {
  EXPECT_TRUE(parse(std::string(32, '[') + std::string(32, ']')).empty());
  EXPECT_TRUE(has_code(parse(std::string(33, '[') + std::string(33, ']')), "E_PARSE"));
  EXPECT_TRUE(has_code(parse(std::string(100000, '[')), "E_PARSE"));
}

TEST(JsonDocument, PlacesAComplaintAtTheNearestKnownAncestor) {
  problems found;
  const auto document =
      json_document::parse("f.json", "{\n \"a\": [\n  {\"b\": 1},\n  {\"c\": [7, 8]}\n ]\n}", found);
  ASSERT_TRUE(document);
  const auto place = [&](const std::string& path) {
    const auto p = document->complain(path, "E_X", "x");
    return std::to_string(p.line) + ":" + std::to_string(p.column);
  };
  EXPECT_EQ(place("$.a[0].b"), "3:4");
  EXPECT_EQ(place("$.a[1].c[1]"), "4:4");
  EXPECT_EQ(place("$.a[1].absent"), "4:3");
  EXPECT_EQ(place("$.nowhere.at.all"), "1:1");
}

}  // namespace
}  // namespace selectors::gate
