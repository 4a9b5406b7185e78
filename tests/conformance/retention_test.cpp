// Retention erases expired objects with everything that belongs to them, and nothing else.
#include <map>

#include "runtime/membership.hpp"
#include "runtime/retainer.hpp"
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;
using core::RecoveryCheck;
using core::TaskStatus;

constexpr core::Duration kDay = 24h;

class Retention : public RunTest {
 public:
  core::Task completed(const core::TaskSpec& spec = task_of("t")) {
    const core::Task task = enqueue(spec);
    complete(claim_one("w1"));
    return task;
  }
  core::Task cancelled() {
    const core::Task task = enqueue(task_of("t"));
    EXPECT_TRUE(api().cancel_task("default", task.id).ok());
    return task;
  }
  core::SweepResult sweep() { return *api().sweep({.check = RecoveryCheck::retention}); }
  void set(const core::NamespacePatch& patch) {
    EXPECT_TRUE(api().put_namespace({.patch = patch}).ok());
    clock.advance(1min);  // longer than a node caches the settings of a namespace
  }
  bool is_there(const core::Task& task) { return is_there(task.id); }
  bool is_there(const core::TaskId& id) { return api().get_task("default", id).ok(); }
  bool is_there(const core::RunId& id) { return runs().get_run({.id = id}).ok(); }
};

TEST_P(Retention, ErasesAFinishedTaskAfterSevenDays) {
  const core::Task task = completed();
  clock.advance(7 * kDay - 1s);
  EXPECT_EQ(sweep().changed, 0);
  EXPECT_TRUE(is_there(task));
  clock.advance(1s);
  const core::SweepResult swept = sweep();
  EXPECT_EQ(swept.changed, 1);
  EXPECT_EQ(swept.examined, 1);
  ASSERT_EQ(swept.erased.size(), 1U);
  EXPECT_EQ(swept.erased[0], (core::ErasedKind{.ns = "default", .kind = "tasks", .count = 1}));
  EXPECT_EQ(api().get_task("default", task.id).problem().code, ProblemCode::not_found);
  EXPECT_EQ(sweep().changed, 0);
}

TEST_P(Retention, ErasesTheLabelsOfATask) {
  core::TaskSpec spec = task_of("t");
  spec.labels = {{"region", "eu"}, {"tier", "gold"}};
  const core::Task gone = enqueue(spec);
  EXPECT_TRUE(api().cancel_task("default", gone.id).ok());
  clock.advance(8 * kDay);
  const core::Task kept = enqueue(spec);
  EXPECT_EQ(sweep().changed, 1);
  EXPECT_FALSE(is_there(gone));
  const auto labeled = api().list_tasks({.query = {.label = {{"region", "eu"}}}});
  ASSERT_EQ(labeled->items.size(), 1U);
  EXPECT_EQ(labeled->items[0].id, kept.id);
  EXPECT_TRUE(api().verify()->is_ok());
}

TEST_P(Retention, KeepsTasksThatHaveNotEnded) {
  const core::Task held = enqueue(task_of("t"));
  (void)claim_one("w1", 24h);
  core::TaskSpec later = task_of("t");
  later.run_at = clock.now() + 100 * kDay;
  const core::Task scheduled = enqueue(later);
  const core::Task pending = enqueue(task_of("t"));
  const core::Task head = enqueue_keyed("k");
  const core::Task waiting = enqueue_keyed("k");
  clock.advance(60 * kDay);
  EXPECT_EQ(sweep().changed, 0);
  for (const core::Task& task : {held, scheduled, pending, head, waiting}) EXPECT_TRUE(is_there(task));
}

TEST_P(Retention, CountsFromTheEndOfATask) {
  const core::Task task = enqueue(task_of("t"));
  clock.advance(30 * kDay);
  complete(claim_one("w1"));
  EXPECT_EQ(sweep().changed, 0);
  clock.advance(7 * kDay);
  EXPECT_EQ(sweep().changed, 1);
  EXPECT_FALSE(is_there(task));
}

