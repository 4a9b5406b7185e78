// Invalid input and failing stores: each call returns its problem, and nothing is stored.

#include "store/sqlite/sqlite_store.hpp"
#include "tests/conformance/faults.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ProblemCode;
using core::ReportAction;
using core::TaskStatus;
using store::StoreError;
using store::Verb;

class BadInput : public Conformance {
 public:
  void expect_nothing_stored(const core::TaskSpec& spec, const std::string& field,
                             ProblemCode code = ProblemCode::invalid_argument) {
    SCOPED_TRACE(field);
    const auto refused = api().enqueue("default", spec);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.problem().code, code);
    EXPECT_EQ(refused.problem().errors.at(0).field, field);
    EXPECT_TRUE(list({}).empty());
    EXPECT_TRUE(api().list_queues("default")->empty());
  }
};

TEST_P(BadInput, InAPayloadIsRejected) {
  expect_nothing_stored(task_of("t", "{\"a\":"), "payload");
  expect_nothing_stored(task_of("t", "{} x"), "payload");
  expect_nothing_stored(task_of("t", "\"" + std::string(core::kPayloadBytesMax - 1, 'x') + "\""), "payload",
                        ProblemCode::payload_too_large);
  expect_nothing_stored(task_of("t", std::string(65, '[') + std::string(65, ']')), "payload");
  expect_nothing_stored(task_of("t", std::string{"\"a\0b\"", 5}), "payload");
  expect_nothing_stored(task_of("t", std::string{"1\0", 2}), "payload");
  expect_nothing_stored(task_of("t", "\"\xff\""), "payload");
  expect_nothing_stored(task_of("t", R"("\ud800")"), "payload");
}

