// The strict reader: it names every mistake, rejects unknown fields, and keeps payloads byte for byte.
#include "wire/reader.hpp"

#include <gtest/gtest.h>

#include "core/json/json.hpp"
#include "wire/task.hpp"

namespace pawl::wire {
namespace {

std::vector<std::string> mistakes_of(const std::string& body) {
  EXPECT_EQ(core::json_error(body), std::nullopt) << body;
  Mistakes mistakes;
  ObjectReader in{body, "", mistakes};
  (void)read_task_specs(in);
  in.finish();
  std::vector<std::string> found;
  if (!mistakes.any()) return found;
  for (const core::FieldError& error : mistakes.problem().errors)
    found.push_back(error.field + " " + error.message);
  return found;
}

using Found = std::vector<std::string>;

TEST(Reader, NamesThePathOfEachMistake) {
  EXPECT_EQ(mistakes_of(R"({"tasks":[{"type":"a"},{"type":"b","retry":{"backoff":"x"},"priority":1.5}]})"),
            (Found{"tasks[1].priority must be a whole number of at most 64 bits",
                   "tasks[1].retry.backoff must be a number, not a string"}));
}

TEST(Reader, RejectsUnknownFields) {
  EXPECT_EQ(mistakes_of(R"({"tasks":[{"type":"a","prority":1}],"more":1})"),
            (Found{"tasks[0].prority is not a known field", "more is not a known field"}));
}

TEST(Reader, RejectsADuplicateField) {
  EXPECT_EQ(mistakes_of(R"({"tasks":[{"type":"a","type":"b"}]})"), (Found{"tasks[0].type is given twice"}));
}

TEST(Reader, TreatsNullAsAbsent) {
  EXPECT_EQ(mistakes_of(R"({"tasks":[{"type":"a","key":null,"retry":null}]})"), Found{});
  EXPECT_EQ(mistakes_of(R"({"tasks":[{"type":null}]})"), (Found{"tasks[0].type is required"}));
}

TEST(Reader, RejectsAttemptsTogetherWithRetries) {
  EXPECT_EQ(mistakes_of(R"({"tasks":[{"type":"a","max_retries":1,"retry":{"max_attempts":2}}]})"),
            (Found{"tasks[0].max_retries cannot be given together with max_attempts"}));
}

TEST(Reader, ReadsMaxRetriesAsOneAttemptMore) {
  Mistakes mistakes;
  ObjectReader once{R"({"type":"a","max_retries":0})", "", mistakes};
  EXPECT_EQ(read_task_spec(once).retry.max_attempts, 1);
  ObjectReader for_ever{R"({"type":"a","retry":{"max_retries":-1}})", "", mistakes};
  EXPECT_EQ(read_task_spec(for_ever).retry.max_attempts, -1);
  EXPECT_FALSE(mistakes.any());
}

TEST(Reader, KeepsAPayloadByteForByte) {
  const std::string payload = "{ \"b\":1.50,\"a\":[1 ,2],\n\"a\":12345678901234567890, \"s\":\"}\\\"]\" }";
  const std::string body = "{ \"payload\" : " + payload + " , \"type\":\"t\"}";
  Mistakes mistakes;
  ObjectReader in{body, "", mistakes};
  EXPECT_EQ(read_task_spec(in).payload.text, payload);
  in.finish();
  EXPECT_FALSE(mistakes.any());
}

TEST(Reader, ReportsALimitedNumberOfMistakes) {
  std::string body = R"({"tasks":[{"type":"a"})";
  for (int i = 0; i < 100; ++i) body += ",{}";
  EXPECT_EQ(mistakes_of(body + "]}").size(), 20U);
}

TEST(Reader, RequiresAnObject) { EXPECT_EQ(mistakes_of("[1]").front(), " must be an object, not an array"); }

}  // namespace
}  // namespace pawl::wire
