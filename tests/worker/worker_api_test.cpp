// The limits on what a worker accepts from an untrusted server.
#include "worker/worker_api.hpp"

#include <gtest/gtest.h>

#include "core/base/limits.hpp"
#include "tests/support/env.hpp"
#include "tests/support/scripted_server.hpp"

namespace pawl::worker {
namespace {

using testing::response;
using testing::ScriptedServer;

core::ProblemCode claim_code(const std::string& answer, int max) {
  ScriptedServer server{{{answer}}};
  testing::SeededRandom random{1};
  WorkerApi api{{.address = {.host = "127.0.0.1", .port = server.port()}}, "default", random};
  const auto claimed = api.claim({.worker_id = "w", .queues = {"default"}, .max = max});
  EXPECT_FALSE(claimed.ok());
  return claimed ? core::ProblemCode::conflict : claimed.problem().code;
}

std::string length_only(std::size_t bytes) {
  return "HTTP/1.1 200 X\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n";
}

TEST(WorkerApi, RejectsMoreTasksThanRequested) {
  const std::string two = R"({"tasks":[{"id":"1","type":"t"},{"id":"2","type":"t"}]})";
  EXPECT_EQ(claim_code(response(200, two), 1), core::ProblemCode::internal);
  ScriptedServer server{{{response(200, two)}}};
  testing::SeededRandom random{1};
  WorkerApi api{{.address = {.host = "127.0.0.1", .port = server.port()}}, "default", random};
  EXPECT_EQ(api.claim({.worker_id = "w", .queues = {"default"}, .max = 2})->size(), 2U);
}

TEST(WorkerApi, RejectsMoreBytesThanItsTasksCanHave) {
  EXPECT_EQ(claim_code(length_only(4 * core::kPayloadBytesMax), 1), core::ProblemCode::payload_too_large);
  EXPECT_EQ(claim_code(length_only(4 * core::kPayloadBytesMax), 4), core::ProblemCode::unavailable)
      << "the rest of the answer does not come";
}

TEST(WorkerApi, LimitsTheSizeOfOtherResponses) {
  const std::string large = length_only(2U << 20U);
  ScriptedServer server{{{large}, {large}, {large}, {large}}};
  testing::SeededRandom random{1};
  WorkerApi api{{.address = {.host = "127.0.0.1", .port = server.port()}}, "default", random};
  const auto too_large = core::ProblemCode::payload_too_large;
  EXPECT_EQ(api.enlist({}).problem().code, too_large);
  EXPECT_EQ(api.heartbeat("w", {}, std::chrono::seconds{10}).problem().code, too_large);
  EXPECT_EQ(api.await_notices("w", {}).problem().code, too_large);
  EXPECT_EQ(api.report("w", {"{}"}, std::chrono::seconds{10}).problem().code, too_large);
}

TEST(WorkerApi, RejectsNoticesThatAreNotAList) {
  ScriptedServer server{{{response(200, R"({"task_ids":{"a":1}})")}}};
  testing::SeededRandom random{1};
  WorkerApi api{{.address = {.host = "127.0.0.1", .port = server.port()}}, "default", random};
  EXPECT_EQ(api.await_notices("w", {}).problem().code, core::ProblemCode::internal);
}

// The server adds up the counts of heartbeats, and recognizes a resent one by its key.
TEST(WorkerApi, ResendsAHeartbeatWithTheSameIdempotencyKey) {
  const std::string no_reply;
  ScriptedServer server{{{response(200, "{}"), no_reply}, {response(200, "{}")}}};
  testing::SeededRandom random{1};
  {
    WorkerApi api{{.address = {.host = "127.0.0.1", .port = server.port()}}, "default", random};
    EXPECT_TRUE(api.heartbeat("w", {.key = "a", .counts = {.completed = 1}}, std::chrono::seconds{10}).ok());
    EXPECT_TRUE(api.heartbeat("w", {.key = "b", .counts = {.completed = 2}}, std::chrono::seconds{10}).ok());
  }
  const auto& requests = server.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_NE(requests[1].find("idempotency-key: "), std::string::npos) << requests[1];
  EXPECT_EQ(requests[1], requests[2]);
  EXPECT_NE(requests[0], requests[1]);
}

}  // namespace
}  // namespace pawl::worker
