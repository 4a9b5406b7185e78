// `verify` finds nothing in a store that only the engine has written, and reports damage.
#include <map>

#include "engine/verify_task.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

class Verify : public Conformance {
 public:
  std::map<std::string, core::Verdict> verdicts() {
    std::map<std::string, core::Verdict> found;
    const auto verified = api().verify();
    for (const core::Verdict& verdict : verified->checks) found[verdict.id] = verdict;
    return found;
  }
  // Writes the record without checking whether the change is allowed.
  void damage(const core::TaskId& id, const std::function<void(core::TaskRecord&)>& change) {
    const auto tx = node().store()->begin();
    const store::Loaded loaded = tx->load({.tasks = {{.id = id, .facts = true}}});
    core::TaskRecord record = *loaded.tasks.at(0);
    const core::Place from = record.place;
    const std::int64_t fence = record.progress.fence;
    change(record);
    tx->commit({.tasks = {{.from = from, .fence_before = fence, .record = &record}}});
  }
};

TEST_P(Verify, ReportsWhatItExamined) {
  for (const auto& [id, verdict] : verdicts()) {
    if (id == "T00") continue;  // the pages of the file
    EXPECT_EQ(verdict.examined, 0) << id;
  }
  (void)run_to_dead_letter(task_of("dead"));
  (void)run_to_failed(task_of("failed"));
  core::TaskSpec spec = task_of("t");
  spec.key = "k";
  spec.idempotency_key = "i";
  (void)enqueue(spec);
  (void)enqueue_keyed("k");
  const auto found = verdicts();
  EXPECT_EQ(found.at("I04").examined, 4);
  EXPECT_EQ(found.at("I16").examined, 2);
  EXPECT_EQ(found.at("I33").examined, 1);
  EXPECT_EQ(found.at("I37").examined, 2);
  EXPECT_TRUE(api().verify()->is_ok());
}

// A process registers lanes as it uses them; one that only verifies has used none.
TEST_P(Verify, ExaminesTasksOfOtherNodes) {
  const auto fresh = another_node(2);
  (void)run_to_failed(task_of("u"));
  (void)enqueue(task_of("t"));
  const auto verified = fresh->api().verify();
  ASSERT_TRUE(verified.ok());
  for (const core::Verdict& verdict : verified->checks) {
    if (verdict.id != "I01") continue;
    EXPECT_EQ(verdict.examined, 2);
  }
}

TEST_P(Verify, FindsNothingAfterALongLife) {
  for (int i = 0; i < 30; ++i) (void)enqueue_keyed("k" + std::to_string(i % 5));
  for (int round = 0; round < 20; ++round) {
    for (const core::ClaimedTask& claimed : claim("w1", 3)) {
      if (round % 4 == 0) continue;  // its lease is lost
      if (round % 4 == 1) (void)fail(claimed.task);
      if (round % 4 == 2) (void)report(claimed.task, core::ReportAction::release);
      if (round % 4 == 3) complete(claimed.task);
    }
    clock.advance(40s);
    tick();
  }
  const auto verification = api().verify();
  for (const core::Verdict& verdict : verification->checks) {
    for (const core::Violation& one : verdict.violations)
      ADD_FAILURE() << verdict.id << " " << one.object << ": " << one.message;
  }
}

TEST_P(Verify, DetectsATaskThatDiedTooEarly) {
  const core::Task dead = run_to_dead_letter(task_of("t"));
  damage(dead.id, [](core::TaskRecord& record) { record.progress.attempt = 0; });
  const auto found = verdicts();
  EXPECT_EQ(found.at("I37").violations.at(0).object, to_string(dead.id));
  EXPECT_EQ(found.at("I10").violations.at(0).object, to_string(dead.id));
  EXPECT_FALSE(api().verify()->is_ok());
}

TEST_P(Verify, DetectsAFenceThatDecreased) {
  const core::Task task = enqueue(task_of("t"));
  (void)fail(claim_one());
  damage(task.id, [](core::TaskRecord& record) { record.progress.fence = 0; });
  EXPECT_EQ(verdicts().at("I05").violations.at(0).object, to_string(task.id));
}

TEST_P(Verify, DetectsAKeyWithTwoActiveTasks) {
  (void)enqueue_keyed("k");
  const core::Task second = enqueue_keyed("k");
  damage(second.id, [](core::TaskRecord& record) {
    record.status = core::TaskStatus::pending;
    record.place = core::Place::ready;
  });
  EXPECT_EQ(verdicts().at("I16").violations.at(0).object, "default/default/k");
}

PAWL_ON_EVERY_STORE(Verify);

TEST(VerifyTask, DetectsOverlappingAndMissingLeases) {
  store::StoredTask task;
  task.record.status = core::TaskStatus::running;
  task.record.place = core::Place::leased;
  task.record.progress = {.attempt = 2, .fence = 2};
  task.record.lease = core::Lease{.acquired_at = core::time_from_micros(5)};
  task.attempts = {{.attempt = 1, .fence = 1, .finished_at = core::time_from_micros(9)}};
  EXPECT_EQ(engine::findings_of(task).at(0).check, "I04");
  task.attempts.front().finished_at = core::time_from_micros(5);
  EXPECT_TRUE(engine::findings_of(task).empty());
  task.record.lease.reset();
  EXPECT_EQ(engine::findings_of(task).at(0).check, "I14");
}

}  // namespace
}  // namespace pawl::testing
