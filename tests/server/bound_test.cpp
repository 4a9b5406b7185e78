// Tokens that are bound to queues, and workers that belong to a token, beyond the matrix.
#include <thread>

#include <gtest/gtest.h>

#include "tests/server/bound_fixture.hpp"

namespace pawl::testing {
namespace {

TEST_F(BoundTokens, AreNotCreatedForRolesThatReadAllQueues) {
  for (const auto* role : {"viewer", "operator", "admin"}) {
    const std::string refused = make(role, "default", admin, R"(,"queues":["mine"])");
    EXPECT_EQ(status_of(refused), 400) << role;
    EXPECT_NE(refused.find(R"("field":"queues")"), std::string::npos) << refused;
  }
}

TEST_F(BoundTokens, ListOnlyTheirTasksAndQueues) {
  const std::string tasks = call(bound, "GET", "tasks");
  EXPECT_EQ(status_of(tasks), 200);
  EXPECT_NE(tasks.find("of mine"), std::string::npos) << tasks;
  EXPECT_EQ(tasks.find("of vault"), std::string::npos) << tasks;
  const std::string queues = call(bound, "GET", "queues");
  EXPECT_NE(queues.find(R"("name":"mine")"), std::string::npos) << queues;
  EXPECT_EQ(queues.find("vault"), std::string::npos) << queues;
  const std::string workers = call(bound, "GET", "workers");
  EXPECT_NE(workers.find("worker-of-mine"), std::string::npos) << workers;
  EXPECT_EQ(workers.find("vault"), std::string::npos) << workers;
}

TEST_F(BoundTokens, WithSeveralQueuesListTheTasksOfOneAtATime) {
  const std::string both = token_in(make("worker", "default", admin, R"(,"queues":["mine","other"])"));
  EXPECT_EQ(status(both, "GET", "tasks"), 400);
  EXPECT_EQ(status(both, "GET", "tasks?queue=mine"), 200);
  EXPECT_EQ(status(both, "GET", "tasks?queue=vault"), 403);
}

TEST_F(BoundTokens, CannotReadATaskOfAnotherQueueByItsIdempotencyKey) {
  const std::string same = R"("type":"t","idempotency_key":"k","payload":"of vault")";
  ASSERT_EQ(status(free, "POST", "tasks", fmt::format(R"({{{},"queue":"vault"}})", same)), 201);
  const std::string answer =
      call(bound, "POST", "tasks", R"({"type":"t","idempotency_key":"k","queue":"mine"})");
  EXPECT_EQ(status_of(answer), 403) << answer;
  EXPECT_EQ(answer.find("of vault"), std::string::npos) << answer;
}

TEST_F(BoundTokens, CannotReadARunOfAnotherQueueByItsKey) {
  const std::string path = "workflows/" + vault.workflow + "/start";
  const std::string answer = call(bound, "POST", path, R"({"queue":"mine","run_key":"r"})");
  EXPECT_EQ(status_of(answer), 403) << answer;
  EXPECT_EQ(answer.find("of vault"), std::string::npos) << answer;
}

TEST_F(BoundTokens, CannotStartADefinition) {
  ASSERT_EQ(status(admin, "PUT", "definitions/payout",
                   R"({"tasks":[{"id":"pay","activity":"t","queue":"vault"}]})"),
            201);
  EXPECT_EQ(status(bound, "POST", "workflows/payout/start", R"({"queue":"mine"})"), 403);
  EXPECT_EQ(status(free, "POST", "workflows/payout/start", R"({"queue":"mine"})"), 201);
  const std::string child = R"({"fence":1,"kind":"child","input":{"workflow":"payout"}})";
  EXPECT_EQ(status(bound, "POST", "runs/" + mine.run + "/steps/pay/begin", child), 403);
}

TEST_F(BoundTokens, CannotStartAStepInAnotherQueue) {
  const std::string step = "runs/" + mine.run + "/steps/";
  const std::string task = R"({{"fence":1,"kind":"task","input":{{"type":"{}","queue":"{}"}}}})";
  EXPECT_EQ(status(bound, "POST", step + "a/begin", fmt::format(fmt::runtime(task), "t", "vault")), 403);
  EXPECT_EQ(status(bound, "POST", step + "b/begin", fmt::format(fmt::runtime(task), "t", "mine")), 200);
  const std::string child =
      R"({"fence":1,"kind":"child","input":{"workflow":"flow-of-mine","queue":"vault"}})";
  EXPECT_EQ(status(bound, "POST", step + "c/begin", child), 403);
  ASSERT_EQ(status(admin, "PUT", "types/typed", R"({"queue":"vault"})"), 200);
  const std::string typed = R"({"fence":1,"kind":"task","input":{"type":"typed"}})";
  EXPECT_EQ(status(bound, "POST", step + "d/begin", typed), 403) << "where its type sends it counts";
}

TEST_F(BoundTokens, CannotExtendOrEndAnOpenRun) {
  EXPECT_EQ(status(bound, "POST", "runs/" + open_run + "/complete"), 403);
  EXPECT_EQ(status(bound, "GET", "runs/" + open_run), 403);
  const std::string task = fmt::format(R"({{"type":"t","queue":"mine","run_id":"{}"}})", open_run);
  EXPECT_EQ(status(bound, "POST", "tasks", task), 403);
  EXPECT_EQ(status(free, "POST", "tasks", task), 201);
}

TEST_F(BoundTokens, CannotTakeOverAWorkflowOfAnotherQueue) {
  const std::string taking =
      fmt::format(R"({{"worker_id":"w","queues":["mine"],"workflow_types":["{}"]}})", vault.workflow);
  EXPECT_EQ(status(bound, "POST", "workers", taking), 403);
  EXPECT_EQ(status(free, "POST", "workers", taking), 201);
}

TEST_F(BoundTokens, CannotUseAnIdempotencyKeyOfAnotherQueue) {
  const std::string begin = fmt::format(R"({{"request":"of vault","task_id":"{}"}})", mine.task);
  const std::string answer = call(bound, "POST", "idempotency/" + vault.key + "/begin", begin);
  EXPECT_EQ(status_of(answer), 403) << answer;
  EXPECT_EQ(status(bound, "POST", "idempotency/new/begin", R"({"request":1})"), 403)
      << "a key without a task";
  const std::string own = fmt::format(R"({{"request":1,"task_id":"{}"}})", mine.task);
  EXPECT_EQ(status(bound, "POST", "idempotency/new/begin", own), 201);
  EXPECT_EQ(status(bound, "POST", "idempotency/new/complete", R"({"response":1})"), 200);
}

TEST_F(BoundTokens, CannotForgeTheStoredReplyOfAnotherRequest) {
  const std::string own = fmt::format(R"({{"request":1,"task_id":"{}"}})", mine.task);
  EXPECT_EQ(status(bound, "POST", "idempotency/http:k/begin", own), 403);
  EXPECT_EQ(status(bound, "POST", "idempotency/http-sha256:k/begin", own), 403);
  EXPECT_EQ(status(free, "POST", "idempotency/http:k/begin", own), 201);
}

TEST_F(BoundTokens, CannotReadTheStoredReplyOfAnotherToken) {
  const auto enqueue = [&](const std::string& token) {
    return send("POST", "/v1/default/tasks", R"({"type":"t","queue":"mine"})", token,
                "Idempotency-Key: k\r\n");
  };
  ASSERT_EQ(status_of(enqueue(free)), 201);
  EXPECT_EQ(status_of(enqueue(bound)), 422) << "the key was used with another scope";
  EXPECT_EQ(status_of(enqueue(free)), 201);
}

TEST_F(BoundTokens, AreAuditedWhenDenied) {
  const auto last = [&] { return send("GET", "/v1/admin/audit?limit=1", "", admin); };
  for (const std::string& path : {"tasks/" + vault.task, "runs/" + vault.run, "idempotency/" + vault.key,
                                  "workers/" + vault.worker, "checkpoints?task_id=" + vault.task}) {
    const std::string before = last();
    ASSERT_EQ(status(bound, "GET", path), 403) << path;
    const std::string audit = last();
    EXPECT_NE(body_of(audit), body_of(before)) << path;
    EXPECT_NE(audit.find(R"("action":"denied")"), std::string::npos) << audit;
  }
}

// --- ownership of workers ---

class OwnedWorkers : public BoundTokens {
 protected:
  std::string other = token_in(make("worker", "default", admin));
  const std::string worker = "workers/" + vault.worker;
};

TEST_F(OwnedWorkers, AreInaccessibleToOtherTokens) {
  const std::string id = R"("worker_id":")" + vault.worker + "\"";
  EXPECT_EQ(status(other, "POST", worker + "/heartbeat"), 403);
  EXPECT_EQ(status(other, "DELETE", worker), 403);
  EXPECT_EQ(status(other, "GET", worker + "/notices"), 403);
  EXPECT_EQ(status(other, "POST", "workers", "{" + id + "}"), 403);
  EXPECT_EQ(status(other, "POST", "tasks/claim", "{" + id + R"(,"queues":["vault"]})"), 403);
  EXPECT_EQ(status(other, "POST", "tasks/" + vault.task + "/complete", "{" + id + R"(,"fence":1})"), 403);
  EXPECT_EQ(
      status(other, "POST", "tasks/report",
             "{" + id + R"(,"reports":[{"task_id":")" + vault.task + R"(","fence":1,"action":"complete"}]})"),
      403);
  EXPECT_EQ(status(free, "POST", worker + "/heartbeat"), 200);
  EXPECT_EQ(status(free, "POST", "tasks/" + vault.task + "/complete", "{" + id + R"(,"fence":1})"), 200);
}

TEST_F(OwnedWorkers, IncludeWorkersRegisteredByAClaim) {
  ASSERT_EQ(status(free, "POST", "tasks/claim", R"({"worker_id":"w","queues":["vault"]})"), 200);
  EXPECT_EQ(status(other, "POST", "tasks/claim", R"({"worker_id":"w","queues":["vault"]})"), 403);
  EXPECT_EQ(status(free, "POST", "tasks/claim", R"({"worker_id":"w","queues":["vault"]})"), 200);
}

TEST_F(OwnedWorkers, AreNotReplacedByAnotherToken) {
  const std::string process = fmt::format(R"({{"hostname":"h","pid":{}}})", vault.queue.size());
  EXPECT_EQ(status(other, "POST", "workers", process), 201);
  EXPECT_NE(call(free, "GET", worker).find(R"("status":"online")"), std::string::npos);
  EXPECT_EQ(status(free, "POST", "workers", process), 201);
  EXPECT_NE(call(free, "GET", worker).find(R"("status":"offline")"), std::string::npos);
}

TEST_F(OwnedWorkers, CanBeDrainedAndDeletedByAnOperator) {
  const std::string supervisor = token_in(make("operator", "default", admin));
  EXPECT_EQ(status(supervisor, "POST", worker + "/heartbeat"), 403);
  EXPECT_EQ(status(supervisor, "POST", worker + "/drain"), 200);
  EXPECT_EQ(status(supervisor, "DELETE", worker), 200);
}

TEST_F(OwnedWorkers, CanBeTakenOverByAnotherTokenWhenOffline) {
  clock.step(core::kWorkerTimeout);
  const std::string registration = R"({"worker_id":")" + vault.worker + "\"}";
  while (status(other, "POST", "workers", registration) != 201) std::this_thread::yield();  // until the sweep
  EXPECT_EQ(status(free, "POST", worker + "/heartbeat"), 403);
}

}  // namespace
}  // namespace pawl::testing