TEST_P(Retention, HasATimePerStateAndQueue) {
  const auto keep = [this](const core::TaskSpec& spec) { return completed(spec); };
  const core::Task done = keep(task_of("t"));
  core::TaskSpec elsewhere = task_of("t");
  elsewhere.queue = "bulk";
  const core::Task bulk = enqueue(elsewhere);
  EXPECT_EQ(api().claim({.worker_id = "w1", .queues = {"bulk"}})->size(), 1U);
  complete(get(bulk.id).task);
  const core::Task dead = run_to_dead_letter(task_of("dead"));
  const core::Task failed = run_to_failed(task_of("failed"));
  const core::Task stopped = cancelled();
  set({.retention_completed = 2 * kDay,
       .retention_failed = 3 * kDay,
       .retention_dead_letter = 5 * kDay,
       .retention_cancelled = 4 * kDay,
       .retention_queues = {{{"bulk", kDay}}}});
  const std::vector<std::pair<core::Duration, core::Task>> order{
      {kDay, bulk}, {2 * kDay, done}, {3 * kDay, failed}, {4 * kDay, stopped}, {5 * kDay, dead}};
  core::Duration passed{0};
  for (const auto& [after, task] : order) {
    EXPECT_TRUE(is_there(task));
    clock.advance(after - passed);
    passed = after;
    EXPECT_EQ(sweep().changed, 1) << core::format_duration(after);
    EXPECT_FALSE(is_there(task));
  }
}

TEST_P(Retention, ErasesATaskWithItsKeyItsAttemptsAndItsCheckpoints) {
  core::TaskSpec spec = task_of("t");
  spec.idempotency_key = "once";
  const core::Task task = completed(spec);
  ASSERT_TRUE(api().append_checkpoint({.owner = task.id, .type = "iteration_end", .snapshot = {"1"}}).ok());
  EXPECT_FALSE(api().enqueue("default", spec)->created);
  clock.advance(7 * kDay);
  EXPECT_FALSE(api().enqueue("default", spec)->created) << "as long as the task is kept";
  EXPECT_EQ(sweep().changed, 1);
  const auto anew = api().enqueue("default", spec);
  EXPECT_TRUE(anew->created);
  EXPECT_NE(anew->task.id, task.id);
  EXPECT_EQ(api().summarize_checkpoints("default", anew->task.id)->total, 0);
}

TEST_P(Retention, UpdatesTheCountOfDeadLetters) {
  (void)run_to_dead_letter(task_of("dead"));
  EXPECT_EQ(queue().counts.dead_letter, 1);
  clock.advance(7 * kDay);
  EXPECT_EQ(sweep().changed, 1);
  EXPECT_EQ(queue().counts.dead_letter, 0);
}

TEST_P(Retention, KeepsATaskThatWasRetriedAfterTheScan) {
  const core::Task dead = run_to_dead_letter(task_of("dead"));
  const core::TimePoint finished_at = *get(dead.id).task.finished_at;
  clock.advance(7 * kDay);
  ASSERT_TRUE(api().retry_task("default", dead.id).ok());
  complete(claim_one("w1"));
  const auto answer =
      run_on(node(), core::EraseTasks{.tasks = {{.id = dead.id, .finished_at = finished_at}}});
  EXPECT_EQ(std::get<core::Swept>(*answer).changed, 0);
  EXPECT_TRUE(is_there(dead));
}

