#pragma once
// Two queues with every kind of object in each, and a token that is bound to one of them.

#include <string>

#include <fmt/format.h>

#include "tests/server/auth_fixture.hpp"

namespace pawl::testing {

// The objects of one queue.
struct QueueThings {
  std::string queue = {};
  std::string worker = {};
  std::string task = {};  // claimed by the worker
  std::string run = {};   // a code run whose body the worker holds
  std::string body = {};  // the body's task
  std::string key = {};   // an idempotency key begun for the task
  std::string workflow = {};
};

class BoundTokens : public Auth {
 protected:
  BoundTokens() {
    admin = token_in(make("admin", "*", ""));
    bound = token_in(make("worker", "default", admin, R"(,"queues":["mine"])"));
    free = token_in(make("worker", "default", admin));
    mine = things_of("mine", bound);
    vault = things_of("vault", free);
    open_run = id_in(call(free, "POST", "runs", R"({"workflow":"open","input":"of vault"})"));
  }

  [[nodiscard]] std::string call(const std::string& token, const std::string& method, const std::string& path,
                                 const std::string& body = "") const {
    return send(method, "/v1/default/" + path, body, token);
  }
  [[nodiscard]] int status(const std::string& token, const std::string& method, const std::string& path,
                           const std::string& body = "") const {
    return status_of(call(token, method, path, body));
  }

  // Creates the queue's objects with the token of its worker. All readable content names the queue.
  [[nodiscard]] QueueThings things_of(const std::string& queue, const std::string& token) {
    QueueThings things{.queue = queue,
                       .worker = "worker-of-" + queue,
                       .key = "key-of-" + queue,
                       .workflow = "flow-of-" + queue};
    const std::string secret = "of " + queue;
    EXPECT_EQ(
        status(token, "POST", "workers",
               fmt::format(R"({{"worker_id":"{}","queues":["{}"],"workflow_types":["{}"],"hostname":"h",)"
                           R"("pid":{}}})",
                           things.worker, queue, things.workflow, queue.size())),
        201);
    things.task = id_in(call(token, "POST", "tasks",
                             fmt::format(R"({{"type":"t","queue":"{}","payload":"{}"}})", queue, secret)));
    things.run = id_in(call(token, "POST", "workflows/" + things.workflow + "/start",
                            fmt::format(R"({{"queue":"{}","input":"{}","run_key":"r"}})", queue, secret)));
    EXPECT_FALSE(things.task.empty() || things.run.empty());
    const auto claimed =
        runtime.api().claim({.worker_id = things.worker, .queues = {queue}, .lease = std::chrono::hours{9}});
    EXPECT_EQ(claimed->size(), 2U);
    for (const auto& one : *claimed) {
      if (to_string(one.task.id) != things.task) things.body = to_string(one.task.id);
    }
    EXPECT_EQ(status(token, "POST", "idempotency/" + things.key + "/begin",
                     fmt::format(R"({{"request":"{}","task_id":"{}"}})", secret, things.task)),
              201);
    EXPECT_EQ(status(admin, "POST", "idempotency/" + things.key + "/complete",
                     fmt::format(R"({{"response":"{}"}})", secret)),
              200);
    EXPECT_EQ(status(token, "POST", "checkpoints",
                     fmt::format(R"({{"task_id":"{}","type":"manual_checkpoint","snapshot":"{}"}})",
                                 things.task, secret)),
              201);
    return things;
  }

  std::string admin;
  std::string bound;  // of a worker, bound to the queue `mine`
  std::string free;   // of a worker, bound to no queue
  QueueThings mine;
  QueueThings vault;
  std::string open_run;
};

}  // namespace pawl::testing
