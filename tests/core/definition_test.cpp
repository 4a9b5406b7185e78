// Definitions: parsing, writing, and a hash that depends on the content alone.
#include "core/definition/definition.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/limits.hpp"
#include "tests/core/definitions.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

TEST(Definition, IsParsedWithAllFields) {
  const auto parsed = parse_definition(testing::kOrderFulfilment);
  ASSERT_TRUE(parsed) << parsed.problem().detail;
  const Definition& order = *parsed;
  EXPECT_EQ(order.name, "order-fulfillment");
  EXPECT_EQ(order.deadline, Duration{1h});
  EXPECT_EQ(order.on_failure, OnFailure::compensate);
  EXPECT_EQ(order.output.text, R"({"$ref":"#/tasks/ship_order/output"})");
  ASSERT_EQ(order.tasks.size(), 8U);

  const DefinitionTask& payment = order.tasks[1];
  EXPECT_EQ(payment.id, "process_payment");
  EXPECT_EQ(payment.type, NodeType::activity);
  EXPECT_EQ(payment.activity, "payment.charge");
  EXPECT_EQ(payment.after, std::vector<std::string>{"reserve_inventory"});
  EXPECT_EQ(payment.compensate, "refund_payment");
  EXPECT_EQ(
      payment.input.text,
      R"({"amount":{"$ref":"#/input/total"},"reservation":{"$ref":"#/tasks/reserve_inventory/output/id"}})");
  ASSERT_TRUE(payment.retry);
  EXPECT_EQ(payment.retry->max_attempts, 3);
  EXPECT_EQ(payment.timeout, Duration{30s});

  EXPECT_EQ(order.tasks[2].signal, "approved");
  EXPECT_EQ(order.tasks[3].duration, Duration{10s});
  EXPECT_EQ(order.tasks[4].for_each.text, R"({"$ref":"#/input/parcels"})");
  EXPECT_EQ(order.tasks[4].when.text, R"({"$eq":[{"$ref":"#/tasks/approval/output/ok"},true]})");
  EXPECT_EQ(order.tasks[5].workflow, "notify-customer");
  EXPECT_TRUE(order.tasks[5].continue_on_error);
  EXPECT_EQ(order.tasks[6].type, NodeType::compensation);
}

TEST(Definition, CompensatesOnFailureIfItHasCompensations) {
  const auto of = [](const std::string& more, const std::string& task_more) {
    const auto parsed = parse_definition(fmt::format(
        R"({{"name":"x"{},"tasks":[{{"id":"a","activity":"t"{}}},{{"id":"u","activity":"t","type":"{}"}}]}})",
        more, task_more, task_more.empty() ? "activity" : "compensation"));
    return parsed ? parsed->on_failure : throw std::runtime_error(parsed.problem().detail);
  };
  EXPECT_EQ(of("", ""), OnFailure::fail);
  EXPECT_EQ(of("", R"(,"compensate":"u")"), OnFailure::compensate);
  EXPECT_EQ(of(R"(,"on_failure":"fail")", R"(,"compensate":"u")"), OnFailure::fail);
  EXPECT_EQ(of(R"(,"on_failure":"compensate")", ""), OnFailure::compensate);
}

TEST(Definition, GetsItsNameFromThePath) {
  const std::string nameless = R"({"tasks":[{"id":"a","activity":"t"}]})";
  EXPECT_EQ(parse_definition(nameless, "x")->name, "x");
  EXPECT_EQ(parse_definition(nameless).problem().detail, "line 1: name: is required");
  const std::string named = R"({"name":"y","tasks":[{"id":"a","activity":"t"}]})";
  EXPECT_EQ(parse_definition(named, "y")->name, "y");
  EXPECT_EQ(parse_definition(named, "x").problem().detail,
            "line 1: name: must be the name in the path, 'x' (got \"y\")");
}

TEST(Definition, RoundTripsThroughItsText) {
  const auto order = parse_definition(testing::kOrderFulfilment);
  ASSERT_TRUE(order);
  const auto again = parse_definition(definition_text(*order));
  ASSERT_TRUE(again) << again.problem().detail;
  EXPECT_EQ(*again, *order);

  Definition full = *order;
  full.tasks[0].queue = "fast";
  full.tasks[0].priority = -5;
  full.tasks[0].labels = {{"team", "a \"b\""}};
  full.tasks[0].retry = RetryPolicy{.max_attempts = -1,
                                    .initial_interval = 1500us,
                                    .backoff = 1.1,
                                    .max_interval = 1h,
                                    .jitter = 0.123456789,
                                    .non_retryable = {"x", "y"}};
  const auto full_again = parse_definition(definition_text(full));
  ASSERT_TRUE(full_again) << full_again.problem().detail;
  EXPECT_EQ(*full_again, full);
}

std::string hash_of(const std::string& text) {
  const auto parsed = parse_definition(text);
  return parsed ? definition_hash(*parsed) : parsed.problem().detail;
}

TEST(Definition, HasAHashIndependentOfFormatting) {
  const std::string plain =
      R"({"name":"x","deadline":"60s","tasks":[{"id":"a","activity":"t","input":{"a":1,"b":[2]}},{"id":"b","activity":"t","after":["a"]}]})";
  EXPECT_EQ(hash_of(plain).size(), 64U);
  for (
      const char* other : {
          "{\"tasks\" : [ {\"activity\":\"t\", \"id\":\"a\",\n \"input\":{\"b\":[ 2 ],\"a\":1}},"
          "{\"id\":\"b\",\"after\":[\"a\"],\"activity\":\"t\"}],\n\"deadline\":\"60s\",\"name\":\"x\"}",
          R"({"name":"x","deadline":"1m","on_failure":"fail","output":null,"tasks":[{"id":"a","type":"activity","activity":"\u0074","on_error":"fail","after":[],"input":{"a":1,"b":[2]}},{"id":"b","activity":"t","after":["a"],"labels":{}}]})",
      }) {
    EXPECT_EQ(hash_of(other), hash_of(plain)) << other;
  }
}

TEST(Definition, HasADifferentHashForDifferentContent) {
  const std::string plain =
      R"({"name":"x","tasks":[{"id":"a","activity":"t","input":{"n":1}},{"id":"b","activity":"t"}]})";
  for (
      const char* other : {
          R"({"name":"y","tasks":[{"id":"a","activity":"t","input":{"n":1}},{"id":"b","activity":"t"}]})",
          R"({"name":"x","tasks":[{"id":"b","activity":"t"},{"id":"a","activity":"t","input":{"n":1}}]})",
          R"({"name":"x","tasks":[{"id":"a","activity":"t","input":{"n":1.0}},{"id":"b","activity":"t"}]})",
          R"({"name":"x","tasks":[{"id":"a","activity":"t","input":{"n":1}},{"id":"b","activity":"t","after":["a"]}]})",
          R"({"name":"x","tasks":[{"id":"a","activity":"t","input":{"n":1}},{"id":"b","activity":"t","retry":{}}]})",
          R"({"name":"x","on_failure":"compensate","tasks":[{"id":"a","activity":"t","input":{"n":1}},{"id":"b","activity":"t"}]})",
      }) {
    ASSERT_EQ(hash_of(other).size(), 64U) << other << hash_of(other);
    EXPECT_NE(hash_of(other), hash_of(plain)) << other;
  }
}

// Stores keep the hash, so it must never change for an existing definition.
TEST(Definition, HasAStableHash) {
  EXPECT_EQ(hash_of(std::string{testing::kOrderFulfilment}),
            "9f0774ae03294c64164d3065b63ab1e5d692f316c9f481d720bc6d05eba3815d");
}

std::string large_definition(std::size_t tasks, std::size_t edges_each) {
  std::string text = R"({"name":"large","tasks":[)";
  for (std::size_t i = 0; i < tasks; ++i) {
    text += fmt::format(R"({}{{"id":"t{}","activity":"a","after":[)", i == 0 ? "" : ",\n", i);
    for (std::size_t j = 0; j < std::min(i, edges_each); ++j)
      text += fmt::format(R"({}"t{}")", j == 0 ? "" : ",", i - 1 - j);
    text += fmt::format(R"(],"input":{{"$ref":"#/{}"}}}})",
                        i == 0 ? "input" : fmt::format("tasks/t{}/output", i / 2));
  }
  return text + "]}";
}

TEST(Definition, WithTenThousandTasksAndAHundredThousandEdgesIsParsed) {
  const auto parsed = parse_definition(large_definition(kDefinitionTasksMax, 10));
  ASSERT_TRUE(parsed) << parsed.problem().detail;
  EXPECT_EQ(parsed->tasks.size(), kDefinitionTasksMax);
}

TEST(Definition, WithTooManyTasksIsRejected) {
  const auto parsed = parse_definition(large_definition(kDefinitionTasksMax + 1, 1));
  ASSERT_FALSE(parsed);
  EXPECT_TRUE(parsed.problem().detail.starts_with("line 1: tasks: has 10001 tasks, at most 10000 can be"));
  EXPECT_LT(parsed.problem().detail.size(), 200U) << "the value is cut";
}

TEST(Definition, IsRejectedIfTooLarge) {
  const auto parsed = parse_definition(std::string(kDefinitionBytesMax + 1, ' '));
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.problem().code, ProblemCode::payload_too_large);
}

}  // namespace
}  // namespace pawl::core
