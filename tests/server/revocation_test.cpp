// Waiting calls and streams whose token is revoked.
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/server/auth_fixture.hpp"

namespace pawl::testing {
namespace {

class Revocation : public Auth {
 protected:
  Revocation() {
    admin = token_in(make("admin", "*", ""));
    const std::string made = make("worker", "default", admin);
    token = token_in(made);
    token_id = id_in(made);
  }

  [[nodiscard]] std::string as_holder(const std::string& method, const std::string& path,
                                      const std::string& body = "", const std::string& more = "") const {
    return fmt::format(
        "{} /v1/default/{} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\nAuthorization: Bearer "
        "{}\r\n{}\r\n{}",
        method, path, body.size(), token, more, body);
  }
  void await_waiting(std::size_t count) const {
    while (front.revocations().size() != count) std::this_thread::yield();
  }
  void revoke() const {
    ASSERT_EQ(status_of(send("DELETE", "/v1/admin/tokens/" + token_id, "", admin)), 200);
  }
  // On another node, without a notification to this one.
  void revoke_elsewhere() {
    ASSERT_TRUE(runtime.api().revoke_token({.id = token_id, .by = {.id = "elsewhere"}}).ok());
  }
  [[nodiscard]] std::string start_run() const {
    const std::string worker = R"({"worker_id":"x","workflow_types":["w"]})";
    EXPECT_EQ(status_of(send("POST", "/v1/default/workers", worker, admin)), 201);
    const std::string started = send("POST", "/v1/default/workflows/w/start", "", admin);
    EXPECT_EQ(status_of(started), 201) << started;
    return id_in(started);
  }

  std::string admin;
  std::string token;
  std::string token_id;
};

constexpr auto kWaitingClaim = R"({"worker_id":"w","wait":"60s"})";

TEST_F(Revocation, EndsAWaitingClaimWithoutATask) {
  RawClient client{front.port()};
  client.send(as_holder("POST", "tasks/claim", kWaitingClaim));
  while (runtime.engine().waiters().size() == 0) std::this_thread::yield();
  revoke();
  EXPECT_EQ(status_of(client.receive()), 401);
  while (runtime.engine().waiters().size() != 0) std::this_thread::yield();
  const auto task = runtime.api().enqueue("default", {.type = "t"});
  EXPECT_EQ(runtime.api().get_task("default", task->task.id)->task.status, core::TaskStatus::pending);
}

TEST_F(Revocation, EndsAWaitingClaimOnEveryNode) {
  RawClient client{front.port()};
  client.send(as_holder("POST", "tasks/claim", kWaitingClaim));
  while (runtime.engine().waiters().size() == 0) std::this_thread::yield();
  revoke_elsewhere();
  EXPECT_EQ(status_of(client.receive()), 401);
}

TEST_F(Revocation, EndsAWaitForAResult) {
  const std::string run = start_run();
  RawClient client{front.port()};
  client.send(as_holder("GET", "runs/" + run + "/result?wait=60s"));
  await_waiting(1);
  revoke_elsewhere();
  EXPECT_EQ(status_of(client.receive()), 401);
}

TEST_F(Revocation, EndsAWaitForNotices) {
  RawClient client{front.port()};
  client.send(as_holder("GET", "workers/w/notices?wait=60s"));
  await_waiting(1);
  revoke_elsewhere();
  EXPECT_EQ(status_of(client.receive()), 401);
}

TEST_F(Revocation, EndsStreamsOfEvents) {
  const std::string run = start_run();
  for (const std::string& path : {std::string{"queues"}, "runs/" + run + "/events"}) {
    const std::string made = make("viewer", "default", admin);
    token = token_in(made);
    token_id = id_in(made);
    RawClient client{front.port()};
    client.send(as_holder("GET", path, "", "Accept: text/event-stream\r\n"));
    EXPECT_EQ(status_of(client.receive_until("data:")), 200) << path;
    revoke_elsewhere();
    (void)client.receive_all();  // until it is closed
    EXPECT_TRUE(client.is_closed()) << path;
  }
}

TEST_F(Revocation, EndsTheWaitsOfAnExpiredToken) {
  const std::string expiry = core::format_time(clock.now() + std::chrono::hours{1});
  token = token_in(make("worker", "default", admin, R"(,"expires_at":")" + expiry + "\""));
  RawClient client{front.port()};
  client.send(as_holder("GET", "workers/w/notices?wait=60s"));
  await_waiting(1);
  clock.step(std::chrono::hours{1});
  EXPECT_EQ(status_of(client.receive()), 401);
}

TEST_F(Revocation, DoesNotAffectTheWaitsOfOtherTokens) {
  const std::string other = make("worker", "default", admin);
  RawClient client{front.port()};
  client.send(as_holder("POST", "tasks/claim", kWaitingClaim));
  while (runtime.engine().waiters().size() == 0) std::this_thread::yield();
  ASSERT_EQ(status_of(send("DELETE", "/v1/admin/tokens/" + id_in(other), "", admin)), 200);
  ASSERT_TRUE(runtime.api().enqueue("default", {.type = "t"}).ok());
  const std::string answer = client.receive();
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_NE(answer.find(R"("status":"claimed")"), std::string::npos) << answer;
  await_waiting(0);
}

// The server checks the token once more after the wait, however it ended. An Idempotency-Key does not bypass
// the check.
class RevocationInTheSameMoment : public Revocation, public ::testing::WithParamInterface<const char*> {};

TEST_P(RevocationInTheSameMoment, PreventsTheResponse) {
  RawClient client{front.port()};
  client.send(as_holder("POST", "tasks/claim", kWaitingClaim, GetParam()));
  while (runtime.engine().waiters().size() == 0) std::this_thread::yield();
  revoke_elsewhere();
  const auto task = runtime.api().enqueue("default", {.type = "t"});
  const int status = status_of(client.receive());
  const auto status_now = [&] { return runtime.api().get_task("default", task->task.id)->task.status; };
  if (status == 401) {
    while (status_now() != core::TaskStatus::pending) std::this_thread::yield();  // until it is released
  } else {
    EXPECT_EQ(status_now(), core::TaskStatus::claimed) << "within the second of a revocation elsewhere";
  }
}

INSTANTIATE_TEST_SUITE_P(Claims, RevocationInTheSameMoment, ::testing::Values("", "Idempotency-Key: k\r\n"),
                         [](const auto& suite) {
                           return std::string{*suite.param == '\0' ? "WithoutAKey" : "WithAKey"};
                         });

}  // namespace
}  // namespace pawl::testing
