// PostgreSQL as opened in production: a node may briefly cache where the live entries of a lane begin. It
// still finds entries that other nodes insert before that point.

#include <atomic>
#include <functional>

#include "store/faulty.hpp"
#include "store/postgres/postgres_store.hpp"
#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

using core::ReportAction;
using core::TaskStatus;

namespace {

std::shared_ptr<store::Store> open_as_in_production(const Database& database, core::Clock& clock,
                                                    core::Random& random) {
  return store::open_postgres({.conninfo = database.location(), .clock = &clock, .random = &random});
}

// Calls once, before the next commit.
class BeforeCommit final : public store::FaultPlan {
 public:
  void before(store::Verb verb) override {
    if (verb == store::Verb::commit && call) std::exchange(call, nullptr)();
  }

  std::function<void()> call;
};

}  // namespace

// There is no ticker: a missed task would stay unclaimed forever.
TEST(LaneCache, ServesAClaimThatPolledDuringTheCommit) {
  Database database{StoreKind::postgres};
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  BeforeCommit plan;
  const auto opened = store::make_faulty_store(open_as_in_production(database, clock, random), plan);
  engine::Engine engine{*opened, clock, random};
  int served = 0;
  const auto execute = [&](core::Command command) {
    std::vector<engine::Request> group;
    group.push_back(
        {.command = std::move(command), .reply = [&served](const core::Result<core::Answer>& answer) {
           ASSERT_TRUE(answer.ok()) << answer.problem().detail;
           const auto* tasks = std::get_if<std::vector<core::ClaimedTask>>(&*answer);
           if (tasks != nullptr) served += static_cast<int>(tasks->size());
         }});
    engine.execute(std::move(group));
  };
  execute(core::EnqueueTasks{.tasks = {task_of("t")}});
  execute(core::ClaimTasks{.worker_id = "w", .max = 5});  // one task: the lane is now known to be empty
  ASSERT_EQ(served, 1);

  plan.call = [&] {
    execute(core::ClaimTasks{.worker_id = "w", .max = 1, .wait = 1h});
    EXPECT_EQ(engine.waiters().size(), 1U);
  };
  execute(core::EnqueueTasks{.tasks = {task_of("t")}});
  EXPECT_EQ(served, 2);
  EXPECT_EQ(engine.waiters().size(), 0U);
}

TEST(LaneCache, HidesNoTaskThatAnotherNodeReturned) {
  constexpr int kTasks = 200;
  Database database{StoreKind::postgres};
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  RunningNode first{open_as_in_production(database, clock, random)};
  RunningNode second{open_as_in_production(database, clock, random)};
  core::EnqueueTasks batch;
  for (int i = 0; i < kTasks; ++i) {
    core::TaskSpec spec = task_of("t" + std::to_string(i % 2), std::to_string(i));
    spec.priority = i % 3;
    spec.retry = {.max_attempts = -1, .initial_interval = 1ms, .max_interval = 5ms};
    if (i % 4 == 0) spec.delay = 5ms * (i % 10);
    if (i % 5 < 3) spec.fairness_key = "tenant " + std::to_string(i % 5);
    batch.tasks.push_back(spec);
  }
  ASSERT_TRUE(first.api().enqueue_batch(batch).ok());

  // Workers on both nodes release every task once and fail it once before they complete it.
  std::atomic<int> completed = 0;
  in_parallel(4, [&](int thread) {
    core::Api& api = (thread % 2 == 0 ? first : second).api();
    const std::string worker = "w" + std::to_string(thread);
    while (completed < kTasks) {
      const auto claimed = api.claim({.worker_id = worker, .max = 7, .lease = 2s, .wait = 100ms});
      ASSERT_TRUE(claimed.ok()) << claimed.problem().detail;
      core::ReportTasks reports{.worker_id = worker};
      for (const auto& one : *claimed) {
        const std::int64_t fence = one.task.lease->fence;
        const bool is_done = fence > 2;
        reports.reports.push_back(report_of(one.task, fence == 1   ? ReportAction::release
                                                      : fence == 2 ? ReportAction::fail
                                                                   : ReportAction::complete));
        if (is_done) ++completed;
      }
      if (reports.reports.empty()) continue;
      const auto answers = api.report(reports);
      ASSERT_TRUE(answers.ok()) << answers.problem().detail;
      for (const auto& answer : *answers) ASSERT_TRUE(answer.ok()) << answer.problem().detail;
    }
  });
  EXPECT_TRUE(counts_of(first.api()).is_zero());
  EXPECT_EQ(
      first.api().list_tasks({.query = {.statuses = {TaskStatus::completed}}, .limit = 500})->items.size(),
      static_cast<std::size_t>(kTasks));
}

TEST(LaneCache, FindsAnOlderTaskThatAnotherNodeReleased) {
  Database database{StoreKind::postgres};
  runtime::SystemClock clock;
  runtime::SystemRandom random;
  RunningNode first{open_as_in_production(database, clock, random)};
  RunningNode second{open_as_in_production(database, clock, random)};
  for (int round = 0; round < 20; ++round) {
    const core::TaskId old = first.api().enqueue("default", task_of("t"))->task.id;
    const auto held = second.api().claim({.worker_id = "holder", .max = 1, .wait = 10s});
    ASSERT_EQ(held->size(), 1U);
    ASSERT_EQ(held->at(0).task.id, old);
    // The first node's window moves past the old task while it is held.
    ASSERT_TRUE(first.api().enqueue("default", task_of("t")).ok());
    const auto newer = first.api().claim({.worker_id = "w", .max = 1, .wait = 10s});
    ASSERT_EQ(newer->size(), 1U);
    ASSERT_TRUE(
        second.api()
            .report({.worker_id = "holder", .reports = {report_of(held->at(0).task, ReportAction::release)}})
            .ok());
    const auto again = first.api().claim({.worker_id = "w", .max = 1, .wait = 10s});
    ASSERT_EQ(again->size(), 1U) << "round " << round;
    EXPECT_EQ(again->at(0).task.id, old);
    for (const auto* one : {&newer->at(0).task, &again->at(0).task}) {
      ASSERT_TRUE(
          first.api().report({.worker_id = "w", .reports = {report_of(*one, ReportAction::complete)}}).ok());
    }
  }
  EXPECT_TRUE(counts_of(first.api()).is_zero());
}

}  // namespace pawl::testing
