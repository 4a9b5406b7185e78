// Open runs: tasks are added one by one, ordered by `after`, and retried under the same id.
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::NodeState;
using core::ProblemCode;
using core::RunAction;
using core::RunEventType;
using core::RunState;
using core::TaskStatus;
using Names = std::vector<std::string>;

class OpenRuns : public RunTest {
 public:
  core::RunId open(bool auto_complete = false) {
    return runs().open_run({.auto_complete = auto_complete})->run.facts.id;
  }
};

TEST_P(OpenRuns, OrderTheirTasksByDependencies) {
  const core::RunId run = open();
  const core::TaskId a = add(run);
  const core::TaskId b = add(run, {a});
  EXPECT_EQ(status_of(b), core::TaskStatus::blocked);
  EXPECT_EQ(claimed(), Names{to_string(a)});
  EXPECT_EQ(held(to_string(a)).execution_key, to_string(run) + ":" + to_string(a) + ":1");
  EXPECT_EQ(refused(run, RunAction::complete), ProblemCode::invalid_state);
  complete_node(to_string(a));
  EXPECT_EQ(claimed(), Names{to_string(b)});
  complete_node(to_string(b));
  EXPECT_EQ(state_of(run), RunState::running);
  EXPECT_EQ(act(run, RunAction::complete).state, RunState::completed);
  expect_counts_kept();
}

