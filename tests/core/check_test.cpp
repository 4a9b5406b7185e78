// Every limit: values below and at it are accepted, values above are refused with the path of the field.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/task/command.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;

TaskSpec good() { return {.type = "t"}; }

EnqueueTasks enqueue_of(TaskSpec spec) {
  EnqueueTasks command;
  command.tasks.push_back(std::move(spec));
  return command;
}

void expect_ok(const Command& command) {
  const Status status = check(command);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.problem().detail);
}

void expect_refused(const Command& command, const std::string& field,
                    ProblemCode code = ProblemCode::invalid_argument) {
  const Status status = check(command);
  ASSERT_FALSE(status.ok()) << field;
  EXPECT_EQ(status.problem().code, code) << status.problem().detail;
  ASSERT_EQ(status.problem().errors.size(), 1U) << status.problem().detail;
  EXPECT_EQ(status.problem().errors[0].field, field);
  EXPECT_NE(status.problem().detail.find(field), std::string::npos);
}

void expect_spec_ok(auto change) {
  TaskSpec spec = good();
  change(spec);
  expect_ok(enqueue_of(spec));
}
void expect_spec_refused(const std::string& field, auto change,
                         ProblemCode code = ProblemCode::invalid_argument) {
  TaskSpec spec = good();
  change(spec);
  expect_refused(enqueue_of(spec), field, code);
}

std::string characters_of(std::size_t characters, const std::string& one = "ü") {
  std::string text;
  for (std::size_t i = 0; i < characters; ++i) text += one;
  return text;
}
std::string json_of(std::size_t bytes) { return "\"" + std::string(bytes - 2, 'x') + "\""; }

TEST(Check, ValidatesNamespaces) {
  for (const std::string& ns :
       {std::string{"a"}, std::string{"0"}, std::string{"a.b_c-9"}, std::string(63, 'z')}) {
    EXPECT_TRUE(check_namespace(ns).ok()) << ns;
  }
  for (const std::string& ns :
       {std::string{}, std::string(64, 'z'), std::string{"A"}, std::string{"-a"}, std::string{".a"},
        std::string{"_a"}, std::string{"a b"}, std::string{"a/b"}, std::string{"ü"}, std::string{"admin"},
        std::string{"a\0", 2}, std::string{"a\n"}}) {
    EXPECT_FALSE(check_namespace(ns).ok()) << ns;
    EnqueueTasks command = enqueue_of(good());
    command.ns = ns;
    expect_refused(command, "namespace");
    expect_refused(ClaimTasks{.ns = ns, .worker_id = "w"}, "namespace");
    expect_refused(CancelTasks{.ns = ns}, "namespace");
  }
}

TEST(Check, CountsTheCharactersOfNamesAndRejectsControlCharacters) {
  expect_spec_ok([](TaskSpec& spec) { spec.type = characters_of(255); });
  expect_spec_refused("type", [](TaskSpec& spec) { spec.type = characters_of(256); });
  expect_spec_refused("type", [](TaskSpec& spec) { spec.type = ""; });
  expect_spec_ok([](TaskSpec& spec) { spec.queue = characters_of(255, "😀"); });
  expect_spec_refused("queue", [](TaskSpec& spec) { spec.queue = characters_of(256, "q"); });
  expect_spec_ok([](TaskSpec& spec) { spec.type = "a b/c:d%é\"'\\;--"; });
  for (const std::string& bad :
       {std::string{"a\nb"}, std::string{"a\0b", 3}, std::string{"\x7f"}, std::string{"\xc2\x80"},
        std::string{"\xc2\x9f"}, std::string{"\xff"}, std::string{"\xed\xa0\x80"}, std::string{"\t"}}) {
    expect_spec_refused("type", [&](TaskSpec& spec) { spec.type = bad; });
    expect_spec_refused("key", [&](TaskSpec& spec) { spec.key = bad; });
    expect_refused(ClaimTasks{.worker_id = bad}, "worker_id");
  }
  expect_spec_ok([](TaskSpec& spec) { spec.type = "\xc2\xa0"; });
}

