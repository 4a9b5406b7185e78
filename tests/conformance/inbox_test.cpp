// Calls in the inbox: one node executes each exactly once, under the id that was returned, or keeps it with
// the reason for its rejection. In production PostgreSQL's functions write them
// (tests/store/postgres_functions_test.cpp); these tests write them directly, on every store.
#include "core/records/inbox.hpp"

#include <nlohmann/json.hpp>

#include "runtime/inbox.hpp"
#include "tests/conformance/faults.hpp"
#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;
using core::TaskStatus;
using nlohmann::json;
using store::StoreError;

class InboxCalls : public RunTest {
 public:
  // Writes a request to the inbox as the SQL function `call` does, and returns its id.
  std::string leave(const std::string& call, json request) {
    const std::string id = "01890000-0000-7000-8000-0000000000" + std::to_string(++calls_ + 10);
    request["call"] = call;
    request.emplace("namespace", "default");
    std::vector<core::RecordChange> changes;
    changes.push_back({.ref = ref_of(id), .body = core::RawJson{request.dump()}, .expires_at = clock.now()});
    if (request.contains("once") && !request.contains("has_lost_its_key")) {
      changes.push_back({.ref = {.kind = core::RecordKind::inbox_key, .key = key_of(request)},
                         .body = core::RawJson{json{{"id", id}}.dump()}});
    }
    std::vector<core::RecordRef> refs;
    for (const auto& change : changes) refs.push_back(change.ref);
    const auto decide = [changes](core::FoundRecords, core::TimePoint) {
      return core::Result<core::RecordDecision>{core::RecordDecision{.changes = changes}};
    };
    EXPECT_TRUE(run_on(node(), core::ChangeRecords{.refs = refs, .decide = decide}).ok());
    clock.advance(1ms);
    return id;
  }
  std::string leave_task(json more = json::object()) {
    more.update({{"name", "t"}, {"payload", "{\"a\": 1.0}"}, {"queue", "default"}, {"priority", 0}});
    return leave("enqueue", more);
  }
  static core::RecordRef ref_of(const std::string& id) {
    return {.kind = core::RecordKind::inbox, .key = id};
  }
  static std::string key_of(const json& request) {
    const auto text = [&](const char* name) { return request.at(name).get<std::string>(); };
    return text("call") + "\n" + text("namespace") + "\n" + text("name") + "\n" + text("once");
  }

  static int look(DirectNode& node) {
    return runtime::Inbox{*node.store(), node.engine(), node.local()}.poll();
  }
  int poll() { return look(node()); }

  std::string problem_of(const std::string& id) {
    const auto record = node().store()->find_record(ref_of(id));
    return record ? json::parse(record->body.text).value("problem", "none") : "gone";
  }
  bool has_key(const std::string& key) {
    return node().store()->find_record({.kind = core::RecordKind::inbox_key, .key = key}).has_value();
  }
  // From now on the node creates the task or run of a call when a request names its id, as a server does.
  void make_on_request() {
    node().local().follow([this](const std::string& id) {
      return runtime::Inbox{*node().store(), node().engine(), node().local()}.make(id);
    });
  }
  std::unique_ptr<runtime::LocalApi> once(const std::string& key) {
    return node().local().once({.key = key, .request_hash = "sha256:1", .ttl = 1h});
  }

  core::Task task(const std::string& id) { return get(task_id(id)).task; }
  static core::TaskId task_id(const std::string& id) { return core::TaskId{*core::parse_uuid(id)}; }
  static core::RunId run_id(const std::string& id) { return core::RunId{*core::parse_uuid(id)}; }

 private:
  int calls_ = 0;
};

TEST_P(InboxCalls, BecomeTasksWithTheReturnedIds) {
  const std::string plain = leave_task();
  const std::string full = leave_task({{"queue", "mail"}, {"priority", 7}, {"key", "k"}, {"once", "o"}});
  EXPECT_EQ(poll(), 2);
  EXPECT_EQ(task(plain).payload.text, "{\"a\": 1.0}") << "byte for byte";
  EXPECT_EQ(task(plain).queue, "default");
  EXPECT_EQ(task(full).key, "k");
  EXPECT_EQ(task(full).idempotency_key, "o");
  EXPECT_EQ(problem_of(plain), "gone");
  EXPECT_FALSE(has_key("enqueue\ndefault\nt\no"));
  EXPECT_EQ(poll(), 0);
  EXPECT_EQ(list({}).size(), 2U);
}

TEST_P(InboxCalls, OfOneKeyBecomeAKeyLineInCallOrder) {
  const std::string first = leave_task({{"key", "k"}});
  const std::string second = leave_task({{"key", "k"}});
  EXPECT_EQ(poll(), 2);
  EXPECT_EQ(to_string(claim_one().id), first);
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(task(second).status, TaskStatus::blocked);
}

