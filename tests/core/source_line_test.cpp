#include "core/base/source_line.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

constexpr std::string_view kText = R"(
{
  "name": "x",
  "tasks": [
    {"id": "a",
     "retry":
       {"backoff": 1}},
    {
      "id": "b",
      "after": ["a",
                "c"]
    }
  ],
  "a.b": {
    "c": 1
  },
  "a":
    2
})";

TEST(SourceLine, IsTheLineOfTheField) {
  EXPECT_EQ(line_of(kText, ""), 2);
  EXPECT_EQ(line_of(kText, "name"), 3);
  EXPECT_EQ(line_of(kText, "tasks"), 4);
  EXPECT_EQ(line_of(kText, "tasks[0]"), 5);
  EXPECT_EQ(line_of(kText, "tasks[0].id"), 5);
  EXPECT_EQ(line_of(kText, "tasks[0].retry"), 6) << "a key stands for its value";
  EXPECT_EQ(line_of(kText, "tasks[0].retry.backoff"), 7);
  EXPECT_EQ(line_of(kText, "tasks[1].after[1]"), 11);
  EXPECT_EQ(line_of(kText, "a.b.c"), 15) << "the longest key that fits";
  EXPECT_EQ(line_of(kText, "a"), 17);
}

TEST(SourceLine, OfAMissingFieldIsTheLineOfItsParent) {
  EXPECT_EQ(line_of(kText, "deadline"), 2);
  EXPECT_EQ(line_of(kText, "tasks[1].activity"), 8);
  EXPECT_EQ(line_of(kText, "tasks[7].id"), 4);
  EXPECT_EQ(line_of(kText, "name.x"), 3);
  EXPECT_EQ(line_of(kText, "tasks[x"), 4);
  EXPECT_EQ(line_of(kText, "tasks[1"), 4);
}

TEST(SourceLine, OfADuplicateKeyIsTheLineOfTheLast) { EXPECT_EQ(line_of("{\"a\":1,\n\"a\":2}", "a"), 2); }

TEST(SourceLine, IsInTheDetailOfAProblemWithTheRejectedValue) {
  Problem problem = invalid_field("tasks[1].after[1]", "there is no task 'c'");
  EXPECT_EQ(with_places(problem, kText).detail, "line 11: tasks[1].after[1]: there is no task 'c'");
  problem.errors.push_back({.field = "name", .message = "is odd"});
  const Problem both = with_places(problem, kText);
  EXPECT_EQ(both.detail, "line 11: tasks[1].after[1]: there is no task 'c' (and 1 more)");
  EXPECT_EQ(both.errors[1].line, 3);
  EXPECT_EQ(both.errors[1].message, R"(is odd (got "x"))");
}

std::string quoted(const std::string& json, const std::string& field, const std::string& message = "is odd") {
  const Problem problem = with_places(invalid_field(field, message), json);
  return problem.errors.front().message;
}

TEST(RefusedValue, IsQuotedInItsShortestForm) {
  EXPECT_EQ(quoted(R"({"a": {"b": [1,  "x y"]}})", "a"), R"(is odd (got {"b":[1,"x y"]}))");
  EXPECT_EQ(quoted(R"({"a": "say \"hi  you\" "})", "a"), R"(is odd (got "say \"hi  you\" "))");
  EXPECT_EQ(quoted(R"({"a": null})", "a", "is required"), "is required (got null)");
  EXPECT_EQ(quoted(R"({"a": 1e400})", "a"), "is odd (got 1e400)");
}

TEST(RefusedValue, IsTruncatedAtAWholeCharacter) {
  const std::string long_text(1'000, 'x');
  EXPECT_EQ(quoted("{\"a\":\"" + long_text + "\"}", "a"), "is odd (got \"" + std::string(79, 'x') + "…)");
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "ü";
  const std::string message = quoted("{\"a\":\"" + umlauts + "\"}", "a");
  EXPECT_TRUE(message.ends_with("ü…)")) << message;
  EXPECT_LE(message.size(), kQuotedBytesMax + 20);
}

TEST(RefusedValue, IsQuotedOnlyIfItExistsAndTheMessageLacksIt) {
  EXPECT_EQ(quoted(R"({"a":"b"})", "a", "there is no task 'b'"), "there is no task 'b'");
  EXPECT_EQ(quoted(R"({"a":["b"]})", "a", "is a cycle: b -> b"), "is a cycle: b -> b");
  EXPECT_EQ(quoted(R"({"a":1})", "b", "is required"), "is required");
  EXPECT_EQ(quoted(R"({"a":1})", "", "is odd"), "is odd");
}

}  // namespace
}  // namespace pawl::core