TEST_P(Retention, ErasesARunWithAllItsRows) {
  define("flow", R"({"id":"a","activity":"t"},{"id":"w","type":"signal","signal":"ok","after":["a"]})");
  const auto started = runs().start_run({.workflow = "flow", .run_key = "one"});
  const core::RunId run = started->run.facts.id;
  claimed();
  const core::TaskId task = held("a").task.id;
  complete_node("a");
  signal(run, "ok");
  ASSERT_EQ(state_of(run), core::RunState::completed);
  ASSERT_TRUE(api().append_checkpoint({.owner = run, .type = "iteration_end", .snapshot = {"1"}}).ok());
  clock.advance(29 * kDay);
  EXPECT_EQ(sweep().changed, 0);
  EXPECT_TRUE(is_there(task)) << "a task of a run is kept as long as its run";
  clock.advance(kDay);
  EXPECT_EQ(sweep().erased, (std::vector<core::ErasedKind>{{.ns = "default", .kind = "runs", .count = 1}}));
  EXPECT_FALSE(is_there(run));
  EXPECT_FALSE(is_there(task));
  EXPECT_TRUE(runs().start_run({.workflow = "flow", .run_key = "one"})->created) << "its key is free";
}

TEST_P(Retention, KeepsTheTasksOfALiveRun) {
  const core::RunId run = runs().open_run({})->run.facts.id;
  const core::TaskId first = add(run);
  work();
  clock.advance(90 * kDay);
  EXPECT_EQ(sweep().changed, 0);
  EXPECT_TRUE(is_there(first));
  act(run, core::RunAction::complete);
  clock.advance(30 * kDay);
  EXPECT_EQ(sweep().changed, 1);
  EXPECT_FALSE(is_there(first));
}

TEST_P(Retention, KeepsARunWithAHeldTask) {
  const core::RunId run = runs().open_run({})->run.facts.id;
  add(run);
  (void)api().claim({.worker_id = "w1", .lease = 24h});
  act(run, core::RunAction::cancel);
  const core::Run closed = run_of(run);
  const auto answer = run_on(node(), core::EraseRuns{.runs = {{.id = run, .sequence = closed.sequence}}});
  EXPECT_EQ(std::get<core::Swept>(*answer).changed, 0);
  EXPECT_TRUE(is_there(run));
}

TEST_P(Retention, KeepsAChildAsLongAsItsParent) {
  define("child", R"({"id":"c","activity":"t"})");
  define("parent", R"({"id":"p","type":"workflow","workflow":"child"},
                      {"id":"w","type":"signal","signal":"ok","after":["p"]})");
  const core::RunId parent = start("parent");
  work();
  const core::RunId child = *node_of(parent, "p").child_id;
  ASSERT_EQ(state_of(child), core::RunState::completed);
  clock.advance(40 * kDay);
  EXPECT_EQ(sweep().changed, 0);
  signal(parent, "ok");
  clock.advance(30 * kDay);
  (void)sweep();
  EXPECT_FALSE(is_there(parent));
  (void)sweep();
  EXPECT_FALSE(is_there(child));
}

TEST_P(Retention, ErasesRunsInANamespaceWithoutTasks) {
  set({.retention_runs = 1s});
  const core::RunId run = runs().open_run({})->run.facts.id;
  act(run, core::RunAction::complete);
  clock.advance(2s);
  EXPECT_EQ(sweep().changed, 1);
  EXPECT_FALSE(is_there(run));
}

TEST_P(Retention, ErasesTheOldestAuditEntriesAndKeepsTheChain) {
  ASSERT_TRUE(api().append_audit({{.action = "one"}, {.action = "two"}}).ok());
  clock.advance(200 * kDay);
  ASSERT_TRUE(api().append_audit({{.action = "three"}}).ok());
  clock.advance(165 * kDay);
  EXPECT_EQ(sweep().changed, 2);
  const auto kept = api().list_audit({});
  ASSERT_EQ(kept->items.size(), 2U);
  EXPECT_EQ(kept->items[0].action, "admin.sweep");
  EXPECT_EQ(kept->items[1].action, "three");
  EXPECT_TRUE(api().verify()->is_ok());
}

