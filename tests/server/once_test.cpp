// The Idempotency-Key header.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/sha256.hpp"
#include "tests/server/fixture.hpp"

namespace pawl::testing {
namespace {

class Once : public ServerTest {
 protected:
  std::string ask(const std::string& body, const std::string& key, const std::string& path = "/tasks") const {
    RawClient client{front.port()};
    client.send(post("/v1/default" + path, body, "Idempotency-Key: " + key + "\r\n"));
    return client.receive();
  }
  // Sends a request twice: the second response repeats the first, and says that it is a replay.
  void expect_replay(const std::string& body, const std::string& key, const std::string& path) const {
    SCOPED_TRACE(path);
    const std::string first = ask(body, key, path);
    const std::string second = ask(body, key, path);
    EXPECT_LT(status_of(first), 300) << first;
    EXPECT_EQ(first.find("Idempotent-Replay"), std::string::npos);
    EXPECT_NE(second.find("Idempotent-Replay: true"), std::string::npos) << second;
    EXPECT_EQ(status_of(first), status_of(second));
    EXPECT_EQ(body_of(first), body_of(second));
  }
  static std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n")); }
  std::size_t tasks() { return runtime.api().list_tasks({})->items.size(); }
};

TEST_F(Once, TheSameRequestGetsTheStoredResponse) {
  const std::string first = ask(R"({"type":"a"})", "k1");
  const std::string second = ask(R"({"type":"a"})", "k1");
  EXPECT_EQ(status_of(first), 201);
  EXPECT_EQ(status_of(second), 201);
  EXPECT_EQ(body_of(first), body_of(second));
  EXPECT_EQ(first.find("Idempotent-Replay"), std::string::npos);
  EXPECT_NE(second.find("Idempotent-Replay: true"), std::string::npos);
  EXPECT_EQ(tasks(), 1U);
}

TEST_F(Once, ADifferentRequestIsRejected) {
  (void)ask(R"({"type":"a"})", "k1");
  EXPECT_EQ(status_of(ask(R"({"type":"b"})", "k1")), 422);
  EXPECT_EQ(tasks(), 1U);
}

TEST_F(Once, ARejectedRequestMayBeRetried) {
  EXPECT_EQ(status_of(ask(R"({"typ":"a"})", "k1")), 400);
  EXPECT_EQ(status_of(ask(R"({"type":"a"})", "k1")), 201);
  EXPECT_EQ(tasks(), 1U);
}

TEST_F(Once, HoldsForSchedules) {
  expect_replay(R"({"name":"s","every":"1h","task":{"type":"t"}})", "create", "/schedules");
  expect_replay("{}", "pause", "/schedules/s/pause");
  expect_replay("{}", "resume", "/schedules/s/resume");
  expect_replay("{}", "trigger", "/schedules/s/trigger");
}

TEST_F(Once, HoldsForSteps) {
  const std::string started = ask(R"({"kind":"code"})", "start", "/workflows/order/start");
  const std::string run = started.substr(started.find(R"("id":")") + 6, 36);
  ASSERT_EQ(status_of(ask(R"({"worker_id":"w","wait":"20s"})", "claim", "/tasks/claim")), 200);
  const std::string steps = "/runs/" + run + "/steps/";
  expect_replay(R"({"fence":1,"kind":"function"})", "begin", steps + "a/begin");
  expect_replay(R"({"fence":1,"error":{"code":"boom","message":"no"}})", "fail", steps + "b/fail");
  expect_replay(R"({"fence":1,"output":1})", "complete", steps + "a/complete");
}

TEST_F(Once, AKeyMayHaveAllItsCharacters) {
  expect_replay(R"({"type":"a"})", std::string(512, 'k'), "/tasks");
  EXPECT_EQ(status_of(ask(R"({"type":"a"})", std::string(513, 'k'))), 400);
}

TEST_F(Once, HoldsForEveryPostOfATask) {
  expect_replay(R"({"tasks":[{"type":"a"},{"type":"b"}]})", "batch", "/tasks/batch");
  expect_replay(R"({"worker_id":"w","max":1})", "claim", "/tasks/claim");
  EXPECT_EQ(runtime.api().list_tasks({.query = {.statuses = {core::TaskStatus::claimed}}})->items.size(), 1U);
  const core::Task held = runtime.api().list_tasks({.query = {.worker_id = "w"}})->items.at(0);
  const std::string id = to_string(held.id);
  expect_replay(R"({"task_id":")" + id + R"(","type":"manual_checkpoint","snapshot":1})", "note",
                "/checkpoints");
  EXPECT_EQ(runtime.api().list_checkpoints("default", held.id)->size(), 1U);
  const std::string report = R"({"worker_id":"w","reports":[{"task_id":")" + id +
                             R"(","fence":1,"action":"heartbeat","lease":"1h"}]})";
  expect_replay(report, "reports", "/tasks/report");
  expect_replay(R"({"worker_id":"w","fence":1})", "complete", "/tasks/" + id + "/complete");
  const core::Task other = runtime.api().list_tasks({.query = {.type = "b"}})->items.at(0);
  const std::string path = "/tasks/" + to_string(other.id) + "/cancel";
  expect_replay("", "cancel", path);
  expect_replay(R"({"filter":{"type":"c"}})", "bulk", "/tasks/cancel");
}

