#include "core/task_type.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

// The field that is complained of; empty when the payload fits.
std::string complaint(const std::string& schema, const std::string& payload) {
  const Status checked = check_payload({.name = "t", .schema = {schema}}, {payload});
  return checked ? "" : checked.problem().errors.at(0).field;
}

std::string refused_schema(const std::string& schema) {
  const Status checked = check(PutTaskType{.type = {.name = "t", .schema = {schema}}});
  return checked ? "" : checked.problem().errors.at(0).field;
}

TEST(TaskType, AsksForItsRequiredFields) {
  const TaskType type{.name = "t", .required = {"user_question"}};
  EXPECT_TRUE(check_payload(type, {R"({"user_question":null})"}).ok());
  EXPECT_EQ(check_payload(type, {"{}"}).problem().errors.at(0).field, "payload.user_question");
  EXPECT_EQ(check_payload(type, {"[]"}).problem().errors.at(0).field, "payload");
  EXPECT_EQ(check_payload(type, {}).problem().errors.at(0).field, "payload") << "nothing reads as null";
}

TEST(TaskType, NamesThePathOfWhatDoesNotFit) {
  const std::string schema =
      R"({"type":"object","required":["items"],"properties":{"items":{"type":"array","items":)"
      R"({"type":"object","required":["price"],"properties":{"price":{"type":"number","minimum":0}}}}}})";
  EXPECT_EQ(complaint(schema, R"({"items":[{"price":1},{"price":0}]})"), "");
  EXPECT_EQ(complaint(schema, R"({"items":[{"price":1},{"price":-1}]})"), "payload.items[1].price");
  EXPECT_EQ(complaint(schema, R"({"items":[{}]})"), "payload.items[0].price");
  EXPECT_EQ(complaint(schema, R"({"items":{}})"), "payload.items");
  EXPECT_EQ(complaint(schema, R"({})"), "payload.items");
}

TEST(TaskType, KnowsTheTypesOfJson) {
  struct Case {
    const char* type;
    const char* fits;
    const char* fails;
  };
  for (const Case& one :
       {Case{"object", "{}", "[]"}, Case{"array", "[]", "{}"}, Case{"string", R"("a")", "1"},
        Case{"number", "1.5", R"("1")"}, Case{"integer", "1.0", "1.5"}, Case{"boolean", "true", "0"},
        Case{"null", "null", "0"}}) {
    const std::string schema = std::string{R"({"type":")"} + one.type + R"("})";
    EXPECT_EQ(complaint(schema, one.fits), "") << one.type;
    EXPECT_EQ(complaint(schema, one.fails), "payload") << one.type;
  }
}

TEST(TaskType, KnowsEnumsAndBounds) {
  EXPECT_EQ(complaint(R"({"enum":["a",1]})", "1"), "");
  EXPECT_EQ(complaint(R"({"enum":["a",1]})", "2"), "payload");
  EXPECT_EQ(complaint(R"({"maximum":3})", "3"), "");
  EXPECT_EQ(complaint(R"({"maximum":3})", "3.5"), "payload");
  EXPECT_EQ(complaint(R"({"maximum":3})", R"("text")"), "") << "a bound is for numbers";
}

TEST(TaskType, RefusesASchemaThatWouldNotBeChecked) {
  EXPECT_EQ(refused_schema(R"({"properties":{"a":{"pattern":"x"}}})"), "schema.properties.a.pattern");
  EXPECT_EQ(refused_schema(R"({"type":"text"})"), "schema.type");
  EXPECT_EQ(refused_schema(R"({"required":[1]})"), "schema.required");
  EXPECT_EQ(refused_schema(R"({"items":[]})"), "schema.items");
  EXPECT_EQ(refused_schema(R"({"minimum":"1"})"), "schema.minimum");
  EXPECT_EQ(refused_schema("[]"), "schema");
  EXPECT_EQ(refused_schema("{"), "schema");
  EXPECT_EQ(refused_schema("{}"), "");
}

TEST(TaskType, FillsInWhatWasNotGiven) {
  TaskSpec spec;
  fill_in({.name = "t", .queue = "q", .priority = 4, .timeout = Duration{7}}, spec);
  EXPECT_EQ(spec.queue, "q");
  EXPECT_EQ(spec.priority, 4);
  EXPECT_EQ(spec.timeout, Duration{7});
  EXPECT_EQ(spec.retry, RetryPolicy{});
}

TEST(TaskType, LeavesWhatWasGiven) {
  const TaskType type{.name = "t",
                      .queue = "q",
                      .priority = 4,
                      .retry = RetryPolicy{.max_attempts = 9},
                      .timeout = Duration{7}};
  TaskSpec other;
  other.queue = "mine";
  other.priority = 1;
  other.retry.max_attempts = 2;
  other.timeout = Duration{8};
  fill_in(type, other);
  EXPECT_EQ(other.queue, "mine");
  EXPECT_EQ(other.priority, 1);
  EXPECT_EQ(other.retry.max_attempts, 2);
  EXPECT_EQ(other.timeout, Duration{8});

  TaskSpec same;
  same.given = {.queue = true, .priority = true, .retry = true};
  fill_in(type, same);
  EXPECT_EQ(same.queue, "default");
  EXPECT_EQ(same.priority, 0);
  EXPECT_EQ(same.retry, RetryPolicy{});
}

}  // namespace
}  // namespace pawl::core
