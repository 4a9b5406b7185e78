// A server that is killed with SIGKILL twenty times while clients enqueue, claim and complete: no
// acknowledged work is lost, and none is done twice.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "client/http_api.hpp"
#include "runtime/env.hpp"
#include "tests/cli/live_server.hpp"
#include "tests/support/stores.hpp"

namespace pawl::testing {
namespace {

constexpr int kServerKills = 20;
constexpr int kAcksBetweenKills = 150;
constexpr int kClients = 4;

using Ids = std::set<core::TaskId>;

class Kills : public ::testing::TestWithParam<StoreKind> {
 protected:
  Kills() : database(GetParam()), server(store_of(database)) {}

  static std::string store_of(const Database& database) {
    return (database.kind() == StoreKind::sqlite ? "sqlite:" : "postgres:") + database.location();
  }

  std::unique_ptr<client::HttpApi> connect() {
    auto address = client::parse_http_address(server.address());
    return std::make_unique<client::HttpApi>(client::HttpTarget{.address = *address}, random);
  }

  // Repeats the call until it is answered: the server may be down, and an answer may be lost.
  template <typename Call>
  auto insist(Call call) {
    while (true) {
      auto answer = call();
      if (answer || answer.problem().code != core::ProblemCode::unavailable) return answer;
    }
  }

  void enqueue_until_stopped() {
    const auto api = connect();
    while (!is_over) {
      core::TaskSpec spec;
      spec.type = "t";
      spec.idempotency_key = std::to_string(next_key++);
      const auto made = insist([&] { return api->enqueue("default", spec); });
      ASSERT_TRUE(made) << made.problem().detail;
      const std::lock_guard lock{mutex};
      enqueued.insert(made->task.id);
      ++acks;
      acknowledged.notify_all();
    }
  }

  void work_until_stopped(int number) {
    const auto api = connect();
    const std::string worker = "worker-" + std::to_string(number);
    while (!is_over) {
      const core::ClaimTasks claim{.worker_id = worker, .max = 5, .lease = std::chrono::seconds{1}};
      const auto tasks = api->claim(claim);  // if the answer is lost, the task returns when its lease expires
      if (!tasks) continue;
      for (const core::ClaimedTask& one : *tasks) complete(*api, worker, one.task);
    }
  }

  void complete(core::Api& api, const std::string& worker, const core::Task& task) {
    core::ReportTasks report{.worker_id = worker};
    report.reports.push_back(
        {.task_id = task.id, .fence = task.lease->fence, .action = core::ReportAction::complete});
    const auto answers = insist([&] { return api.report(report); });
    ASSERT_TRUE(answers) << answers.problem().detail;
    if (!answers->front()) return;  // the lease expired: another worker has the task
    const std::lock_guard lock{mutex};
    EXPECT_TRUE(completed.insert(task.id).second) << to_string(task.id) << " was completed twice";
    ++acks;
    acknowledged.notify_all();
  }

  void await_acks(int count) {
    std::unique_lock lock{mutex};
    const int goal = acks + count;
    acknowledged.wait(lock, [&] { return acks >= goal; });
  }

  Database database;
  LiveServer server;
  runtime::SystemRandom random;
  std::atomic<bool> is_over = false;
  std::atomic<int> next_key = 0;
  std::mutex mutex;  // guards all members below
  std::condition_variable acknowledged;
  int acks = 0;
  Ids enqueued;
  Ids completed;
};

TEST_P(Kills, LoseNoAcknowledgedTask) {
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients / 2; ++i) clients.emplace_back([this] { enqueue_until_stopped(); });
  for (int i = 0; i < kClients / 2; ++i) clients.emplace_back([this, i] { work_until_stopped(i); });
  for (int i = 0; i < kServerKills; ++i) {
    await_acks(kAcksBetweenKills);
    server.restart();  // with SIGKILL
  }
  await_acks(kAcksBetweenKills);
  is_over = true;
  for (std::thread& client : clients) client.join();

  const auto api = connect();
  Ids there;
  core::ListTasks list;
  list.limit = 500;
  while (true) {
    const auto page = api->list_tasks(list);
    ASSERT_TRUE(page) << page.problem().detail;
    for (const core::Task& task : page->items) {
      EXPECT_TRUE(there.insert(task.id).second);
      const bool was_completed = completed.contains(task.id);
      EXPECT_TRUE(!was_completed || task.status == core::TaskStatus::completed) << to_string(task.id);
    }
    if (!page->next_cursor) break;
    list.cursor = *page->next_cursor;
  }
  EXPECT_EQ(there, enqueued);  // none lost, and no duplicate from a repeated call
  EXPECT_GT(completed.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Stores, Kills, ::testing::Values(StoreKind::sqlite, StoreKind::postgres),
                         [](const auto& test) { return to_string(test.param); });

}  // namespace
}  // namespace pawl::testing