TEST_F(Once, HoldsForEveryPostOfARecord) {
  expect_replay(R"({"holder":"h"})", "acquire", "/leases/l/acquire");
  expect_replay(R"({"holder":"h","fence":1})", "release", "/leases/l/release");
  expect_replay(R"({"request_hash":"sha256:1"})", "begin", "/idempotency/k/begin");
  expect_replay(R"({"hostname":"h","pid":1})", "register", "/workers");
  const std::string id = runtime.api().list_workers({})->items.at(0).worker_id;
  expect_replay(R"({"completed_delta":2})", "beat", "/workers/" + id + "/heartbeat");
  EXPECT_EQ(runtime.api().get_worker("default", id)->total_completed, 2);
  expect_replay("", "drain", "/workers/" + id + "/drain");
}

TEST_F(Once, HoldsForAdministrationToo) {
  const auto ask_admin = [this](const std::string& path, const std::string& body) {
    RawClient client{front.port()};
    client.send(post("/v1/admin/" + path, body, "Idempotency-Key: k-" + path + "\r\n"));
    return client.receive();
  };
  const std::string swept = ask_admin("sweep", R"({"check":"leases"})");
  EXPECT_EQ(status_of(swept), 200) << swept;
  const std::string swept_again = ask_admin("sweep", R"({"check":"leases"})");
  EXPECT_EQ(body_of(swept), body_of(swept_again));
  EXPECT_NE(swept_again.find("Idempotent-Replay: true"), std::string::npos) << swept_again;
  EXPECT_EQ(status_of(ask_admin("sweep", R"({"check":"stuck"})")), 422);
}

TEST_F(Once, AStoredReplyInAnotherFormIsIgnored) {
  const std::string body = R"({"type":"a"})";
  const std::string hash = "sha256:" + core::sha256_hex("POST /v1/default/tasks\n" + body);
  ASSERT_TRUE(runtime.api().begin_idempotency({.key = "http:k", .request_hash = hash}).ok());
  ASSERT_TRUE(runtime.api().complete_idempotency({.key = "http:k", .response = {R"({"other":1})"}}).ok());
  const std::string answer = ask(body, "k");
  EXPECT_EQ(status_of(answer), 409) << answer;
  EXPECT_FALSE(nlohmann::json::parse(body_of(answer)).at("request_id").get<std::string>().empty()) << answer;
  EXPECT_EQ(tasks(), 0U);
}

// The secret is returned once and not stored, so a replayed response lacks it.
TEST_F(Once, ATokenIsCreatedOnceAndItsSecretShownOnce) {
  const std::string wish = R"({"role":"admin","namespaces":["*"],"name":"ops"})";
  RawClient first{front.port()};
  first.send(post("/v1/admin/tokens", wish, "Idempotency-Key: t\r\n"));
  const auto made = nlohmann::json::parse(body_of(first.receive()));
  const std::string token = made.at("token");
  RawClient second{front.port()};
  second.send(
      post("/v1/admin/tokens", wish, "Idempotency-Key: t\r\nAuthorization: Bearer " + token + "\r\n"));
  const std::string again = second.receive();
  EXPECT_EQ(status_of(again), 201) << again;
  EXPECT_NE(again.find("Idempotent-Replay: true"), std::string::npos) << again;
  const auto replayed = nlohmann::json::parse(body_of(again));
  EXPECT_EQ(replayed.at("id"), made.at("id"));
  EXPECT_TRUE(replayed.at("token").is_null());
  EXPECT_EQ(runtime.api().list_tokens({})->items.size(), 1U);
}

TEST_F(Once, ASecondRequestIsRejectedWhileTheFirstIsRunning) {
  RawClient waiting{front.port()};
  waiting.send(
      post("/v1/default/tasks/claim", R"({"worker_id":"w","wait":"30s"})", "Idempotency-Key: k\r\n"));
  while (runtime.engine().waiters().size() == 0) {
  }
  EXPECT_EQ(status_of(ask(R"({"worker_id":"w","wait":"30s"})", "k", "/tasks/claim")), 409);
  ASSERT_TRUE(runtime.api().enqueue("default", {.type = "t"}).ok());
  EXPECT_EQ(status_of(waiting.receive()), 200);
  EXPECT_NE(ask(R"({"worker_id":"w","wait":"30s"})", "k", "/tasks/claim").find("Idempotent-Replay: true"),
            std::string::npos);
}

TEST_F(Once, AKeyThatIsTooLongIsRejected) {
  EXPECT_EQ(status_of(ask(R"({"type":"a"})", std::string(513, 'k'))), 400);
  EXPECT_EQ(tasks(), 0U);
}

}  // namespace
}  // namespace pawl::testing