TEST(Check, ValidatesKeys) {
  expect_spec_ok([](TaskSpec& spec) { spec.key = characters_of(512); });
  expect_spec_refused("key", [](TaskSpec& spec) { spec.key = characters_of(513); });
  expect_spec_refused("key", [](TaskSpec& spec) { spec.key = ""; });
  expect_spec_ok([](TaskSpec& spec) { spec.idempotency_key = characters_of(512); });
  expect_spec_refused("idempotency_key", [](TaskSpec& spec) { spec.idempotency_key = characters_of(513); });
  expect_spec_refused("idempotency_key", [](TaskSpec& spec) { spec.idempotency_key = ""; });
}

TEST(Check, ValidatesPayloads) {
  expect_spec_ok([](TaskSpec& spec) { spec.payload = {}; });
  expect_spec_ok([](TaskSpec& spec) { spec.payload = {json_of(kPayloadBytesMax)}; });
  const auto too_large = [](TaskSpec& spec) { spec.payload = {json_of(kPayloadBytesMax + 1)}; };
  expect_spec_refused("payload", too_large, ProblemCode::payload_too_large);
  expect_spec_refused("payload", [](TaskSpec& spec) { spec.payload = {"{"}; });
  expect_spec_refused("payload", [](TaskSpec& spec) { spec.payload = {std::string{"\"\0\"", 3}}; });
  expect_spec_refused("payload",
                      [](TaskSpec& spec) { spec.payload = {std::string(65, '[') + std::string(65, ']')}; });
}

TEST(Check, ValidatesPriorities) {
  expect_spec_ok([](TaskSpec& spec) { spec.priority = kPriorityMin; });
  expect_spec_ok([](TaskSpec& spec) { spec.priority = kPriorityMax; });
  expect_spec_ok([](TaskSpec& spec) {
    spec.priority = kSharedPriorityMax;
    spec.fairness_key = "tenant";
  });
  expect_spec_refused("priority", [](TaskSpec& spec) {
    spec.priority = kSharedPriorityMax + 1;
    spec.fairness_key = "tenant";
  });
}

