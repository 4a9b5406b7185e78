#include "core/task/task_type.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

// The first field that does not match the schema; empty if the payload matches.
std::string complaint(const std::string& schema, const std::string& payload) {
  const DeclaredType type{{.name = "t", .schema = {schema}}};
  const Status checked = type.check_payload({payload});
  return checked ? "" : checked.problem().errors.at(0).field;
}

std::string refused_schema(const std::string& schema) {
  const Status checked = check(PutTaskType{.type = {.name = "t", .schema = {schema}}});
  return checked ? "" : checked.problem().errors.at(0).field;
}

TEST(TaskType, RequiresItsRequiredFields) {
  const DeclaredType type{{.name = "t", .required = {"user_question"}}};
  EXPECT_TRUE(type.check_payload({R"({"user_question":null})"}).ok());
  EXPECT_EQ(type.check_payload({"{}"}).problem().errors.at(0).field, "payload.user_question");
  EXPECT_EQ(type.check_payload({"[]"}).problem().errors.at(0).field, "payload");
  EXPECT_EQ(type.check_payload({}).problem().errors.at(0).field, "payload") << "nothing reads as null";
}

TEST(TaskType, NamesThePathOfAnInvalidValue) {
  const std::string schema =
      R"({"type":"object","required":["items"],"properties":{"items":{"type":"array","items":)"
      R"({"type":"object","required":["price"],"properties":{"price":{"type":"number","minimum":0}}}}}})";
  EXPECT_EQ(complaint(schema, R"({"items":[{"price":1},{"price":0}]})"), "");
  EXPECT_EQ(complaint(schema, R"({"items":[{"price":1},{"price":-1}]})"), "payload.items[1].price");
  EXPECT_EQ(complaint(schema, R"({"items":[{}]})"), "payload.items[0].price");
  EXPECT_EQ(complaint(schema, R"({"items":{}})"), "payload.items");
  EXPECT_EQ(complaint(schema, R"({})"), "payload.items");
}

TEST(TaskType, ChecksTheLastOfTwoFieldsWithOneName) {
  const std::string schema = R"({"properties":{"n":{"minimum":1}}})";
  EXPECT_EQ(complaint(schema, R"({"n":0,"n":1})"), "");
  EXPECT_EQ(complaint(schema, R"({"n":1,"n":0})"), "payload.n");
}

TEST(TaskType, SupportsTheTypesOfJson) {
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

TEST(TaskType, SupportsEnumsAndBounds) {
  EXPECT_EQ(complaint(R"({"enum":["a",1]})", "1"), "");
  EXPECT_EQ(complaint(R"({"enum":["a",1]})", "2"), "payload");
  EXPECT_EQ(complaint(R"({"maximum":3})", "3"), "");
  EXPECT_EQ(complaint(R"({"maximum":3})", "3.5"), "payload");
  EXPECT_EQ(complaint(R"({"maximum":3})", R"("text")"), "") << "a bound is for numbers";
}

TEST(TaskType, AcceptsAListOfTypes) {
  constexpr const char* kSchema = R"({"type":["integer","null","string"]})";
  for (const char* fits : {"1", "null", R"("a")", "2.0"}) EXPECT_EQ(complaint(kSchema, fits), "") << fits;
  for (const char* fails : {"1.5", "true", "[]", "{}"})
    EXPECT_EQ(complaint(kSchema, fails), "payload") << fails;
  const DeclaredType type{{.name = "t", .schema = {kSchema}}};
  EXPECT_EQ(type.check_payload({"true"}).problem().detail,
            "payload: must be of type integer or null or string");
  EXPECT_EQ(refused_schema(kSchema), "");
  EXPECT_EQ(refused_schema(R"({"type":[]})"), "schema.type");
  EXPECT_EQ(refused_schema(R"({"type":["string","text"]})"), "schema.type[1]");
  EXPECT_EQ(refused_schema(R"({"type":["string","string"]})"), "schema.type[1]");
  EXPECT_EQ(refused_schema(R"({"type":[["string"]]})"), "schema.type[0]");
}

TEST(TaskType, AcceptsAnnotationsAndIgnoresThem) {
  constexpr const char* kSchema =
      R"({"$schema":"https://json-schema.org/draft/2020-12/schema","$comment":"c","title":"An order",)"
      R"("description":"d","deprecated":false,"type":"object","examples":[{"id":"x"}],"properties":)"
      R"({"id":{"type":"integer","title":"Id","default":"none","readOnly":true,"writeOnly":false},)"
      R"("mail":{"type":"string","format":"email"}}})";
  EXPECT_EQ(refused_schema(kSchema), "");
  EXPECT_EQ(complaint(kSchema, R"({"mail":"no address"})"), "");
  EXPECT_EQ(complaint(kSchema, R"({"id":"x"})"), "payload.id");
}

TEST(TaskType, ComparesLargeNumbersExactly) {
  EXPECT_EQ(complaint(R"({"minimum":-1})", "9223372036854775808"), "");
  EXPECT_EQ(complaint(R"({"maximum":-1})", "18446744073709551615"), "payload");
  EXPECT_EQ(complaint(R"({"maximum":9007199254740992.0})", "9007199254740993"), "payload");
}

TEST(TaskType, ChecksNumbersThatNoDoubleCanHold) {
  EXPECT_EQ(complaint(R"({"type":"array"})", "[1e400]"), "");
  EXPECT_EQ(complaint(R"({"maximum":1e400})", "1e401"), "payload");
  EXPECT_EQ(complaint(R"({"enum":[9007199254740993]})", "9007199254740992"), "payload");
  EXPECT_EQ(complaint(R"({"type":"integer"})", "98249283749234923498293171823948729348710298301928331"), "");
}

TEST(TaskType, RejectsNumbersThatNumericCannotHold) {
  EXPECT_EQ(complaint(R"({"type":"array"})", "[1e131071,1e-16383]"), "");
  EXPECT_EQ(complaint(R"({"type":"array"})", "[1e131072]"), "payload");
  EXPECT_EQ(complaint(R"({"type":"array"})", "[1e-16384]"), "payload");
  EXPECT_EQ(complaint(R"({"type":"array"})", R"(["1e999999","\"1e999999",true])"), "");
  EXPECT_EQ(complaint(R"({"type":"array"})", R"(["\\",1e999999])"), "payload");
  EXPECT_EQ(refused_schema(R"({"maximum":1e999999})"), "schema");
}

TEST(TaskType, RejectsAnInvalidOrUnsupportedSchema) {
  EXPECT_EQ(refused_schema(R"({"properties":{"a":{"pattern":"x"}}})"), "schema.properties.a.pattern");
  EXPECT_EQ(refused_schema(R"({"type":"text"})"), "schema.type");
  EXPECT_EQ(refused_schema(R"({"required":[1]})"), "schema.required");
  EXPECT_EQ(refused_schema(R"({"items":[]})"), "schema.items");
  EXPECT_EQ(refused_schema(R"({"minimum":"1"})"), "schema.minimum");
  EXPECT_EQ(refused_schema("[]"), "schema");
  EXPECT_EQ(refused_schema("{"), "schema");
  EXPECT_EQ(refused_schema("{}"), "");
}

// A schema of `size` bytes, most of them in an enum.
std::string schema_of_size(std::size_t size) {
  const std::string start = R"({"enum":[")";
  const std::string end = "\"]}";
  return start + std::string(size - start.size() - end.size(), 'x') + end;
}