TEST_P(Retention, ReportsWithoutErasingInADryRun) {
  const core::Task task = completed();
  clock.advance(7 * kDay);
  const auto dry = api().sweep({.check = RecoveryCheck::retention, .dry_run = true});
  EXPECT_EQ(dry->examined, 1);
  EXPECT_EQ(dry->changed, 0);
  EXPECT_EQ(dry->erased, (std::vector<core::ErasedKind>{{.ns = "default", .kind = "tasks", .count = 1}}));
  EXPECT_TRUE(is_there(task));
  EXPECT_EQ(api().sweep({.check = RecoveryCheck::leases, .dry_run = true}).problem().errors.at(0).field,
            "dry_run");
}

TEST_P(Retention, RejectsInvalidSettingsByName) {
  const auto refused = [this](const core::NamespacePatch& patch) {
    return api().put_namespace({.patch = patch}).problem().errors.at(0).field;
  };
  EXPECT_EQ(refused({.retention_runs = -1s}), "retention_runs");
  EXPECT_EQ(refused({.retention_checkpoints = 0}), "retention_checkpoints");
  EXPECT_EQ(refused({.retention_queues = {{{"", kDay}}}}), "retention_queues");
  EXPECT_EQ(*api().get_namespace("default"), core::NamespaceSettings{});
}

TEST_P(Retention, RoundTripsItsSettings) {
  const core::NamespaceSettings wanted{.retention_completed = 1h,
                                       .retention_dead_letter = 2h,
                                       .retention_cancelled = 3h,
                                       .retention_runs = 4h,
                                       .retention_checkpoints = 5,
                                       .retention_queues = {{"a", 1500ms}, {"b", 0s}}};
  set({.retention_completed = 1h,
       .retention_dead_letter = 2h,
       .retention_cancelled = 3h,
       .retention_runs = 4h,
       .retention_checkpoints = 5,
       .retention_queues = {{{"a", 1500ms}, {"b", 0s}}}});
  EXPECT_EQ(*api().get_namespace("default"), wanted);
}

TEST_P(Retention, ErasesManyTasksPageByPage) {
  core::EnqueueTasks many;
  for (int i = 0; i < 1'203; ++i) many.tasks.push_back(task_of("t"));
  ASSERT_TRUE(api().enqueue_batch(many).ok());
  const core::Task kept = enqueue_keyed("k");
  for (auto tasks = claim("w1", 600); !tasks.empty(); tasks = claim("w1", 600)) {
    core::ReportTasks reports{.worker_id = "w1"};
    for (const core::ClaimedTask& one : tasks) {
      if (one.task.id == kept.id) continue;
      reports.reports.push_back(
          {.task_id = one.task.id, .fence = one.task.lease->fence, .action = core::ReportAction::complete});
    }
    if (reports.reports.empty()) break;
    ASSERT_TRUE(api().report(reports).ok());
  }
  clock.advance(8 * kDay);
  runtime::Retainer retainer{engine(), clock, {}};
  for (int page = 0; page < 10; ++page) (void)retainer.step();
  const auto left = api().list_tasks({.limit = 500});
  ASSERT_EQ(left->items.size(), 1U);
  EXPECT_EQ(left->items[0].id, kept.id);
}

TEST_P(Retention, ReportsLongOverdueTasksAsViolationsWhileANodeLeads) {
  SeededRandom random{5};
  runtime::Membership leader{engine(), clock, random, {.hostname = "one", .leader_ttl = 24h}};
  leader.beat_if_due();
  const core::Task task = completed();
  const auto violations = [this] {
    std::map<std::string, std::size_t> found;
    const auto verified = api().verify();
    for (const core::Verdict& verdict : verified->checks) found[verdict.id] = verdict.violations.size();
    return found.at("I38");
  };
  for (int day = 0; day < 8; ++day) {
    clock.advance(kDay - 1s);
    leader.beat_if_due();
  }
  EXPECT_EQ(violations(), 0U);
  clock.advance(1h);
  EXPECT_EQ(violations(), 1U);
  EXPECT_EQ(sweep().changed, 1);
  EXPECT_EQ(violations(), 0U);
}

PAWL_ON_EVERY_STORE(Retention);

}  // namespace
}  // namespace pawl::testing
