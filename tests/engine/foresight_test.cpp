// Prefetch hints for a group before its transaction. If a hint wrongly allows a repeat, a command takes
// effect twice.
#include "engine/foresight.hpp"

#include <gtest/gtest.h>

#include "store/memory/memory_store.hpp"
#include "tests/support/harness.hpp"

namespace pawl::testing {

class Foresight : public ::testing::Test {
 protected:
  ManualClock clock;
  std::shared_ptr<store::Store> store{store::make_memory_store(clock)};
  engine::Waiters waiters{10};
  core::DoOnce key;

  store::Foreseen of(const std::vector<core::Command>& commands, const core::DoOnce* once = nullptr) {
    std::vector<const core::Command*> group;
    for (const core::Command& command : commands) group.push_back(&command);
    const std::vector<const core::DoOnce*> onces(commands.size(), once);
    const engine::Lanes lanes;
    return engine::foresee({.commands = group, .onces = onces, .lanes = lanes, .claims = {}}, waiters,
                           *store);
  }
  bool may_be_repeated(const core::Command& command) { return of({command}).may_be_repeated; }
  void park(core::ClaimTasks claim) {
    engine::WaitingClaim waiting{.claim = std::move(claim), .reply = [](const auto&) {}, .until = {}};
    ASSERT_TRUE(waiters.park(waiting, waiters.wakes()));
  }
  static core::WriteSteps step(core::StepAction action) {
    core::WriteSteps write{.fence = 1};
    write.steps.push_back({.action = action, .step_id = "charge"});
    return write;
  }
  static core::ReportTasks report(core::ReportAction action) {
    core::ReportTasks command{.worker_id = "w"};
    command.reports.push_back({.fence = 1, .action = action});
    return command;
  }
};

TEST_F(Foresight, AllowsToRepeatACompletion) {
  EXPECT_TRUE(may_be_repeated(step(core::StepAction::complete)));
  EXPECT_TRUE(may_be_repeated(core::WriteStepsOfMany{.writes = {step(core::StepAction::complete)}}));
  EXPECT_TRUE(may_be_repeated(report(core::ReportAction::complete)));
}

TEST_F(Foresight, ForbidsToRepeatCommandsThatAreNotIdempotent) {
  EXPECT_FALSE(may_be_repeated(step(core::StepAction::fail)));
  core::WriteSteps suspended = step(core::StepAction::complete);
  suspended.suspend = core::SuspendBody{};
  EXPECT_FALSE(may_be_repeated(suspended));
  core::WriteSteps alone = step(core::StepAction::complete);
  alone.steps.front().must_be_new = true;
  EXPECT_FALSE(may_be_repeated(alone));
  EXPECT_FALSE(may_be_repeated(report(core::ReportAction::fail)));
  EXPECT_FALSE(may_be_repeated(report(core::ReportAction::release)));
  EXPECT_FALSE(may_be_repeated(core::StartRun{.workflow = "order"}));
  EXPECT_FALSE(of({step(core::StepAction::complete), core::StartRun{.workflow = "order"}}).may_be_repeated);
}

TEST_F(Foresight, PrefetchesTheWorkflowTheQueueAndTheWaitingWorkerOfAStart) {
  park({.worker_id = "w", .types = {"workflow:order"}, .held_max = 4});
  const store::Foreseen foreseen = of({core::StartRun{.workflow = "order"}});
  EXPECT_EQ(foreseen.records.size(), 2U);
  EXPECT_EQ(foreseen.queues, (std::vector<store::QueueRef>{{.ns = "default", .name = "default"}}));
  EXPECT_EQ(foreseen.holder, (store::HolderRef{.ns = "default", .worker_id = "w"}));
}

// Prefetching locks the worker's record first, where other groups lock it last.
TEST_F(Foresight, PrefetchesNoWorkerIfOtherRowsAreLocked) {
  park({.worker_id = "w", .held_max = 4});
  const core::StartRun start{.workflow = "order"};
  core::StartRun keyed = start;
  keyed.run_key = "42";
  EXPECT_TRUE(of({start}).holder);
  EXPECT_FALSE(of({keyed}).holder);
  EXPECT_FALSE(of({start}, &key).holder);
  EXPECT_FALSE(of({start, start}).holder);
  EXPECT_FALSE(of({start, report(core::ReportAction::complete)}).holder);
}

}  // namespace pawl::testing
