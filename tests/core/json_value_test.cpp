// Splitting JSON text into its parts, and its canonical form.
#include "core/json/json_value.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

TEST(JsonValue, LosesWhitespaceOnlyOutsideOfStrings) {
  EXPECT_EQ(compacted(" { \"a b\" : [ 1 , \"x \\\" y\" ,\n\ttrue ] } "), R"({"a b":[1,"x \" y",true]})");
  EXPECT_EQ(compacted(" 1.50 "), "1.50");
  EXPECT_EQ(compacted(""), "");
}

TEST(JsonValue, HasOneCanonicalForm) {
  const auto spelled = [](std::string_view value) { return canonical(value, NumberForm::as_spelled); };
  EXPECT_EQ(spelled(R"({"b":1, "a":{"d":[2,1],"c":null}})"), R"({"a":{"c":null,"d":[2,1]},"b":1})");
  EXPECT_EQ(spelled("[]"), "[]");
  EXPECT_EQ(spelled("{}"), "{}");
  EXPECT_EQ(spelled("[[],{},[{}]]"), "[[],{},[{}]]");
  EXPECT_EQ(spelled(R"("\u0041\/\n")"), R"("A/\u000a")");
  EXPECT_EQ(spelled("[1, 1.0]"), "[1,1.0]") << "the spelling of numbers is kept";
  EXPECT_EQ(spelled(R"({"":2,"{":1})"), R"({"":2,"{":1})");
}

TEST(JsonValue, ComparedByValueIgnoresTheSpellingOfNumbers) {
  const auto form = [](std::string_view value) { return canonical(value, NumberForm::by_value); };
  EXPECT_EQ(form(R"({"a":1,"b":[1.50]})"), form(R"({"b":[15e-1],"a":1.0})"));
  EXPECT_NE(form("1"), form("\"1\""));
  EXPECT_NE(form("9007199254740993"), form("9007199254740992"));
}

TEST(JsonValue, HasADepth) {
  EXPECT_EQ(depth_of("1"), 0);
  EXPECT_EQ(depth_of(R"("[[[")"), 0);
  EXPECT_EQ(depth_of("[]"), 1);
  EXPECT_EQ(depth_of(R"([{"a":[]},[]])"), 3);
}

TEST(JsonValue, DecodesEscapes) { EXPECT_EQ(text_of(R"("a\u00e4\ud83d\ude00\n\/\"\\")"), "aä😀\n/\"\\"); }

TEST(JsonValue, KeepsThePositionOfAKey) {
  const std::string text = R"({"a":1, "\u0062":[2]})";
  const auto members = members_of(text);
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[1].key, "b");
  EXPECT_EQ(members[1].name, R"("\u0062")");
  EXPECT_EQ(members[1].value, "[2]");
}

}  // namespace
}  // namespace pawl::core
