// Groups of commands: one transaction each, replies after its commit, and failures of the store.

#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include "store/faulty.hpp"
#include "store/memory/memory_store.hpp"
#include "tests/support/harness.hpp"

namespace pawl::testing {

using core::ProblemCode;
using store::StoreError;
using store::Verb;

// Counts commits, and throws the faults that the test sets.
class Plan final : public store::FaultPlan {
 public:
  void before(Verb verb) override {
    if (verb == Verb::commit) {
      ++commits;
      if (fail_commits > 0 && fail_commits-- > 0) throw StoreError{kind, "placed by the test"};
    }
    if (verb == Verb::lock_records && lacks_memory) throw std::bad_alloc{};
    if (verb == Verb::lock_records && is_broken) throw std::out_of_range{"a mistake of ours"};
  }
  void committed(const store::WriteSet& /*writes*/, const store::Transaction& /*transaction*/) override {
    ++committed_groups;
  }

  StoreError::Kind kind = StoreError::Kind::retry;
  int fail_commits = 0;
  bool lacks_memory = false;  // for commands that lock records
  bool is_broken = false;     // for commands that lock records
  int commits = 0;
  int committed_groups = 0;
};

struct Groups : ::testing::Test {
  ManualClock clock;
  Plan plan;
  DirectNode node{
      std::shared_ptr<store::Store>{store::make_faulty_store(store::make_memory_store(clock), plan)}, clock,
      1};
  std::vector<core::Result<core::Answer>> answers;

  engine::Request request(core::Command command) {
    return {.command = std::move(command), .reply = [this](core::Result<core::Answer> answer) {
              EXPECT_EQ(plan.committed_groups, plan.commits) << "answered before the commit";
              answers.push_back(std::move(answer));
            }};
  }
  void execute(std::vector<core::Command> commands) {
    std::vector<engine::Request> group;
    for (core::Command& command : commands) group.push_back(request(std::move(command)));
    node.engine().execute(std::move(group));
  }
  core::EnqueueTasks one() { return {.tasks = {task_of("t")}}; }
};

TEST_F(Groups, AreCommittedOnceBeforeTheirReplies) {
  execute({one(), one(), core::ClaimTasks{.worker_id = "w"},
           core::SetQueue{.name = "q", .patch = {.paused = true}}});
  EXPECT_EQ(answers.size(), 4U);
  EXPECT_EQ(plan.committed_groups, 1);
}

TEST_F(Groups, WithoutAChangeAreNotCommitted) {
  execute({core::ClaimTasks{.worker_id = "w"}, core::PromoteDue{.ids = {core::TaskId{}}}});
  EXPECT_EQ(answers.size(), 2U);
  EXPECT_EQ(plan.commits, 0);
}

TEST_F(Groups, AuditRejectedOperatorCommands) {
  execute({core::CancelTasks{.ids = {core::TaskId{}}}});
  EXPECT_EQ(plan.committed_groups, 1);
}

TEST_F(Groups, AreRetriedAfterAConflictWithoutAnError) {
  plan.fail_commits = 20;
  std::vector<engine::Request> group;
  group.push_back({.command = one(), .reply = [this](core::Result<core::Answer> answer) {
                     answers.push_back(std::move(answer));
                   }});
  node.engine().execute(std::move(group));
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(answers[0].ok());
  EXPECT_EQ(node.api().list_tasks({})->items.size(), 1U) << "once, however often it was tried";
}

TEST_F(Groups, AreRejectedAfterSomeRetriesWhileTheStoreFails) {
  for (const auto kind : {StoreError::Kind::unavailable, StoreError::Kind::retry, StoreError::Kind::unknown,
                          StoreError::Kind::internal}) {
    plan.kind = kind;
    plan.fail_commits = 1'000'000;
    plan.commits = 0;
    const auto refused = node.api().enqueue_batch(one());
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.problem().code,
              kind == StoreError::Kind::internal ? ProblemCode::internal : ProblemCode::unavailable);
    EXPECT_LE(plan.commits, 50);
    const bool is_tried_once = kind == StoreError::Kind::unknown || kind == StoreError::Kind::internal;
    EXPECT_EQ(plan.commits == 1, is_tried_once);
  }
  plan.fail_commits = 0;
  EXPECT_TRUE(node.api().list_tasks({})->items.empty());
  EXPECT_TRUE(node.api().enqueue_batch(one()).ok());
}