TEST(TaskType, HasASchemaOfLimitedSize) {
  const auto checked = [](std::size_t size) {
    return check(PutTaskType{.type = {.name = "t", .schema = {schema_of_size(size)}}});
  };
  EXPECT_TRUE(checked(kSchemaBytesMax).ok());
  const Status refused = checked(kSchemaBytesMax + 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.problem().code, ProblemCode::payload_too_large);
  EXPECT_EQ(refused.problem().detail, "schema: has 65537 bytes, at most 65536 are possible");
}

TEST(TaskType, AbbreviatesALongEnumInErrors) {
  std::string schema = R"({"enum":["value-0")";
  for (int i = 1; i < 1'000; ++i) schema += ",\"value-" + std::to_string(i) + "\"";
  const DeclaredType type{{.name = "t", .schema = {schema + "]}"}}};
  EXPECT_TRUE(type.check_payload({R"("value-999")"}).ok());
  const Status refused = type.check_payload({R"("value-1000")"});
  ASSERT_FALSE(refused);
  EXPECT_LT(refused.problem().detail.size(), 1'100U);
  EXPECT_NE(refused.problem().detail.find(R"(payload: must be one of ["value-0","value-1",)"),
            std::string::npos)
      << refused.problem().detail;
  EXPECT_NE(refused.problem().detail.find("of 1000 values]"), std::string::npos) << refused.problem().detail;
}

TEST(TaskType, ComparesValuesOfAnEnumAsJsonDoes) {
  constexpr const char* kSchema = R"({"enum":[1,2.5,"1",null,true,{"a":[1]},[]]})";
  for (const char* fits : {"1", "1.0", "2.5", "\"1\"", "null", "true", R"({"a":[1.0]})", "[]"})
    EXPECT_EQ(complaint(kSchema, fits), "") << fits;
  for (const char* fails : {"2", "\"2.5\"", "false", R"({"a":[2]})", "{}", "[1]"})
    EXPECT_EQ(complaint(kSchema, fails), "payload") << fails;
}

TEST(TaskType, ChecksAllOfALargePayload) {
  std::string schema = R"({"type":"array","items":{"properties":{"p0":{"type":"string"})";
  for (int i = 1; i < 1'000; ++i) schema += ",\"p" + std::to_string(i) + R"(":{"type":"string"})";
  schema += "}}}";
  std::string payload = "[{}";
  for (int i = 1; i < 100'000; ++i) payload += ",{}";
  EXPECT_EQ(complaint(schema, payload + "]"), "");
  EXPECT_EQ(complaint(schema, payload + R"(,{"p999":1}])"), "payload[100000].p999");
}

TEST(TaskType, FillsInMissingFieldsWithDefaults) {
  TaskSpec spec;
  fill_in({.name = "t", .queue = "q", .priority = 4, .timeout = Duration{7}}, spec);
  EXPECT_EQ(spec.queue, "q");
  EXPECT_EQ(spec.priority, 4);
  EXPECT_EQ(spec.timeout, Duration{7});
  EXPECT_EQ(spec.retry, RetryPolicy{});
}

TEST(TaskType, KeepsGivenFields) {
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
