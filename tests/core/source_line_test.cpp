#include "core/source_line.hpp"

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

TEST(SourceLine, IsThatOfTheField) {
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

TEST(SourceLine, OfWhatIsAbsentIsThatOfWhatItWouldStandIn) {
  EXPECT_EQ(line_of(kText, "deadline"), 2);
  EXPECT_EQ(line_of(kText, "tasks[1].activity"), 8);
  EXPECT_EQ(line_of(kText, "tasks[7].id"), 4);
  EXPECT_EQ(line_of(kText, "name.x"), 3);
  EXPECT_EQ(line_of(kText, "tasks[x"), 4);
  EXPECT_EQ(line_of(kText, "tasks[1"), 4);
}

TEST(SourceLine, OfADoubledKeyIsThatOfTheLast) { EXPECT_EQ(line_of("{\"a\":1,\n\"a\":2}", "a"), 2); }

TEST(SourceLine, StandsInTheDetailOfAProblem) {
  Problem problem = invalid_field("tasks[1].after[1]", "there is no task 'c'");
  EXPECT_EQ(with_lines(problem, kText).detail, "line 11: tasks[1].after[1]: there is no task 'c'");
  problem.errors.push_back({.field = "name", .message = "is odd"});
  const Problem both = with_lines(problem, kText);
  EXPECT_EQ(both.detail, "line 11: tasks[1].after[1]: there is no task 'c' (and 1 more)");
  EXPECT_EQ(both.errors[1].line, 3);
}

}  // namespace
}  // namespace pawl::core
