// Claims that arrive while a group is running and join it. This needs two writers, so it runs on PostgreSQL.

#include <functional>
#include <utility>

#include "engine/verify.hpp"
#include "store/faulty.hpp"
#include "tests/runtime/fixture.hpp"

namespace pawl::testing {

// Calls once, before the next group waits at this verb.
class BeforeVerb final : public store::FaultPlan {
 public:
  void before(store::Verb verb) override {
    if (verb == at && call) std::exchange(call, nullptr)();
  }

  store::Verb at = store::Verb::lock_lines;
  std::function<void()> call;
};

struct LateClaims : ::testing::Test {
  static constexpr core::Duration kLease = 10s;

  Database database{StoreKind::postgres};
  ManualClock clock;
  SeededRandom random{1};
  BeforeVerb plan;
  std::unique_ptr<store::Store> opened =
      store::make_faulty_store(std::shared_ptr<store::Store>{database.open(clock, random)}, plan);
  engine::Engine engine{*opened, clock, random};
  std::vector<core::ClaimedTask> claimed;

  void execute(core::Command command) {
    std::vector<engine::Request> group;
    group.push_back(
        {.command = std::move(command), .reply = [this](const core::Result<core::Answer>& answer) {
           ASSERT_TRUE(answer.ok()) << answer.problem().detail;
           const auto* tasks = std::get_if<std::vector<core::ClaimedTask>>(&*answer);
           if (tasks != nullptr) claimed = *tasks;
         }});
    engine.execute(std::move(group));
  }
  void claim() { execute(core::ClaimTasks{.worker_id = "w", .max = 1, .lease = kLease, .wait = 1h}); }
  void enqueue_keyed() {
    core::TaskSpec spec = task_of("t");
    spec.key = "entity";
    execute(core::EnqueueTasks{.tasks = {spec}});
  }
};

// The holder counts its lease from its request. With a shorter lease it would continue while another worker
// has the task.
TEST_F(LateClaims, HaveTheirWholeLeaseAfterADelayedGroup) {
  plan.call = [&] {
    clock.advance(4s);
    claim();
    clock.advance(1s);
  };
  const core::TimePoint began_at = clock.now();
  enqueue_keyed();
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed[0].task.lease->expires_at, began_at + 4s + kLease);
}

TEST_F(LateClaims, HaveTheRequestedLeaseIfTheyArriveBeforeTheGroup) {
  claim();
  clock.advance(2s);
  const core::TimePoint began_at = clock.now();
  plan.call = [&] { clock.advance(4s); };
  enqueue_keyed();
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed[0].task.lease->expires_at, began_at + kLease);
}

// Two nodes: the second one's claim waits while the first one ends an attempt.
struct WaitingClaims : LateClaims {
  DirectNode first{std::shared_ptr<store::Store>{database.open(clock, random)}, clock, 2};

  void hold_one() {
    ASSERT_TRUE(first.api().enqueue("default", task_of("t")).ok());
    const auto tasks = first.api().claim({.worker_id = "w1", .max = 1, .lease = 1h, .held_max = 5});
    ASSERT_EQ(tasks->size(), 1U);
    held = tasks->front().task;
  }
  // Makes the task claimable again two seconds into the wait, which lasts one more second.
  void give_back_while_it_waits(store::Verb verb) {
    plan.at = verb;
    plan.call = [this] {
      clock.advance(2s);
      core::Report report = report_of(held, core::ReportAction::fail);
      report.retry_after = 0s;
      ASSERT_TRUE(first.api().report({.worker_id = "w1", .reports = {report}})->front().ok());
      clock.advance(1s);
    };
  }
  void expect_one_holder_at_a_time() {
    for (const core::Verdict& verdict : engine::verify(*opened, {}).checks) {
      for (const core::Violation& one : verdict.violations)
        ADD_FAILURE() << verdict.id << " " << one.object << ": " << one.message;
    }
  }

  core::Task held;
};

TEST_F(WaitingClaims, ForAQueueStartTheirLeaseWhenTheyHoldItsLock) {
  ASSERT_TRUE(first.api().set_queue({.name = "default", .patch = {.max_concurrency = {{1}}}}).ok());
  hold_one();
  give_back_while_it_waits(store::Verb::lock_queues);
  claim();
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed[0].task.id, held.id);
  EXPECT_EQ(claimed[0].task.lease->acquired_at, clock.now());
  EXPECT_GE(claimed[0].task.lease->expires_at, clock.now() + kLease);
  expect_one_holder_at_a_time();
}

TEST_F(WaitingClaims, WithAWorkerLimitStartTheirLeaseWhenTheyHoldTheWorkersLock) {
  hold_one();
  give_back_while_it_waits(store::Verb::count_held);
  execute(core::ClaimTasks{.worker_id = "w", .max = 1, .lease = kLease, .wait = 1h, .held_max = 3});
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed[0].task.lease->acquired_at, clock.now());
  expect_one_holder_at_a_time();
}

TEST_F(WaitingClaims, OfAReleasedTaskStartTheirLeaseAfterThePreviousOne) {
  hold_one();
  give_back_while_it_waits(store::Verb::take_ready);
  claim();
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed[0].task.id, held.id);
  EXPECT_EQ(claimed[0].task.lease->acquired_at, clock.now() - 1s);
  expect_one_holder_at_a_time();
}

}  // namespace pawl::testing