TEST_P(BadInput, InAFieldIsRejected) {
  const auto with = [](auto change) {
    core::TaskSpec spec = task_of("t");
    change(spec);
    return spec;
  };
  expect_nothing_stored(with([](auto& spec) { spec.type = ""; }), "type");
  expect_nothing_stored(with([](auto& spec) { spec.type = std::string{"a\0b", 3}; }), "type");
  expect_nothing_stored(with([](auto& spec) { spec.queue = "\xff"; }), "queue");
  expect_nothing_stored(with([](auto& spec) { spec.key = std::string(513, 'k'); }), "key");
  expect_nothing_stored(with([](auto& spec) { spec.retry.max_attempts = 0; }), "retry.max_attempts");
  expect_nothing_stored(with([](auto& spec) { spec.retry.backoff = 0; }), "retry.backoff");
  expect_nothing_stored(with([](auto& spec) { spec.delay = -1s; }), "delay");
  expect_nothing_stored(with([](auto& spec) { spec.timeout = 0s; }), "timeout");
  expect_nothing_stored(with([](auto& spec) { spec.fairness_key = "a", spec.priority = 40'000; }),
                        "priority");
  expect_nothing_stored(with([](auto& spec) { spec.labels = {{"a", "\n"}}; }), "labels.a");
  expect_nothing_stored(with([this](auto& spec) { spec.delay = 1s, spec.run_at = clock.now(); }), "delay");
}

TEST_P(BadInput, OfAReportChangesNothing) {
  enqueue(task_of("t"));
  const core::Task task = claim_one();
  core::Report bad = report_of(task, ReportAction::complete);
  bad.output = {"{"};
  expect_refused(task.id, "w1", bad, ProblemCode::invalid_argument);
  bad.output = {"\"" + std::string(core::kPayloadBytesMax - 1, 'x') + "\""};
  expect_refused(task.id, "w1", bad, ProblemCode::payload_too_large);
  bad = report_of(task, ReportAction::fail);
  bad.error.code = "";
  expect_refused(task.id, "w1", bad, ProblemCode::invalid_argument);
  bad.error = {.code = "c", .message = "\xff"};
  expect_refused(task.id, "w1", bad, ProblemCode::invalid_argument);
  EXPECT_EQ(api().report({.worker_id = "w1"}).problem().errors.at(0).field, "reports");
  complete(task);
}

TEST_P(BadInput, OfAClaimIsRejected) {
  enqueue(task_of("t"));
  const auto field = [this](const core::ClaimTasks& claim) {
    return api().claim(claim).problem().errors.at(0).field;
  };
  EXPECT_EQ(field({.worker_id = ""}), "worker_id");
  EXPECT_EQ(field({.worker_id = "w", .queues = {}}), "queues");
  EXPECT_EQ(field({.worker_id = "w", .max = 0}), "max");
  EXPECT_EQ(field({.worker_id = "w", .max = 1'001}), "max");
  EXPECT_EQ(field({.worker_id = "w", .lease = 1us}), "lease");
  EXPECT_EQ(field({.worker_id = "w", .wait = 61s}), "wait");
  EXPECT_EQ(queue().counts.pending, 1);
}

using BadStore = Conformance;

core::EnqueueTasks batch_of(std::size_t count) {
  core::EnqueueTasks batch;
  batch.tasks.assign(count, task_of("t"));
  for (core::TaskSpec& spec : batch.tasks) spec.key = "k";
  return batch;
}

TEST_P(BadStore, LostInMidBatchStoresNothingAndIsReportedAsUnavailable) {
  FaultyNode faulty{node(), clock, 2};
  for (const Verb verb : {Verb::intern_lanes, Verb::begin, Verb::lock_lines, Verb::commit}) {
    faulty.plan.on_verb = [verb](Verb at) {
      if (at == verb) lose(StoreError::Kind::unavailable);
    };
    const auto refused = faulty.node.api().enqueue_batch(batch_of(500));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.problem().code, ProblemCode::unavailable);
    EXPECT_TRUE(list({}).empty());
  }
  faulty.plan.on_verb = [](Verb) {};
  EXPECT_EQ(faulty.node.api().enqueue_batch(batch_of(500))->size(), 500U);
  expect_counts_kept();
}

TEST_P(BadStore, FailingOnceAtAnyCallIsInvisibleToTheCaller) {
  FaultyNode faulty{node(), clock, 2};
  std::size_t expected = 0;
  for (const StoreError::Kind kind : {StoreError::Kind::retry, StoreError::Kind::unavailable}) {
    for (int fail_at = 0;; ++fail_at) {  // fails the nth store call, until a run makes fewer calls
      int seen = 0;
      faulty.plan.on_verb = [&](Verb) {
        if (seen++ == fail_at) lose(kind);
      };
      core::TaskSpec spec = task_of("t");
      spec.key = "k" + std::to_string(expected);
      const auto answer = run_on(faulty.node, core::EnqueueTasks{.tasks = {spec, spec}});
      ASSERT_TRUE(answer.ok()) << answer.problem().detail;
      const auto claimed = run_on(faulty.node, core::ClaimTasks{.worker_id = "w1"});
      ASSERT_TRUE(claimed.ok());
      const auto& tasks = std::get<std::vector<core::ClaimedTask>>(*claimed);
      ASSERT_EQ(tasks.size(), 1U);
      const auto done = run_on(
          faulty.node, core::ReportTasks{.worker_id = "w1",
                                         .reports = {report_of(tasks[0].task, ReportAction::complete)}});
      ASSERT_TRUE(done.ok());
      faulty.plan.on_verb = [](Verb) {};
      ++expected;
      ASSERT_EQ(claim_one().key, spec.key) << "the next of its line, and no other";
      if (seen <= fail_at) break;
    }
  }
  EXPECT_GT(expected, 10U);
  EXPECT_EQ(list({.statuses = {TaskStatus::completed}}).size(), expected);
  EXPECT_EQ(list({}).size(), 2 * expected);
  expect_counts_kept();
}

TEST_P(BadStore, FailsEveryCallAsUnavailableWhileUnreachable) {
  const core::Task task = enqueue(task_of("t"));
  FaultyNode faulty{node(), clock, 2};
  faulty.plan.on_verb = [](Verb) { lose(StoreError::Kind::unavailable); };
  core::Api& gone = faulty.node.api();
  const auto code = [](const auto& result) { return result.problem().code; };
  EXPECT_EQ(code(gone.enqueue("default", task_of("t"))), ProblemCode::unavailable);
  EXPECT_EQ(code(gone.claim({.worker_id = "w"})), ProblemCode::unavailable);
  EXPECT_EQ(code(gone.report({.worker_id = "w", .reports = {{.task_id = task.id}}})),
            ProblemCode::unavailable);
  EXPECT_EQ(code(gone.cancel_task("default", task.id)), ProblemCode::unavailable);
  EXPECT_EQ(code(gone.retry_task("default", task.id)), ProblemCode::unavailable);
  EXPECT_EQ(code(gone.cancel_tasks({})), ProblemCode::unavailable);
  EXPECT_EQ(code(gone.retry_tasks({})), ProblemCode::unavailable);
  EXPECT_EQ(code(gone.get_task("default", task.id)), ProblemCode::unavailable);
  EXPECT_EQ(code(gone.list_tasks({})), ProblemCode::unavailable);
  EXPECT_EQ(code(gone.list_checkpoints("default", task.id)), ProblemCode::unavailable);
  EXPECT_EQ(code(gone.list_queues("default")), ProblemCode::unavailable);
  EXPECT_EQ(code(gone.set_queue({.name = "q", .patch = {.paused = true}})), ProblemCode::unavailable);
  EXPECT_EQ(faulty.node.engine().sweeper().tick(100).store_now, std::nullopt);
  EXPECT_FALSE(faulty.node.engine().sweeper().may_have_changed());
  faulty.node.engine().sweeper().maintain();
  EXPECT_EQ(list({}).size(), 1U);
  EXPECT_EQ(status_of(task.id), TaskStatus::pending);
}

PAWL_ON_EVERY_STORE(BadInput);
PAWL_ON_EVERY_STORE(BadStore);

// Only on SQLite: a limit on its file size simulates a full disk.
TEST(FullDisk, RejectsTheWholeBatchAndStillServesSmallerOnes) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/full.db";
  ManualClock clock;
  SeededRandom random{1};
  { const auto made = store::open_sqlite({.path = path, .clock = &clock, .random = &random}); }
  const std::shared_ptr<store::Store> small =
      store::open_sqlite({.path = path, .clock = &clock, .random = &random, .max_page_count = 200});
  DirectNode node{small, clock, 1};
  const auto first = node.api().enqueue("default", task_of("t"));
  ASSERT_TRUE(first.ok()) << first.problem().detail;

  core::EnqueueTasks large;
  large.tasks.assign(2'000, task_of("t", "\"" + std::string(1'000, 'x') + "\""));
  const auto refused = node.api().enqueue_batch(large);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.problem().code, ProblemCode::unavailable);
  EXPECT_NE(refused.problem().detail.find("full"), std::string::npos) << refused.problem().detail;
  EXPECT_EQ(node.api().list_tasks({})->items.size(), 1U);
  EXPECT_EQ(node.api().list_queues("default")->at(0).counts.pending, 1);

  const auto claimed = node.api().claim({.worker_id = "w1"});
  ASSERT_TRUE(claimed.ok()) << claimed.problem().detail;
  const auto done = report_to(node.api(), "w1", report_of(claimed->at(0).task, ReportAction::complete));
  EXPECT_TRUE(done.ok());
}

}  // namespace pawl::testing
