// Limits at every instant, with concurrent claims on several nodes, one of which dies with its tasks and
// restarts.

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

using core::ReportAction;

namespace {

constexpr int kTasks = 150;
constexpr std::int64_t kOfQueue = 4;
constexpr std::int64_t kOfType = 2;

core::EnqueueTasks tasks_of_two_types() {
  core::EnqueueTasks batch;
  for (int i = 0; i < kTasks; ++i) {
    core::TaskSpec spec = task_of("t" + std::to_string(i % 2));
    spec.retry = {.max_attempts = -1, .initial_interval = 1ms, .max_interval = 1ms};
    if (i % 3 == 0) spec.fairness_key = "tenant " + std::to_string(i % 5);
    batch.tasks.push_back(spec);
  }
  return batch;
}

}  // namespace

// The tasks held as far as the callers can tell: a subset of those held in the store.
class HoldLedger {
 public:
  void add(const core::Task& task) {
    const std::lock_guard lock{mutex_};
    EXPECT_TRUE(held_.insert(task.id).second) << "held twice";
    ++by_type_[task.type];
    EXPECT_LE(std::ssize(held_), kOfQueue);
    EXPECT_LE(by_type_["t0"], kOfType);
  }
  void remove(const core::Task& task) {
    const std::lock_guard lock{mutex_};
    held_.erase(task.id);
    --by_type_[task.type];
  }

 private:
  std::mutex mutex_;
  std::set<core::TaskId> held_;
  std::map<std::string, std::int64_t> by_type_;
};

class LimitsRace : public RuntimeTest {
 public:
  [[nodiscard]] std::unique_ptr<RunningNode> start() {
    return std::make_unique<RunningNode>(open(), runtime::RuntimeOptions{.ticker = {.interval = 5ms}});
  }
  // Claims and completes until all tasks are done.
  void work(core::Api& api, const std::string& worker) {
    while (done < kTasks) {
      const auto claimed = api.claim({.worker_id = worker, .max = 3, .lease = 10min, .wait = 20ms});
      ASSERT_TRUE(claimed.ok()) << claimed.problem().detail;
      for (const auto& one : *claimed) ledger.add(one.task);
      for (const auto& one : *claimed) {
        ledger.remove(one.task);  // before the report, whose commit frees its slot
        const auto answers =
            api.report({.worker_id = worker, .reports = {report_of(one.task, ReportAction::complete)}});
        ASSERT_TRUE(answers.ok() && answers->front().ok());
        ++done;
      }
    }
  }

  HoldLedger ledger;
  std::atomic<int> done = 0;
};

TEST_P(LimitsRace, OfAQueueAndATypeHoldThroughTheLossOfANode) {
  const auto first = start();
  const auto second = start();
  ASSERT_TRUE(
      first->api()
          .set_queue({.name = "default",
                      .patch = {.max_concurrency = {{kOfQueue}}, .type_concurrency = {{{{"t0", kOfType}}}}}})
          .ok());
  ASSERT_TRUE(first->api().enqueue_batch(tasks_of_two_types()).ok());
  const auto die_and_come_back = [this] {
    {
      const auto dies = start();
      std::size_t held = 0;
      while (held == 0 && done < kTasks) {
        const auto claimed = dies->api().claim({.worker_id = "dies", .max = 2, .lease = 150ms, .wait = 1s});
        ASSERT_TRUE(claimed.ok()) << claimed.problem().detail;
        held = claimed->size();
      }
    }  // its leases stay until they expire
    const auto comes_back = start();
    work(comes_back->api(), "comes back");
  };
  in_parallel(6, [&](int thread) {
    if (thread == 0) return die_and_come_back();
    core::Api& api = (thread % 2 == 0 ? first : second)->api();
    if (thread < 5) return work(api, "w" + std::to_string(thread));
    while (done < kTasks) {
      const core::QueueCounts counts = counts_of(api);
      EXPECT_LE(counts.claimed + counts.running, kOfQueue);
    }
  });
  EXPECT_EQ(done, kTasks);
  EXPECT_EQ(counts_of(first->api()), core::QueueCounts{});
}

TEST_P(LimitsRace, OfARateHoldInEveryWindowThroughTheLossOfANode) {
  constexpr int kClaims = 60;
  const core::Rate rate{.limit = 10, .per = 100ms};
  const auto first = start();
  ASSERT_TRUE(first->api().set_queue({.name = "default", .patch = {.rate = {{rate}}}}).ok());
  ASSERT_TRUE(first->api().enqueue_batch(tasks_of_two_types()).ok());
  std::mutex mutex;
  std::vector<core::TimePoint> claims;
  const auto claim_some = [&](core::Api& api, int thread, std::size_t until) {
    for (;;) {
      const auto claimed =
          api.claim({.worker_id = "w" + std::to_string(thread), .max = 3, .lease = 10min, .wait = 50ms});
      ASSERT_TRUE(claimed.ok()) << claimed.problem().detail;
      const std::lock_guard lock{mutex};
      for (const auto& one : *claimed) claims.push_back(one.task.lease->acquired_at);
      if (claims.size() >= until) return;
    }
  };
  in_parallel(4, [&](int thread) {
    if (thread < 2) return claim_some(first->api(), thread, kClaims);
    claim_some(start()->api(), thread, kClaims / 2);
    claim_some(start()->api(), thread, kClaims);
  });
  std::sort(claims.begin(), claims.end());
  for (std::size_t from = 0; from < claims.size(); ++from) {
    for (std::size_t to = from; to < claims.size(); ++to) {
      const double windows =
          static_cast<double>((claims[to] - claims[from]).count()) / static_cast<double>(rate.per.count());
      ASSERT_LE(static_cast<double>(to - from + 1), static_cast<double>(rate.limit) * (1.0 + windows) + 1e-6);
    }
  }
}

PAWL_ON_EVERY_STORE(LimitsRace);

}  // namespace pawl::testing
