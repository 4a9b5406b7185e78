// Client actions on runs: start once per key, pause, resume, retry, rewind.
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::NodeState;
using core::OnConflict;
using core::ProblemCode;
using core::RunAction;
using core::RunEventType;
using core::RunState;
using Names = std::vector<std::string>;

class RunControl : public RunTest {
 public:
  core::Result<core::RunStarted> start_keyed(const std::string& key, OnConflict on_conflict) {
    return runs().start_run({.workflow = "one", .run_key = key, .on_conflict = on_conflict});
  }
};

TEST_P(RunControl, AKeyStartsOneRun) {
  define("one", R"({"id":"a","activity":"t"})");
  const auto first = start_keyed("k", OnConflict::return_existing);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->created);
  const auto again = start_keyed("k", OnConflict::return_existing);
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->run, first->run);
  EXPECT_EQ(start_keyed("k", OnConflict::fail).problem().code, ProblemCode::conflict);
  EXPECT_FALSE(start_keyed("k", OnConflict::restart_if_closed)->created);
  EXPECT_TRUE(start_keyed("other", OnConflict::fail)->created);
  EXPECT_EQ(runs().list_runs({.query = {.run_key = "k"}})->items.size(), 1U);
}

TEST_P(RunControl, AKeyOfAnEndedRunStartsAnotherOnRequest) {
  define("one", R"({"id":"a","activity":"t"})");
  const auto first = start_keyed("k", OnConflict::return_existing);
  complete_node("a");
  EXPECT_FALSE(start_keyed("k", OnConflict::return_existing)->created);
  const auto second = start_keyed("k", OnConflict::restart_if_closed);
  EXPECT_TRUE(second->created);
  EXPECT_NE(second->run.facts.id, first->run.facts.id);
  EXPECT_EQ(start_keyed("k", OnConflict::return_existing)->run.facts.id, second->run.facts.id);
}

TEST_P(RunControl, RunsWithOneKeyAreActiveOneAtATime) {
  define("one", R"({"id":"a","activity":"t","retry":{"max_attempts":1}})");
  const core::RunId first = start_keyed("k", OnConflict::fail)->run.facts.id;
  fail_node("a");
  ASSERT_EQ(state_of(first), RunState::failed);
  const core::RunId second = start_keyed("k", OnConflict::restart_if_closed)->run.facts.id;
  const auto refused = runs().act_on_run({.run = {.id = first}, .asked = {.action = RunAction::retry}});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.problem().code, ProblemCode::conflict);
  EXPECT_NE(refused.problem().detail.find(to_string(second)), std::string::npos) << refused.problem().detail;
  EXPECT_EQ(state_of(first), RunState::failed);

  complete_node("a");
  act(first, RunAction::retry);
  EXPECT_EQ(start_keyed("k", OnConflict::restart_if_closed)->run.facts.id, first) << "it has its key again";
  complete_node("a");
  EXPECT_EQ(state_of(first), RunState::completed);
}

TEST_P(RunControl, TwoStartsInOneGroupMakeOneRun) {
  define("one", R"({"id":"a","activity":"t"})");
  const core::StartRun start{.workflow = "one", .run_key = "k"};
  const auto answers = submit_group(node(), {start, start});
  EXPECT_TRUE(std::get<core::RunStarted>(*answers[0].answer()).created);
  EXPECT_FALSE(std::get<core::RunStarted>(*answers[1].answer()).created);
}

TEST_P(RunControl, UndefinedWorkflowsAndRunsAreRejected) {
  EXPECT_EQ(runs().start_run({.workflow = "none"}).problem().code, ProblemCode::not_found);
  define("one", R"({"id":"a","activity":"t"})");
  EXPECT_EQ(runs().start_run({.workflow = "one", .version = 2}).problem().code, ProblemCode::not_found);
  EXPECT_EQ(runs().start_run({.workflow = "one", .input = {"{"}}).problem().errors.at(0).field, "input");
  EXPECT_EQ(runs().get_run({.id = core::RunId{}}).problem().code, ProblemCode::not_found);
  EXPECT_EQ(runs().get_run({.ns = "other", .id = start("one")}).problem().code, ProblemCode::not_found);
}

TEST_P(RunControl, ARunKeepsTheVersionItWasStartedWith) {
  define("one", R"({"id":"a","activity":"t"},{"id":"b","activity":"t","after":["a"]})");
  const core::RunId old = start("one");
  define("one", R"({"id":"a","activity":"t"})");
  const auto again =
      runs().put_definition({.name = "one", .text = R"({"tasks":[{"activity":"t","id":"a"}],"name":"one"})"});
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->version.version, 2);
  EXPECT_EQ(runs().get_definition("default", "one", 1)->version, 1);
  EXPECT_EQ(runs().get_definition("default", "one", std::nullopt)->version, 2);
  EXPECT_EQ(runs().list_definitions({})->items.size(), 1U);
  EXPECT_EQ(work(), (Names{"a", "b"}));
  EXPECT_EQ(state_of(old), RunState::completed);
  const core::RunId young = start("one");
  EXPECT_EQ(work(), Names{"a"});
  EXPECT_EQ(state_of(young), RunState::completed);
}

