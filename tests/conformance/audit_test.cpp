// The audit log: an entry for every operator action, in the same commit, chained to the previous entry.
#include "tests/conformance/faults.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::testing {
namespace {

class Audit : public Conformance {
 public:
  std::vector<core::AuditEntry> entries() { return api().list_audit({})->items; }  // newest first
  core::Verdict chain() {
    const auto verified = api().verify();
    for (const core::Verdict& verdict : verified->checks) {
      if (verdict.id == "I44") return verdict;
    }
    return {};
  }
  void write(const core::AuditEntry& entry) { node().store()->begin()->commit({.audit = {entry}}); }
  static core::Actor actor(const std::string& id = "aaaaaaaaaaaa") {
    return {.id = id, .role = "operator", .request_id = "r1"};
  }
};

TEST_P(Audit, RecordsOperatorActionsOnTasks) {
  const core::Task task = enqueue(task_of("t"));
  ASSERT_TRUE(api().cancel_task("default", task.id).ok());
  EXPECT_EQ(entries().at(0).action, "task.cancel");
  EXPECT_EQ(entries().at(0).object, to_string(task.id));
  EXPECT_EQ(entries().at(0).outcome, "ok");
  EXPECT_FALSE(api().retry_task("default", task.id).ok());
  EXPECT_EQ(entries().at(0).action, "task.retry");
  EXPECT_EQ(entries().at(0).outcome, "invalid_state");
  for (int i = 0; i < 3; ++i) (void)enqueue(task_of("bulk"));
  ASSERT_EQ(api().cancel_tasks({.query = {.type = "bulk"}})->changed, 3);
  EXPECT_EQ(entries().at(0).detail.text, R"({"matched":3,"changed":3})");
  EXPECT_EQ(entries().size(), 3U);
}

TEST_P(Audit, RecordsChangesOfQueuesTypesAndWorkers) {
  set_queue("q", {.paused = true});
  ASSERT_TRUE(api().put_type({.type = {.name = "t"}}).ok());
  ASSERT_TRUE(api().register_worker({.worker_id = "w1"}).ok());
  ASSERT_TRUE(api().drain_worker({.worker_id = "w1"}).ok());
  ASSERT_TRUE(api().deregister_worker({.worker_id = "w1"}).ok());
  std::vector<std::string> actions;
  for (const core::AuditEntry& entry : entries()) actions.push_back(entry.action + " " + entry.object);
  EXPECT_EQ(actions,
            (std::vector<std::string>{"worker.delete w1", "worker.drain w1", "type.put t", "queue.set q"}));
}

TEST_P(Audit, RecordsTheActor) {
  const core::Task task = enqueue(task_of("t"));
  ASSERT_TRUE(node().api().cancel_task({.id = task.id, .by = actor()}).ok());
  const core::AuditEntry entry = entries().at(0);
  EXPECT_EQ(entry.actor, "aaaaaaaaaaaa");
  EXPECT_EQ(entry.role, "operator");
  EXPECT_EQ(entry.request_id, "r1");
  EXPECT_EQ(entry.ns, "default");
  EXPECT_EQ(entry.at, clock.now());
}

TEST_P(Audit, RecordsOneEntryForABatchOfAToken) {
  const core::EnqueueTasks one{.tasks = {task_of("t")}, .by = actor()};
  const core::EnqueueTasks two{.tasks = {task_of("t"), task_of("t")}, .by = actor()};
  const core::EnqueueTasks nobody{.tasks = {task_of("t"), task_of("t")}};
  (void)submit_group(node(), {one, two, nobody});
  const auto found = entries();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].action, "task.enqueue");
  EXPECT_EQ(found[0].actor, "aaaaaaaaaaaa");
  EXPECT_EQ(found[0].detail.text, R"({"count":2})");
}

TEST_P(Audit, RecordsNothingOfAFailedCommit) {
  const core::Task task = enqueue(task_of("t"));
  FaultyNode faulty{node(), clock, 3};
  faulty.plan.on_verb = [](store::Verb verb) {
    if (verb == store::Verb::commit) lose(store::StoreError::Kind::internal);
  };
  EXPECT_FALSE(faulty.node.api().cancel_task("default", task.id).ok());
  EXPECT_TRUE(entries().empty());
}

TEST_P(Audit, IsOneHashChainAcrossNodes) {
  EXPECT_EQ(chain().examined, 0);
  const auto other = another_node(2);
  for (int i = 0; i < 4; ++i) {
    core::Api& one = i % 2 == 0 ? node().api() : other->api();
    ASSERT_TRUE(
        one.append_audit({{.action = "a" + std::to_string(i)}, {.action = "b", .detail = {"{}"}}}).ok());
  }
  const auto found = entries();
  ASSERT_EQ(found.size(), 8U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].sequence, static_cast<std::int64_t>(found.size() - i));
    EXPECT_EQ(found[i].hash, core::audit_hash(i + 1 < found.size() ? found[i + 1].hash : "", found[i]));
  }
  EXPECT_EQ(chain().examined, 8);
  EXPECT_TRUE(chain().violations.empty());
}

TEST_P(Audit, DetectsAForgedEntry) {
  ASSERT_TRUE(node().api().append_audit({{.action = "one"}}).ok());
  write({.sequence = 2, .at = clock.now(), .action = "forged", .hash = "0000"});
  EXPECT_EQ(chain().violations.at(0).object, "2");
}

TEST_P(Audit, DetectsMissingEntries) {
  ASSERT_TRUE(node().api().append_audit({{.action = "one"}}).ok());
  core::AuditEntry far{.sequence = 3, .at = clock.now(), .action = "three"};
  far.hash = core::audit_hash(entries().at(0).hash, far);
  write(far);
  EXPECT_EQ(chain().violations.at(0).message, "the chain ends before it, with entry 1");
  EXPECT_EQ(chain().violations.at(1).message, "the entry before it is missing");
}

PAWL_ON_EVERY_STORE(Audit);

}  // namespace
}  // namespace pawl::testing