TEST_P(InboxCalls, KeepTheirRunAt) {
  const auto at = core::micros(clock.now() + 1h);
  const std::string id = leave_task({{"run_at", at}});
  EXPECT_EQ(poll(), 1);
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(core::micros(task(id).available_at), at);
}

TEST_P(InboxCalls, AreExecutedByOneOfTwoNodes) {
  (void)leave_task();
  const auto other = another_node(2);
  const auto due = node().store()->due_records(core::RecordKind::inbox, 10);
  EXPECT_EQ(look(*other), 1);
  ASSERT_EQ(due.size(), 1U);
  const core::InboxCall call = core::inbox_call_from(due.front());
  core::DoOnce once{.keep = [](const core::Answer&) { return std::optional{core::RawJson{}}; },
                    .command = std::make_shared<core::AnyCommand>(core::AnyCommand{call.command}),
                    .takes = call.refs};
  EXPECT_EQ(submit(std::move(once)).problem(), ProblemCode::already_completed);
  EXPECT_EQ(list({}).size(), 1U);
}

TEST_P(InboxCalls, AreExecutedOnceDespiteAFailedCommit) {
  (void)leave_task();
  FaultyNode faulty{node(), clock, 3};
  faulty.plan.on_verb = [](store::Verb verb) {
    if (verb == store::Verb::commit) lose(StoreError::Kind::unavailable);
  };
  EXPECT_EQ(look(faulty.node), 0);
  EXPECT_EQ(list({}).size(), 0U);
  faulty.plan.on_verb = [](store::Verb) {};
  faulty.plan.on_committed = [] { lose(StoreError::Kind::unknown); };
  EXPECT_EQ(look(faulty.node), 0) << "done, and the node does not know";
  EXPECT_EQ(poll(), 0);
  EXPECT_EQ(list({}).size(), 1U);
}

TEST_P(InboxCalls, CheckedByTheFunctionAreExecutedAfterTheirTypeChanges) {
  ASSERT_TRUE(api().put_type({.type = {.name = "t", .required = {"to"}, .queue = "of-the-type"}}).ok());
  const std::string id = leave_task({{"checked", true}});
  EXPECT_EQ(poll(), 1);
  EXPECT_EQ(task(id).queue, "of-the-type");
}

TEST_P(InboxCalls, RejectedByTheirTypeStayWithTheReason) {
  ASSERT_TRUE(api().put_type({.type = {.name = "t", .required = {"to"}}}).ok());
  const std::string bad = leave_task({{"once", "o"}});
  EXPECT_EQ(poll(), 1);
  EXPECT_NE(problem_of(bad).find("invalid_argument: payload"), std::string::npos) << problem_of(bad);
  EXPECT_FALSE(has_key("enqueue\ndefault\nt\no")) << "somebody may do better";
  EXPECT_EQ(poll(), 0) << "it is not tried again";
  const auto audit = node().local().list_audit({.limit = 1});
  ASSERT_TRUE(audit.ok());
  EXPECT_EQ(audit->items.front().action, "sql.enqueue");
  EXPECT_EQ(audit->items.front().object, bad);
  EXPECT_EQ(audit->items.front().outcome, "invalid_argument");
}

TEST_P(InboxCalls, WithAKeyUsedByAnotherTaskStayAndNameThatTask) {
  core::TaskSpec spec = task_of("t");
  spec.idempotency_key = "o";
  const core::Task first = enqueue(spec);
  const std::string late = leave_task({{"once", "o"}, {"has_lost_its_key", true}});
  EXPECT_EQ(poll(), 1);
  EXPECT_EQ(problem_of(late), "conflict: task " + to_string(first.id) +
                                  " has this key: it was created while the transaction was open");
  EXPECT_EQ(list({}).size(), 1U);
}

TEST_P(InboxCalls, StartRunsAndSignalThem) {
  define("w", R"({"id":"wait","type":"signal","signal":"go"})");
  const std::string id = leave("start_workflow", {{"name", "w"}, {"payload", "[1,  2]"}, {"once", "key"}});
  (void)leave("signal", {{"name", "go"}, {"payload", "{}"}, {"run", id}});
  EXPECT_EQ(poll(), 2);
  const core::Run run = run_of(run_id(id));
  EXPECT_EQ(run.facts.input.text, "[1,  2]");
  EXPECT_EQ(run.facts.run_key, "key");
  EXPECT_EQ(run.state, core::RunState::completed);
  EXPECT_FALSE(has_key("start_workflow\ndefault\nw\nkey"));
}