TEST(Check, ValidatesTheRetryPolicy) {
  for (const int attempts : {-2'000'000'000, -1, 1, kAttemptsMax}) {
    expect_spec_ok([=](TaskSpec& spec) { spec.retry.max_attempts = attempts; });
  }
  expect_spec_refused("retry.max_attempts", [](TaskSpec& spec) { spec.retry.max_attempts = 0; });
  expect_spec_refused("retry.max_attempts",
                      [](TaskSpec& spec) { spec.retry.max_attempts = kAttemptsMax + 1; });
  expect_spec_ok([](TaskSpec& spec) { spec.retry.initial_interval = 0s; });
  expect_spec_ok([](TaskSpec& spec) { spec.retry.initial_interval = kDurationMax; });
  expect_spec_refused("retry.initial_interval", [](TaskSpec& spec) { spec.retry.initial_interval = -1us; });
  expect_spec_refused("retry.initial_interval",
                      [](TaskSpec& spec) { spec.retry.initial_interval = kDurationMax + 1us; });
  expect_spec_refused("retry.max_interval", [](TaskSpec& spec) { spec.retry.max_interval = -1us; });
  expect_spec_refused("retry.max_interval",
                      [](TaskSpec& spec) { spec.retry.max_interval = kDurationMax + 1us; });
  for (const double backoff : {1.0, 1.5, kBackoffMax})
    expect_spec_ok([=](TaskSpec& spec) { spec.retry.backoff = backoff; });
  for (const double backoff :
       {0.99, -1.0, kBackoffMax + 1, std::nan(""), std::numeric_limits<double>::infinity()}) {
    expect_spec_refused("retry.backoff", [=](TaskSpec& spec) { spec.retry.backoff = backoff; });
  }
  for (const double jitter : {0.0, 1.0}) expect_spec_ok([=](TaskSpec& spec) { spec.retry.jitter = jitter; });
  for (const double jitter : {-0.01, 1.01, std::nan("")}) {
    expect_spec_refused("retry.jitter", [=](TaskSpec& spec) { spec.retry.jitter = jitter; });
  }
  expect_spec_ok([](TaskSpec& spec) { spec.retry.non_retryable.assign(kNonRetryableMax, "c"); });
  expect_spec_refused("retry.non_retryable",
                      [](TaskSpec& spec) { spec.retry.non_retryable.assign(kNonRetryableMax + 1, "c"); });
  expect_spec_refused("retry.non_retryable[1]", [](TaskSpec& spec) { spec.retry.non_retryable = {"a", ""}; });
  expect_spec_refused("retry.non_retryable[0]",
                      [](TaskSpec& spec) { spec.retry.non_retryable = {characters_of(256)}; });
}

TEST(Check, ValidatesTheTimesOfATask) {
  expect_spec_ok([](TaskSpec& spec) { spec.delay = 0s; });
  expect_spec_ok([](TaskSpec& spec) { spec.delay = kDurationMax; });
  expect_spec_refused("delay", [](TaskSpec& spec) { spec.delay = -1us; });
  expect_spec_refused("delay", [](TaskSpec& spec) { spec.delay = kDurationMax + 1us; });
  expect_spec_ok([](TaskSpec& spec) { spec.run_at = time_from_micros(0); });
  expect_spec_refused("delay", [](TaskSpec& spec) { spec.delay = 1s, spec.run_at = time_from_micros(0); });
  expect_spec_ok([](TaskSpec& spec) { spec.timeout = kTimeoutMin; });
  expect_spec_refused("timeout", [](TaskSpec& spec) { spec.timeout = kTimeoutMin - 1us; });
  expect_spec_refused("timeout", [](TaskSpec& spec) { spec.timeout = 0s; });
  expect_spec_refused("timeout", [](TaskSpec& spec) { spec.timeout = kDurationMax + 1us; });
}

// Times beyond the range of RFC 3339 texts, which stores need not be able to represent.
TEST(Check, RejectsARunAtBeyondTheRangeOfRfc3339) {
  expect_spec_ok([](TaskSpec& spec) { spec.run_at = *parse_time("9999-12-31T23:59:59.999999Z"); });
  expect_spec_refused("run_at", [](TaskSpec& spec) { spec.run_at = TimePoint::max(); });
  expect_spec_refused("run_at", [](TaskSpec& spec) { spec.run_at = TimePoint::min(); });
}

TEST(Check, ValidatesLabels) {
  const auto labels_of = [](std::size_t count) {
    Labels labels;
    for (std::size_t i = 0; i < count; ++i) labels["l" + std::to_string(i)] = "";
    return labels;
  };
  expect_spec_ok([&](TaskSpec& spec) { spec.labels = labels_of(kLabelsMax); });
  expect_spec_refused("labels", [&](TaskSpec& spec) { spec.labels = labels_of(kLabelsMax + 1); });
  expect_spec_refused("labels", [](TaskSpec& spec) { spec.labels = {{"", "x"}}; });
  expect_spec_refused("labels.a", [](TaskSpec& spec) { spec.labels = {{"a", characters_of(513)}}; });
  expect_spec_refused("labels.a", [](TaskSpec& spec) { spec.labels = {{"a", "\xff"}}; });
}

TEST(Check, NamesTheInvalidItemOfABatch) {
  EnqueueTasks batch;
  expect_refused(batch, "tasks");
  batch.tasks.assign(kBatchTasksMax, good());
  expect_ok(batch);
  batch.tasks[6'999].retry.backoff = 0.5;
  expect_refused(batch, "tasks[6999].retry.backoff");
  batch.tasks.assign(kBatchTasksMax + 1, good());
  expect_refused(batch, "tasks");
}

TEST(Check, LimitsTheBytesOfABatch) {
  EnqueueTasks batch;
  batch.tasks.assign(8, good());
  for (TaskSpec& spec : batch.tasks) spec.payload = {json_of(kPayloadBytesMax)};
  expect_ok(batch);
  batch.tasks.push_back(good());
  expect_ok(batch);
  batch.tasks.back().payload = {"1"};
  EXPECT_EQ(check(Command{batch}).problem().code, ProblemCode::payload_too_large);
}

}  // namespace
}  // namespace pawl::core