TEST_P(RunControl, APausedRunStartsNoTaskUntilItIsResumed) {
  define("two",
         R"({"id":"a","activity":"t"},{"id":"b","activity":"t"},{"id":"c","activity":"t","after":["a"]})");
  const core::RunId run = start("two");
  const core::Task held = claim("w1", 1).front().task;
  EXPECT_EQ(act(run, RunAction::pause).state, RunState::paused);
  EXPECT_EQ(claimed(), Names{});  // b is held back
  ASSERT_TRUE(report(held, core::ReportAction::complete).ok());
  EXPECT_EQ(claimed(), Names{});  // and c does not start
  EXPECT_EQ(refused(run, RunAction::pause), ProblemCode::invalid_state);
  EXPECT_EQ(act(run, RunAction::resume).state, RunState::running);
  EXPECT_EQ(work(), (Names{"b", "c"}));
  EXPECT_EQ(state_of(run), RunState::completed);
}

TEST_P(RunControl, ACancelDuringAPauseLeavesNoHeldTask) {
  define("two", R"({"id":"a","activity":"t"})");
  const core::RunId run = start("two");
  act(run, RunAction::pause);
  const core::TaskId task = *node_of(run, "a").task_id;
  EXPECT_EQ(status_of(task), core::TaskStatus::blocked);
  EXPECT_EQ(act(run, RunAction::cancel).state, RunState::cancelled);
  EXPECT_EQ(status_of(task), core::TaskStatus::cancelled);
  expect_counts_kept();
}

TEST_P(RunControl, ARetryResumesAtFailedTasksAndKeepsCompletedOnes) {
  define("two", R"({"id":"a","activity":"t"},
                   {"id":"b","activity":"t","after":["a"],"retry":{"max_attempts":1}})");
  const core::RunId run = start("two");
  complete_node("a");
  fail_node("b");
  EXPECT_EQ(state_of(run), RunState::failed);
  EXPECT_EQ(act(run, RunAction::retry).state, RunState::running);
  claimed();
  EXPECT_EQ(held("b").execution_key, to_string(run) + ":b:2");
  EXPECT_EQ(core::operation_key(held("b").task), to_string(run) + ":b") << "as before the retry";
  complete_node("b");
  EXPECT_EQ(state_of(run), RunState::completed);
  EXPECT_EQ(refused(run, RunAction::retry), ProblemCode::already_completed);
}

TEST_P(RunControl, ARewoundRunKeepsTheResultsBeforeItsTarget) {
  define("three", R"({"id":"a","activity":"t"},{"id":"b","activity":"t","after":["a"]},
                     {"id":"c","activity":"t","after":["b"],"input":{"$ref":"#/tasks/a/output"}})");
  const core::RunId run = start("three");
  EXPECT_EQ(work(), (Names{"a", "b", "c"}));
  const auto fork = runs().rewind_run({.run = {.id = run}, .to = "b"});
  ASSERT_TRUE(fork.ok());
  if (!is_over_http()) {
    EXPECT_EQ(fork->facts.rewound_from, run);  // HTTP does not show it
  }
  EXPECT_EQ(work(), (Names{"b", "c"}));
  EXPECT_EQ(state_of(fork->facts.id), RunState::completed);
  EXPECT_EQ(state_of(run), RunState::completed);
  EXPECT_FALSE(runs().rewind_run({.run = {.id = run}, .to = "none"}).ok());
}

TEST_P(RunControl, AnActionWithAnOutdatedSequenceIsRejected) {
  define("one", R"({"id":"a","activity":"t"})");
  const core::RunId run = start("one");
  core::ActOnRun pause{.run = {.id = run}, .asked = {.action = RunAction::pause, .expected_sequence = 1}};
  EXPECT_EQ(runs().act_on_run(pause).problem().code, ProblemCode::precondition_failed);
  pause.asked.expected_sequence = run_of(run).sequence;
  EXPECT_TRUE(runs().act_on_run(pause).ok());
}

TEST_P(RunControl, OperatorActionsAreAudited) {
  define("one", R"({"id":"a","activity":"t"})");
  const core::RunId run = start("one");
  core::ActOnRun cancel{.run = {.id = run}, .asked = {.action = RunAction::cancel, .reason = "no need"}};
  cancel.by = {.id = "alice", .role = "operator"};
  ASSERT_TRUE(runs().act_on_run(cancel).ok());
  EXPECT_FALSE(runs().act_on_run(cancel).ok());
  const auto audit = api().list_audit({});
  EXPECT_EQ(audit->items.at(1).action, "run.cancel");
  EXPECT_EQ(audit->items.at(1).object, to_string(run));
  EXPECT_EQ(audit->items.at(0).outcome, "already_completed");
  const core::RunEvent last = events(run).back();
  EXPECT_EQ(last.actor.type, "user");
  if (!is_over_http()) {
    EXPECT_EQ(last.actor.id, "alice");  // over HTTP, the server sets the actor itself
  }
  EXPECT_EQ(last.data.reason, "no need");
}

