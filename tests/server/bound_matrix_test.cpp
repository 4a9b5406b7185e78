// Every route with a token that is bound to a queue, once with objects of that queue and once with those of
// another one, as a table for review.
#include <gtest/gtest.h>

#include "tests/server/bound_fixture.hpp"
#include "tests/support/golden.hpp"

namespace pawl::testing {
namespace {

using wire::Call;

class BoundMatrix : public BoundTokens {
 protected:
  static std::string path_of(const wire::Route& route, const QueueThings& things) {
    std::string path{route.path};
    const auto put = [&](std::string_view name, const std::string& value) {
      if (const auto at = path.find(name); at != std::string::npos) path.replace(at, name.size(), value);
    };
    put("{ns}", "default");
    put("{action}", "heartbeat");
    put("{key}", things.key);
    put("{step}", "s");
    put("{type}", "t");
    if (path.find("/tasks/") != std::string::npos) put("{id}", things.task);
    if (path.find("/runs/") != std::string::npos) put("{id}", things.run);
    if (path.find("/workers/") != std::string::npos) put("{id}", things.worker);
    put("{name}", path.find("/queues/") != std::string::npos ? things.queue : things.workflow);
    put("{version}", "1");
    put("{id}", "nothing-there");
    put("{file}", "nothing-there");
    return path;
  }

  static std::string query_of(Call call, const QueueThings& things) {
    switch (call) {
      case Call::list_tasks: return "?queue=" + things.queue;
      case Call::list_checkpoints:
      case Call::summarize_checkpoints: return "?task_id=" + things.task;
      case Call::next_times: return "?count=1";
      default: return "";
    }
  }

  static std::string body_of(Call call, const QueueThings& things) {
    const auto filled = [&](fmt::string_view text) {
      return fmt::format(fmt::runtime(text), fmt::arg("queue", things.queue),
                         fmt::arg("worker", things.worker), fmt::arg("task", things.task),
                         fmt::arg("run", things.run), fmt::arg("body", things.body),
                         fmt::arg("flow", things.workflow));
    };
    switch (call) {
      case Call::enqueue_task: return filled(R"({{"type":"t","queue":"{queue}"}})");
      case Call::enqueue_tasks: return filled(R"({{"tasks":[{{"type":"t","queue":"{queue}"}}]}})");
      case Call::claim_tasks: return filled(R"({{"worker_id":"{worker}","queues":["{queue}"]}})");
      case Call::report_tasks:
        return filled(
            R"({{"worker_id":"{worker}","reports":[{{"task_id":"{task}","fence":1,"action":"heartbeat"}}]}})");
      case Call::report_task: return filled(R"({{"worker_id":"{worker}","fence":1}})");
      case Call::append_checkpoint:
        return filled(R"({{"task_id":"{task}","type":"manual_checkpoint","snapshot":1}})");
      case Call::acquire_lock: return R"({"holder":"x"})";
      case Call::renew_lock:
      case Call::release_lock: return R"({"holder":"x","fence":1})";
      case Call::begin_idempotency: return filled(R"({{"request":"of {queue}","task_id":"{task}"}})");
      case Call::complete_idempotency:
      case Call::fail_idempotency: return filled(R"({{"response":"of {queue}"}})");
      case Call::register_worker:
        return filled(R"({{"worker_id":"{worker}","queues":["{queue}"],"workflow_types":["{flow}"]}})");
      case Call::start_run: return filled(R"({{"queue":"{queue}","run_key":"r"}})");
      case Call::begin_step:
      case Call::complete_step: return R"({"fence":1})";
      case Call::fail_step: return R"({"fence":1,"error":{"code":"c","message":"m"}})";
      case Call::suspend_run: return R"({"fence":1,"until":"2036-01-01T00:00:00Z"})";
      case Call::write_steps: return filled(R"({{"fence":1,"task_id":"{body}"}})");
      case Call::write_steps_of_many:
        return filled(R"({{"writes":[{{"run_id":"{run}","fence":1,"task_id":"{body}"}}]}})");
      default: return "";
    }
  }

  // "yes" unless the caller is refused for lack of authorization. A batch contains the refusal in its
  // results.
  [[nodiscard]] std::string verdict(const wire::Route& route, const QueueThings& things) const {
    const std::string answer =
        send(std::string{wire::name_of(route.method)}, path_of(route, things) + query_of(route.call, things),
             body_of(route.call, things), bound);
    if (things.queue == vault.queue) {
      EXPECT_EQ(answer.find("of vault"), std::string::npos)
          << wire::name_of(route.method) << " " << route.path
          << " shows what is of another queue: " << answer;
    }
    if (answer.find(R"("code":"forbidden")") != std::string::npos) return "403";
    return status_of(answer) == 401 ? "401" : "yes";
  }
};

TEST_F(BoundMatrix, MatchesTheGoldenFileForEveryRoute) {
  std::string matrix;
  for (const wire::Route& route : wire::routes()) {
    const std::string of_another = verdict(route, vault);
    matrix += fmt::format("{} {}\n  its_queue:{} another_queue:{}\n", wire::name_of(route.method), route.path,
                          verdict(route, mine), of_another);
  }
  expect_golden("tests/golden/bound_matrix.txt", matrix);
}

// These return objects of the token's queue only, or none of any queue.
bool shows_its_own_only(Call call) {
  return call == Call::list_queues || call == Call::list_workers || call == Call::openapi;
}

TEST_F(BoundMatrix, DeniesEveryAccessToAnotherQueue) {
  for (const wire::Route& route : wire::routes()) {
    if (!route.role || shows_its_own_only(route.call)) continue;
    EXPECT_EQ(verdict(route, vault), "403") << wire::name_of(route.method) << " " << route.path;
  }
}

}  // namespace
}  // namespace pawl::testing