TEST_P(OpenRuns, CompleteAutomaticallyIfConfigured) {
  const core::RunId run = open(true);
  const core::TaskId a = add(run);
  add(run, {a});
  EXPECT_EQ(work().size(), 2U);
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(OpenRuns, CancelTheSuccessorsOfAFailedTaskAndStayOpen) {
  const core::RunId run = open();
  const core::TaskId a = add(run);
  const core::TaskId b = add(run, {a});
  fail_node(to_string(a));
  EXPECT_EQ(state_of(run), RunState::running);
  EXPECT_EQ(status_of(b), core::TaskStatus::cancelled);
  core::TaskSpec spec = task_of("t");
  spec.run_id = run;
  spec.after = {a};
  EXPECT_EQ(node().local().enqueue("default", spec).problem().errors.at(0).field, "after[0]");
}

TEST_P(OpenRuns, AcceptABatchCompletelyOrNotAtAll) {
  const core::RunId run = open();
  core::TaskSpec good = task_of("t");
  good.run_id = run;
  core::TaskSpec bad = good;
  bad.after = {core::TaskId{}};
  const auto refused = node().local().enqueue_batch({.tasks = {good, bad}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.problem().errors.at(0).field, "tasks[1].after[0]");
  EXPECT_EQ(run_of(run).counts.pending, 0);
  EXPECT_EQ(claimed(), Names{});
}

TEST_P(OpenRuns, PutKeyedTasksInLineWhenTheyMayStart) {
  const core::RunId run = open();
  const core::TaskId a = add(run);
  core::TaskSpec keyed = task_of("t");
  keyed.key = "k";
  keyed.run_id = run;
  keyed.after = {a};
  const core::TaskId b = node().local().enqueue("default", keyed)->task.id;
  const core::Task other = enqueue_keyed("k");  // it does not wait for a task that has not joined the line
  EXPECT_EQ(status_of(other.id), core::TaskStatus::pending);
  claimed();
  complete_node(to_string(a));
  EXPECT_EQ(status_of(b), core::TaskStatus::blocked);
  complete_node(to_string(other.id));
  EXPECT_EQ(status_of(b), core::TaskStatus::pending);
  complete_node(to_string(b));
  EXPECT_EQ(act(run, RunAction::complete).state, RunState::completed);
  expect_counts_kept();
}

TEST_P(OpenRuns, AcceptNoTasksAfterTheirEnd) {
  const core::RunId run = open();
  act(run, RunAction::complete);
  core::TaskSpec spec = task_of("t");
  spec.run_id = run;
  EXPECT_EQ(node().local().enqueue("default", spec).problem().code, ProblemCode::invalid_state);
  spec.run_id = core::RunId{};
  EXPECT_EQ(node().local().enqueue("default", spec).problem().errors.at(0).field, "run_id");
}

// --- retries of failed tasks ---

TEST_P(OpenRuns, RestartAFailedTaskAndItsCancelledSuccessors) {
  const core::RunId run = open();
  const core::TaskId a = add(run);
  const core::TaskId b = add(run, {a});
  const core::TaskId c = add(run, {b});
  const core::TaskId other = add(run);
  const core::TaskId both = add(run, {a, other});
  fail_node(to_string(a));
  fail_node(to_string(other));
  EXPECT_EQ(run_of(run).counts, (core::RunCounts{.failed = 2, .cancelled = 3}));

  const auto retried = api().retry_task("default", a);
  ASSERT_TRUE(retried.ok());
  EXPECT_EQ(retried->status, TaskStatus::pending);
  EXPECT_EQ(status_of(b), TaskStatus::blocked);
  EXPECT_EQ(status_of(c), TaskStatus::blocked);
  EXPECT_EQ(status_of(both), TaskStatus::cancelled) << "the other one has failed still";
  EXPECT_EQ(run_of(run).counts, (core::RunCounts{.blocked = 2, .pending = 1, .failed = 1, .cancelled = 1}));
  EXPECT_EQ(refused(run, RunAction::complete), ProblemCode::invalid_state);

  EXPECT_EQ(claimed(), Names{to_string(a)});
  EXPECT_EQ(held(to_string(a)).execution_key, to_string(run) + ":" + to_string(a) + ":2");
  EXPECT_EQ(core::operation_key(held(to_string(a)).task), to_string(run) + ":" + to_string(a));
  complete_node(to_string(a));
  EXPECT_EQ(work(), (Names{to_string(b), to_string(c)}));
  ASSERT_TRUE(api().retry_task("default", other).ok());
  EXPECT_EQ(work(), (Names{to_string(other), to_string(both)}));
  EXPECT_EQ(act(run, RunAction::complete).state, RunState::completed);
  expect_counts_kept();
}

TEST_P(OpenRuns, RestartATaskWithNewAttempts) {
  const core::RunId run = open();
  core::TaskSpec spec = task_of("t");
  spec.run_id = run;
  spec.retry = {.max_attempts = 1};
  const core::TaskId dead = node().local().enqueue("default", spec)->task.id;
  fail_node(to_string(dead), true);
  EXPECT_EQ(status_of(dead), TaskStatus::dead_letter);
  ASSERT_TRUE(api().retry_task("default", dead).ok());
  EXPECT_EQ(node_state(run, to_string(dead)), NodeState::pending);
  fail_node(to_string(dead), true);
  EXPECT_EQ(status_of(dead), TaskStatus::dead_letter);
  EXPECT_EQ(nodes_of(run, RunEventType::task_retrying), Names{to_string(dead)});
}

TEST_P(OpenRuns, RestartTasksInBulk) {
  const core::RunId run = open();
  const core::TaskId a = add(run);
  const core::TaskId b = add(run);
  const core::TaskId after_both = add(run, {a, b});
  fail_node(to_string(a));
  fail_node(to_string(b));
  const auto moved = api().retry_tasks({.query = {.run_id = run}});
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(moved->changed, 2);
  EXPECT_EQ(status_of(after_both), TaskStatus::blocked);
  EXPECT_EQ(work(), (Names{to_string(a), to_string(b), to_string(after_both)}));
}

TEST_P(OpenRuns, ResumeAtTheirUncompletedTasksAfterAFailure) {
  const core::RunId run = open(true);
  const core::TaskId a = add(run);
  const core::TaskId b = add(run, {a});
  const core::TaskId good = add(run);
  complete_node(to_string(good));
  fail_node(to_string(a));
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(act(run, RunAction::retry).state, RunState::running);
  EXPECT_EQ(status_of(a), TaskStatus::pending);
  EXPECT_EQ(status_of(b), TaskStatus::blocked);
  EXPECT_EQ(work(), (Names{to_string(a), to_string(b)}));
  EXPECT_EQ(state_of(run), RunState::completed);
  EXPECT_EQ(run_of(run).error, std::nullopt);
  expect_counts_kept();
}

TEST_P(OpenRuns, ResumeWithTheRetriedTaskAfterAFailure) {
  const core::RunId run = open(true);
  const core::TaskId a = add(run);
  const core::TaskId b = add(run);
  fail_node(to_string(a));
  fail_node(to_string(b));
  EXPECT_EQ(state_of(run), RunState::failed);
  ASSERT_TRUE(api().retry_task("default", a).ok());
  EXPECT_EQ(state_of(run), RunState::running);
  EXPECT_EQ(status_of(b), TaskStatus::failed);
  EXPECT_EQ(work(), Names{to_string(a)});
  EXPECT_EQ(state_of(run), RunState::failed) << "one of them did not complete still";
}

TEST_P(OpenRuns, HoldRestartedTasksWhilePaused) {
  const core::RunId run = open();
  const core::TaskId a = add(run);
  fail_node(to_string(a));
  act(run, RunAction::pause);
  ASSERT_TRUE(api().retry_task("default", a).ok());
  EXPECT_EQ(status_of(a), TaskStatus::blocked);
  act(run, RunAction::resume);
  EXPECT_EQ(work(), Names{to_string(a)});
}

// The run is retried while a lease is still held: the task continues once its holder releases it.
TEST_P(OpenRuns, ContinueWhenRetriedWhileStopping) {
  core::OpenRun asked{.auto_complete = true};
  asked.deadline = 5s;
  const core::RunId run = runs().open_run(asked)->run.facts.id;
  const core::TaskId a = add(run);
  const core::TaskId b = add(run, {a});
  EXPECT_EQ(claimed(), Names{to_string(a)});
  start_task(to_string(a));
  clock.advance(6s);
  tick();
  EXPECT_EQ(state_of(run), RunState::failing);
  EXPECT_EQ(act(run, RunAction::retry).state, RunState::running);
  give_back(to_string(a));
  EXPECT_EQ(work(), (Names{to_string(a), to_string(b)}));
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(OpenRuns, KeepTheKeyLineWhenATaskIsRestarted) {
  const core::RunId run = open();
  core::TaskSpec keyed = task_of("t");
  keyed.key = "k";
  keyed.run_id = run;
  const core::TaskId a = node().local().enqueue("default", keyed)->task.id;
  fail_node(to_string(a));
  const core::Task other = enqueue_keyed("k");
  EXPECT_EQ(status_of(other.id), TaskStatus::pending);
  ASSERT_TRUE(api().retry_task("default", a).ok());
  EXPECT_EQ(status_of(a), TaskStatus::blocked);
  claimed();
  complete_node(to_string(other.id));
  EXPECT_EQ(status_of(a), TaskStatus::pending);
  expect_counts_kept();
}

TEST_P(OpenRuns, RestartOnlyFailedTasksAndOnlyWhileOpen) {
  const core::RunId run = open();
  const core::TaskId a = add(run);
  const core::TaskId b = add(run, {a});
  fail_node(to_string(a));
  EXPECT_EQ(api().retry_task("default", b).problem().code, ProblemCode::invalid_state) << "cancelled";
  act(run, RunAction::complete);
  const auto late = api().retry_task("default", a);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.problem().code, ProblemCode::invalid_state);
  EXPECT_NE(late.problem().detail.find("which is completed"), std::string::npos) << late.problem().detail;
}

TEST_P(OpenRuns, KeepAnOperatorsCancelAfterARetry) {
  const core::RunId run = open(true);
  const core::TaskId a = add(run);
  const core::TaskId b = add(run, {a});
  fail_node(to_string(a));
  act(run, RunAction::retry);
  ASSERT_TRUE(api().cancel_task("default", b).ok());
  EXPECT_EQ(status_of(b), TaskStatus::cancelled);
  EXPECT_EQ(work(), Names{to_string(a)});
  EXPECT_EQ(state_of(run), RunState::failed);
}

// The other predecessor was canceled by the deadline, and is not retried together with the failed one.
TEST_P(OpenRuns, DoNotRestartSuccessorsOfAnotherCancelledTask) {
  core::OpenRun asked{.auto_complete = true};
  asked.deadline = 5s;
  const core::RunId run = runs().open_run(asked)->run.facts.id;
  const core::TaskId failed = add(run);
  const core::TaskId late = add(run);
  const core::TaskId both = add(run, {failed, late});
  EXPECT_EQ(claimed().size(), 2U);
  fail_node(to_string(failed));
  clock.advance(6s);
  tick();
  give_back(to_string(late));
  EXPECT_EQ(state_of(run), RunState::failed);
  ASSERT_TRUE(api().retry_task("default", failed).ok());
  EXPECT_EQ(status_of(both), TaskStatus::cancelled);
  EXPECT_EQ(work(), Names{to_string(failed)});
  EXPECT_EQ(state_of(run), RunState::failed);
  act(run, RunAction::retry);
  EXPECT_EQ(work(), (Names{to_string(late), to_string(both)}));
  EXPECT_EQ(state_of(run), RunState::completed);
}

// A late report on a task arrives in the same group as the retry of its run.
TEST_P(OpenRuns, CanBeRetriedDuringALateReportOfAKeyedTask) {
  const core::RunId run = open(true);
  core::TaskSpec keyed = task_of("t");
  keyed.key = "k";
  keyed.run_id = run;
  const core::TaskId a = node().local().enqueue("default", keyed)->task.id;
  fail_node(to_string(a));
  const core::ReportTasks late{
      .worker_id = "w1", .reports = {{.task_id = a, .fence = 1, .action = core::ReportAction::heartbeat}}};
  const core::ActOnRun retry{.run = {.id = run}, .asked = {.action = RunAction::retry}};
  const auto answers = submit_group(node(), {late, retry});
  EXPECT_TRUE(answers[1].answer().ok());
  EXPECT_EQ(work(), Names{to_string(a)});
  expect_counts_kept();
}

TEST_P(OpenRuns, CannotBeRewound) {
  const core::RunId run = open();
  const core::TaskId a = add(run);
  const auto rewound = runs().rewind_run({.run = {.id = run}, .to = to_string(a)});
  ASSERT_FALSE(rewound.ok());
  EXPECT_EQ(rewound.problem().code, ProblemCode::invalid_state);
}

TEST_P(OpenRuns, AreTheOnlyRunsThatRestartSingleTasks) {
  define("one", R"({"id":"a","activity":"t"})");
  const core::RunId run = start("one");
  const core::TaskId a = *node_of(run, "a").task_id;
  fail_node("a");
  EXPECT_NE(api().retry_task("default", a).problem().detail.find("retry the run"), std::string::npos);
}

}  // namespace
PAWL_ON_EVERY_STORE(OpenRuns);
}  // namespace pawl::testing