TEST_P(InboxCalls, OfAnUndeclaredWorkflowAreRetried) {
  const std::string id = leave("start_workflow", {{"name", "later"}, {"payload", "1"}, {"once", "key"}});
  EXPECT_EQ(poll(), 1);
  EXPECT_EQ(problem_of(id), "not_found: there is no workflow later");
  EXPECT_TRUE(has_key("start_workflow\ndefault\nlater\nkey")) << "it is still to come";
  EXPECT_EQ(poll(), 0);
  define("later", R"({"id":"a","activity":"t"})");
  clock.advance(5s);
  EXPECT_EQ(poll(), 1);
  EXPECT_EQ(state_of(run_id(id)), core::RunState::running);
  EXPECT_EQ(problem_of(id), "gone");
}

TEST_P(InboxCalls, PostponedByAnotherNodeAreNotRejected) {
  const std::string id = leave("start_workflow", {{"name", "later"}, {"payload", "1"}});
  const core::InboxCall call =
      core::inbox_call_from(node().store()->due_records(core::RecordKind::inbox, 1).at(0));
  EXPECT_EQ(poll(), 1);
  const auto put_off = node().store()->find_record(ref_of(id));
  const std::optional<core::Record> found[]{put_off};
  const auto decision =
      core::refuse(call, {.code = ProblemCode::already_completed, .detail = "late"}, found, clock.now());
  ASSERT_TRUE(decision.ok());
  EXPECT_TRUE(decision->changes.empty());
}

TEST_P(InboxCalls, StartCodeWorkflowsThatAWorkerOffers) {
  ASSERT_TRUE(api().register_worker({.workflow_types = {"code"}, .hostname = "h", .pid = 1}).ok());
  const std::string id = leave("start_workflow", {{"name", "code"}, {"payload", "1"}});
  EXPECT_EQ(poll(), 1);
  EXPECT_EQ(run_of(run_id(id)).facts.kind, core::RunKind::code);
}

TEST_P(InboxCalls, ForAnEndedRunStayWithTheReason) {
  define("w", R"({"id":"a","activity":"t"})");
  const core::RunId run = start("w");
  (void)work();
  const std::string late = leave("signal", {{"name", "go"}, {"payload", "1"}, {"run", to_string(run)}});
  EXPECT_EQ(poll(), 1);
  EXPECT_EQ(problem_of(late), "already_completed: the run is completed: it accepts no more signals");
}

// --- requests that name the id before a node has executed the call ---

TEST_P(InboxCalls, AreFoundByACancelWithAnIdempotencyKey) {
  make_on_request();
  const core::TaskId id = task_id(leave_task());
  const auto canceled = once("k")->cancel_task("default", id);
  ASSERT_TRUE(canceled.ok()) << canceled.problem().detail;
  EXPECT_EQ(canceled->status, TaskStatus::cancelled);
  const auto again = once("k");
  EXPECT_TRUE(again->cancel_task("default", id).ok());
  EXPECT_TRUE(again->is_replayed()) << "the try that found the task stored the key";
}

TEST_P(InboxCalls, AreFoundByARetryWithAnIdempotencyKey) {
  make_on_request();
  const core::TaskId id = task_id(leave_task());
  EXPECT_EQ(once("k")->retry_task("default", id).problem().code, ProblemCode::invalid_state);
  EXPECT_EQ(get(id).task.status, TaskStatus::pending);
}

TEST_P(InboxCalls, AcceptCheckpointsBeforeTheyAreExecuted) {
  make_on_request();
  define("w", R"({"id":"wait","type":"signal","signal":"go"})");
  const auto leave_run = [&] { return run_id(leave("start_workflow", {{"name", "w"}, {"payload", "1"}})); };
  const std::vector<core::CheckpointOwner> owners{task_id(leave_task()), leave_run(), task_id(leave_task()),
                                                  leave_run()};
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const auto keyed = once("k" + std::to_string(i));
    runtime::LocalApi& caller = i < 2 ? node().local() : *keyed;
    const auto appended =
        caller.append_checkpoint({.owner = owners[i], .type = "manual_checkpoint", .snapshot = {"{}"}});
    ASSERT_TRUE(appended.ok()) << i << ": " << appended.problem().detail;
    EXPECT_EQ(appended->sequence, 1) << i;
  }
}

TEST_P(InboxCalls, StartingRunsAcceptNoTasks) {
  define("w", R"({"id":"wait","type":"signal","signal":"go"})");
  const std::string run = leave("start_workflow", {{"name", "w"}, {"payload", "1"}});
  const std::string elsewhere =
      leave("start_workflow", {{"name", "w"}, {"payload", "1"}, {"namespace", "other"}});
  const auto detail_of = [&](const std::string& id) {
    core::TaskSpec spec = task_of("t");
    spec.run_id = run_id(id);
    return api().enqueue("default", spec).problem().detail;
  };
  EXPECT_EQ(detail_of(run), "run_id: is not an open run: its tasks are those of its definition or its code");
  for (const std::string& other : {elsewhere, leave_task()})
    EXPECT_EQ(detail_of(other), "run_id: there is no run " + other);
}

PAWL_ON_EVERY_STORE(InboxCalls);

}  // namespace
}  // namespace pawl::testing