TEST_F(Groups, DoNotLoseAWaitingClaimWhenTheyFail) {
  bool is_answered = false;
  std::vector<engine::Request> group;
  group.push_back({.command = core::ClaimTasks{.worker_id = "w", .wait = 20s},
                   .reply = [&](const core::Result<core::Answer>&) { is_answered = true; }});
  node.engine().execute(std::move(group));
  EXPECT_FALSE(is_answered);
  plan.kind = StoreError::Kind::internal;
  plan.fail_commits = 1'000'000;  // also when the commands are retried one by one
  EXPECT_FALSE(node.api().enqueue_batch(one()).ok());
  EXPECT_FALSE(is_answered) << "it waits on";
  plan.fail_commits = 0;
  EXPECT_TRUE(node.api().enqueue_batch(one()).ok());
  EXPECT_TRUE(is_answered) << "a claim is never lost with the group that took it";
}

TEST_F(Groups, WithAnInvalidCommandExecuteTheOthers) {
  execute({core::CancelTasks{.ids = {core::TaskId{}}}, one(), core::RetryTasks{.ids = {core::TaskId{}}}});
  EXPECT_EQ(std::get<std::vector<core::Result<core::TaskMoved>>>(*answers[0]).at(0).problem().code,
            ProblemCode::not_found);
  EXPECT_TRUE(std::get<std::vector<core::Enqueued>>(*answers[1]).at(0).created);
  EXPECT_EQ(std::get<std::vector<core::Result<core::TaskMoved>>>(*answers[2]).at(0).problem().code,
            ProblemCode::not_found);
}

TEST_F(Groups, WithACommandThatRunsOutOfMemoryExecuteTheOthers) {
  plan.lacks_memory = true;
  std::vector<engine::Request> group;
  for (core::Command command : std::initializer_list<core::Command>{
           one(),
           core::ChangeRecords{.refs = {{.kind = core::RecordKind::lock, .ns = "default", .key = "l"}}},
           one()})
    group.push_back({.command = std::move(command), .reply = [this](core::Result<core::Answer> answer) {
                       answers.push_back(std::move(answer));
                     }});
  node.engine().execute(std::move(group));
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_TRUE(answers[0].ok());
  EXPECT_EQ(answers[1].problem().code, ProblemCode::resource_exhausted);
  EXPECT_TRUE(answers[2].ok());
}

TEST_F(Groups, WithACommandThatThrowsExecuteTheOthers) {
  plan.is_broken = true;
  std::vector<engine::Request> group;
  for (core::Command command : std::initializer_list<core::Command>{
           one(),
           core::ChangeRecords{.refs = {{.kind = core::RecordKind::lock, .ns = "default", .key = "l"}}},
           one()})
    group.push_back({.command = std::move(command), .reply = [this](core::Result<core::Answer> answer) {
                       answers.push_back(std::move(answer));
                     }});
  node.engine().execute(std::move(group));
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_TRUE(answers[0].ok());
  EXPECT_EQ(answers[1].problem().code, ProblemCode::internal);
  EXPECT_NE(answers[1].problem().detail.find("a mistake of ours"), std::string::npos);
  EXPECT_TRUE(answers[2].ok());
}

TEST_F(Groups, SeeTheEffectsOfTheirEarlierCommands) {
  const core::TaskId id = node.api().enqueue_batch(one())->at(0).id;
  execute({core::CancelTasks{.ids = {id}}, core::CancelTasks{.ids = {id}}});
  EXPECT_TRUE(std::get<std::vector<core::Result<core::TaskMoved>>>(*answers[0]).at(0).ok());
  EXPECT_EQ(std::get<std::vector<core::Result<core::TaskMoved>>>(*answers[1]).at(0).problem().code,
            ProblemCode::already_completed);
}

TEST_F(Groups, ReportTheEarliestScheduledTaskOnce) {
  core::TaskSpec later = task_of("t");
  later.delay = 1h;
  core::TaskSpec soon = task_of("t");
  soon.delay = 5s;
  execute({core::EnqueueTasks{.tasks = {later, soon, task_of("t")}}});
  EXPECT_EQ(node.engine().take_earliest_scheduled(), clock.now() + 5s);
  EXPECT_EQ(node.engine().take_earliest_scheduled(), std::nullopt);
}

TEST_F(Groups, OfATickReportTheNextDueTime) {
  core::TaskSpec soon = task_of("t");
  soon.delay = 5s;
  execute({core::EnqueueTasks{.tasks = {soon}}});
  const auto ticked = node.engine().sweeper().tick(10);
  EXPECT_EQ(ticked.promoted, 0);
  EXPECT_EQ(ticked.next_due, clock.now() + 5s);
  EXPECT_EQ(ticked.store_now, clock.now());
}

}  // namespace pawl::testing
