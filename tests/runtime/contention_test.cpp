// Many threads and nodes on the same tasks: no caller sees a deadlock, a busy database or a lost race (B20,
// B39, B58).

#include <algorithm>
#include <atomic>
#include <set>

#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

using core::ReportAction;
using core::TaskStatus;

using Contention = RuntimeTest;

TEST_P(Contention, B58_OfReportsInReverseOrderCausesNoErrors) {
  constexpr std::size_t kTasks = 60;
  constexpr int kRounds = 4;
  RunningNode first{open()};
  RunningNode second{open()};
  std::vector<RunningNode*> nodes{&first, &second};
  core::EnqueueTasks batch;
  for (std::size_t i = 0; i < kTasks; ++i) {
    core::TaskSpec spec = task_of("t" + std::to_string(i % 3));
    spec.key = "k" + std::to_string(i);
    batch.tasks.push_back(spec);
    batch.tasks.push_back(spec);  // the key makes every end advance a line
  }
  ASSERT_TRUE(first.api().enqueue_batch(batch).ok());
  const auto claimed = first.api().claim({.worker_id = "w", .max = 1'000, .lease = 10min});
  ASSERT_EQ(claimed->size(), kTasks);

  std::atomic<int> surfaced = 0;
  const auto report_all = [&](int thread, ReportAction action) {
    core::ReportTasks command{.worker_id = "w"};
    for (const auto& one : *claimed) command.reports.push_back(report_of(one.task, action));
    if (thread % 2 == 1) std::reverse(command.reports.begin(), command.reports.end());
    const auto answers = nodes[static_cast<std::size_t>(thread / 2 % 2)]->api().report(command);
    if (!answers.ok()) {
      ADD_FAILURE() << answers.problem().detail;
      ++surfaced;
      return;
    }
    for (const auto& answer : *answers) {
      if (!answer.ok()) ADD_FAILURE() << answer.problem().detail, ++surfaced;
    }
  };
  in_parallel(4, [&](int thread) {
    for (int round = 0; round < kRounds; ++round) report_all(thread, ReportAction::heartbeat);
  });
  // Four threads send the same reports: one of each takes effect, all are answered.
  in_parallel(4, [&](int thread) { report_all(thread, ReportAction::complete); });
  EXPECT_EQ(surfaced, 0);
  const core::QueueCounts counts = counts_of(first.api());
  EXPECT_EQ(counts, (core::QueueCounts{.pending = static_cast<std::int64_t>(kTasks)}));
}

TEST_P(Contention, OfClaimsByOneWorkerRespectsItsMaxConcurrent) {
  constexpr std::size_t kHeldMax = 5;
  RunningNode first{open()};
  RunningNode second{open()};
  std::vector<RunningNode*> nodes{&first, &second};
  core::EnqueueTasks batch;
  for (int i = 0; i < 100; ++i) batch.tasks.push_back(task_of("t"));
  ASSERT_TRUE(first.api().enqueue_batch(batch).ok());
  ASSERT_TRUE(first.api().register_worker({.worker_id = "w", .max_concurrent = kHeldMax}).ok());
  std::atomic<std::size_t> given = 0;
  in_parallel(8, [&](int thread) {
    const auto claimed = nodes[static_cast<std::size_t>(thread % 2)]->api().claim(
        {.worker_id = "w", .max = 3, .lease = 10min});
    ASSERT_TRUE(claimed.ok()) << claimed.problem().detail;
    given += claimed->size();
  });
  EXPECT_EQ(given, kHeldMax);
}

TEST_P(Contention, OfManyAuditWritersKeepsTheChainIntact) {
  RunningNode first{open()};
  RunningNode second{open()};
  std::vector<RunningNode*> nodes{&first, &second};
  in_parallel(8, [&](int thread) {
    for (int i = 0; i < 10; ++i) {
      const auto noted = nodes[static_cast<std::size_t>(thread % 2)]->api().append_audit({{.action = "a"}});
      ASSERT_TRUE(noted.ok()) << noted.problem().detail;
    }
  });
  const auto verified = first.api().verify();
  ASSERT_TRUE(verified.ok());
  EXPECT_TRUE(verified->is_ok());
  const auto audit = std::find_if(verified->checks.begin(), verified->checks.end(),
                                  [](const core::Verdict& check) { return check.id == "I44"; });
  ASSERT_NE(audit, verified->checks.end());
  EXPECT_EQ(audit->examined, 80);
}

TEST_P(Contention, B58_OfCancelsRetriesSweepsAndReportsCausesNoErrors) {
  RunningNode first{open(), {.ticker = {.interval = 5ms}}};
  RunningNode second{open(), {.ticker = {.interval = 5ms}}};
  std::vector<RunningNode*> nodes{&first, &second};
  core::EnqueueTasks batch;
  for (int i = 0; i < 80; ++i) {
    core::TaskSpec spec = task_of("t");
    spec.key = "k" + std::to_string(i % 8);
    spec.retry = {.max_attempts = 2, .initial_interval = 1ms, .max_interval = 1ms};
    batch.tasks.push_back(spec);
  }
  ASSERT_TRUE(first.api().enqueue_batch(batch).ok());
  const auto expect_ok = [](const auto& result) {
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.problem().detail);
  };
  in_parallel(6, [&](int thread) {
    core::Api& api = nodes[static_cast<std::size_t>(thread % 2)]->api();
    for (int round = 0; round < 6; ++round) {
      if (thread < 4) {
        const std::string worker = "w" + std::to_string(thread);
        const auto claimed = api.claim({.worker_id = worker, .max = 5, .lease = 10ms});
        expect_ok(claimed);
        core::ReportTasks command{.worker_id = worker};
        for (const auto& one : *claimed)
          command.reports.push_back(
              report_of(one.task, round % 2 == 0 ? ReportAction::fail : ReportAction::complete));
        if (!command.reports.empty()) expect_ok(api.report(command));
      } else if (thread == 4) {
        expect_ok(api.cancel_tasks({.limit = 2}));
      } else {
        expect_ok(api.retry_tasks({.limit = 10}));
      }
    }
  });
  // However the calls interleaved, the counts match the tasks. Canceling everything first stops all further
  // changes.
  ASSERT_TRUE(eventually([&] {
    (void)first.api().cancel_tasks({});
    const core::QueueCounts counts = counts_of(first.api());
    return counts.pending + counts.scheduled + counts.blocked + counts.claimed + counts.running == 0;
  }));
  const auto dead = first.api().list_tasks({.query = {.statuses = {TaskStatus::dead_letter}}, .limit = 500});
  EXPECT_EQ(counts_of(first.api()).dead_letter, static_cast<std::int64_t>(dead->items.size()));
}

TEST_P(Contention, B20_OfThreeSweepersExpiresEachLeaseOnce) {
  constexpr std::size_t kTasks = 150;
  std::vector<std::unique_ptr<RunningNode>> nodes;
  for (int i = 0; i < 3; ++i)
    nodes.push_back(std::make_unique<RunningNode>(
        open(), runtime::RuntimeOptions{.ticker = {.interval = 1ms, .page = 40}}));
  core::EnqueueTasks batch;
  core::TaskSpec spec = task_of("t");
  spec.retry.max_attempts = 1;
  batch.tasks.assign(kTasks, spec);
  ASSERT_TRUE(nodes[0]->api().enqueue_batch(batch).ok());
  ASSERT_EQ(nodes[0]->api().claim({.worker_id = "w", .max = 1'000, .lease = 20ms})->size(), kTasks);
  ASSERT_TRUE(eventually(
      [&] { return counts_of(nodes[1]->api()).dead_letter == static_cast<std::int64_t>(kTasks); }));
  EXPECT_EQ(counts_of(nodes[2]->api()),
            (core::QueueCounts{.dead_letter = static_cast<std::int64_t>(kTasks)}));
  const auto tasks = nodes[0]->api().list_tasks({.limit = 500});
  for (const core::Task& task : tasks->items) {
    EXPECT_EQ(nodes[0]->api().get_task("default", task.id)->attempts.size(), 1U);
    EXPECT_EQ(nodes[0]->api().list_checkpoints("default", task.id)->size(), 1U);
  }
}

TEST_P(Contention, B39_OfUniqueEnqueuesCreatesOneTaskForAllCallers) {
  RunningNode first{open()};
  RunningNode second{open()};
  constexpr int kThreads = 8;
  constexpr int kKeys = 10;
  std::vector<std::vector<core::TaskId>> got(kThreads);
  std::atomic<int> created = 0;
  in_parallel(kThreads, [&](int thread) {
    core::Api& api = (thread % 2 == 0 ? first : second).api();
    for (int i = 0; i < kKeys; ++i) {
      core::TaskSpec spec = task_of("t");
      spec.idempotency_key = "k" + std::to_string(i);
      const auto enqueued = api.enqueue("default", spec);
      ASSERT_TRUE(enqueued.ok()) << enqueued.problem().detail;
      created += enqueued->created ? 1 : 0;
      got[static_cast<std::size_t>(thread)].push_back(enqueued->task.id);
    }
  });
  for (const auto& ids : got) EXPECT_EQ(ids, got[0]);
  EXPECT_EQ(created, kKeys);
  EXPECT_EQ(counts_of(first.api()).pending, kKeys);
}

TEST_P(Contention, OfClaimsKeepsLimitsAndKeysAcrossNodes) {
  RunningNode first{open()};
  RunningNode second{open()};
  ASSERT_TRUE(first.api().set_queue({.name = "default", .patch = {.max_concurrency = {{3}}}}).ok());
  core::EnqueueTasks batch;
  for (int i = 0; i < 120; ++i) {
    core::TaskSpec spec = task_of("t" + std::to_string(i % 2), std::to_string(i));
    spec.key = "k" + std::to_string(i % 6);
    batch.tasks.push_back(spec);
  }
  ASSERT_TRUE(first.api().enqueue_batch(batch).ok());
  std::mutex mutex;
  std::set<std::string> held;
  std::map<std::string, std::vector<int>> order;
  std::atomic<int> done = 0;
  in_parallel(6, [&](int thread) {
    core::Api& api = (thread % 2 == 0 ? first : second).api();
    while (done < 120) {
      const auto claimed = api.claim({.worker_id = "w" + std::to_string(thread), .max = 2, .wait = 50ms});
      ASSERT_TRUE(claimed.ok()) << claimed.problem().detail;
      for (const auto& one : *claimed) {
        {
          const std::lock_guard lock{mutex};
          EXPECT_TRUE(held.insert(*one.task.key).second) << "two of one key at once";
          EXPECT_LE(held.size(), 3U) << "over the limit";
          order[*one.task.key].push_back(std::stoi(one.task.payload.text));
        }
        {
          const std::lock_guard lock{mutex};
          held.erase(*one.task.key);  // before the report, whose commit lets another worker claim the key
        }
        const auto answers = api.report({.worker_id = "w" + std::to_string(thread),
                                         .reports = {report_of(one.task, ReportAction::complete)}});
        ASSERT_TRUE(answers.ok() && answers->front().ok());
        ++done;
      }
    }
  });
  EXPECT_EQ(done, 120);
  for (const auto& [key, numbers] : order) {
    EXPECT_EQ(numbers.size(), 20U);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end())) << key;
  }
}

PAWL_ON_EVERY_STORE(Contention);

}  // namespace pawl::testing