TEST_P(RunControl, EventsCarryTheTraceOfTheirRun) {
  define("one", R"({"id":"a","activity":"t"})");
  const auto run = runs().start_run(
      {.workflow = "one", .trace_id = "4bf92f3577b34da6a3ce929d0e0e4736", .span_id = "00f067aa0ba902b7"});
  complete_node("a");
  for (const core::RunEvent& event : events(run->run.facts.id)) {
    EXPECT_EQ(event.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  }
}

TEST_P(RunControl, RunsAreRetriedOrCancelledInBulkByAFilter) {
  define("one", R"({"id":"a","activity":"t","retry":{"max_attempts":1}})");
  for (int i = 0; i < 3; ++i) {
    start("one");
    fail_node("a");
  }
  start("one");
  core::BulkRuns retry{.action = RunAction::retry, .dry_run = true};
  EXPECT_EQ(runs().act_on_runs(retry).value(), (core::BulkResult{.matched = 3, .changed = 0}));
  retry.dry_run = false;
  EXPECT_EQ(runs().act_on_runs(retry).value(), (core::BulkResult{.matched = 3, .changed = 3}));
  EXPECT_EQ(runs().act_on_runs({.action = RunAction::cancel}).value(),
            (core::BulkResult{.matched = 4, .changed = 4}));
}

// A run with a retrying task is `running` like a healthy one: only its tasks differ.
TEST_P(RunControl, RunsWithARetryingTaskAreFound) {
  define("two", R"({"id":"a","activity":"t","retry":{"initial_interval":"10s","jitter":0}},
                   {"id":"b","activity":"t","after":["a"]})");
  std::vector<core::RunId> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(start("two"));
    i == 0 ? complete_node("a") : fail_node("a", true);
  }
  const auto retrying = [&](core::ListRuns list) {
    list.query.retrying = true;
    std::vector<core::RunId> found;
    const auto page = runs().list_runs(list);
    for (const core::Run& run : page->items) found.push_back(run.facts.id);
    return found;
  };
  using Ids = std::vector<core::RunId>;
  EXPECT_EQ(retrying({}), (Ids{ids[2], ids[1]}));
  EXPECT_EQ(retrying({.newest_first = false}), (Ids{ids[1], ids[2]}));
  EXPECT_EQ(retrying({.query = {.states = {RunState::running}}}), (Ids{ids[2], ids[1]}));
  EXPECT_EQ(retrying({.query = {.states = {RunState::failed, RunState::sleeping}}}), Ids{});
  EXPECT_EQ(retrying({.query = {.workflow = "other"}}), Ids{});
  const auto first = runs().list_runs({.query = {.retrying = true}, .limit = 1});
  EXPECT_EQ(retrying({.limit = 1, .cursor = first->next_cursor.value()}), Ids{ids[1]});
  EXPECT_EQ(run_of(ids[1]).retrying, 1);
  EXPECT_EQ(run_of(ids[0]).retrying, 0);
  EXPECT_EQ(
      runs().act_on_runs({.query = {.retrying = true}, .action = RunAction::cancel, .dry_run = true}).value(),
      (core::BulkResult{.matched = 2, .changed = 0}));

  act(ids[1], RunAction::pause);
  EXPECT_EQ(retrying({.query = {.states = {RunState::paused}}}), Ids{ids[1]}) << "it will, once it goes on";
  act(ids[1], RunAction::resume);
  act(ids[2], RunAction::cancel);
  EXPECT_EQ(retrying({}), Ids{ids[1]}) << "one that has ended tries nothing";
  clock.advance(10s);
  tick();
  EXPECT_EQ(retrying({}), Ids{ids[1]}) << "until a worker has begun";
  start_task("a");
  EXPECT_EQ(retrying({}), Ids{});
}

TEST_P(RunControl, RunsAreListedByFilterAndPage) {
  define("one", R"({"id":"a","activity":"t"})");
  define("two", R"({"id":"a","activity":"t"})");
  std::vector<core::RunId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(start(i % 2 == 0 ? "one" : "two"));
  act(ids[4], RunAction::cancel);
  core::ListRuns list{.newest_first = false, .limit = 2};
  std::vector<core::RunId> seen;
  do {
    const auto page = runs().list_runs(list);
    for (const core::Run& run : page->items) seen.push_back(run.facts.id);
    list.cursor = page->next_cursor.value_or("");
  } while (!list.cursor.empty());
  EXPECT_EQ(seen, ids);
  EXPECT_EQ(runs().list_runs({.query = {.workflow = "two"}})->items.size(), 2U);
  EXPECT_EQ(runs().list_runs({.query = {.states = {RunState::cancelled}}})->items.size(), 1U);
  const auto open = runs().list_runs({.query = {.states = {RunState::running, RunState::paused}}});
  ASSERT_EQ(open->items.size(), 4U);
  EXPECT_EQ(open->items[0].facts.id, ids[3]);
}

}  // namespace
PAWL_ON_EVERY_STORE(RunControl);
}  // namespace pawl::testing
