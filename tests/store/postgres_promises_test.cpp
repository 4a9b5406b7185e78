// Keys that SQL functions and other callers use concurrently: the first commit gets the key, and an id
// returned by a function exists once its transaction is committed.
#include <thread>

#include <gtest/gtest.h>

#include "core/json/json.hpp"
#include "engine/verify.hpp"
#include "runtime/env.hpp"
#include "runtime/runtime.hpp"
#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using postgres_test::Database;
using postgres_test::Session;

constexpr int kKeyRaces = 40;

// A node with its threads. Without polling, it leaves calls in the inbox until one is needed.
class PromiseNode {
 public:
  explicit PromiseNode(const Database& database, core::Duration inbox = 1h)
      : store_(open_postgres({.conninfo = database.conninfo(), .random = &random_})),
        runtime_(*store_, clock_, random_, {.inbox = inbox}) {}
  runtime::LocalApi& api() { return runtime_.local(); }
  Store& store() { return *store_; }

  core::Result<core::EnqueuedTask> enqueue(const std::string& key, const std::string& payload = "1") {
    core::TaskSpec spec;
    spec.type = "mail";
    spec.payload = {payload};
    spec.idempotency_key = key;
    return api().enqueue("default", spec);
  }
  core::Result<core::RunStarted> start(const std::string& key, core::OnConflict on_conflict = {}) {
    return api().start_run({.workflow = "w", .run_key = key, .input = {"1"}, .on_conflict = on_conflict});
  }

 private:
  runtime::SystemClock clock_;
  runtime::SystemRandom random_;
  std::unique_ptr<Store> store_;
  runtime::Runtime runtime_;
};

class PostgresPromises : public ::testing::Test {
 public:
  PostgresPromises() { migrate_postgres(database.conninfo()); }

  static std::string enqueue_sql(const std::string& key, const std::string& payload = "1") {
    return "select pawl.enqueue('mail', '" + payload + "', idempotency_key => '" + key + "')";
  }
  // The error of a refused statement.
  static std::string refusal(Session& session, const std::string& sql) {
    try {
      (void)session.query(sql);
    } catch (const std::runtime_error& error) {
      const std::string text = error.what();
      const auto begin = text.find("ERROR:");
      return begin == std::string::npos ? text : text.substr(begin + 8, text.find('\n', begin) - begin - 8);
    }
    return "";
  }
  std::string refusal(const std::string& call) { return refusal(session, "select pawl." + call); }
  void expect_empty_inbox() {
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (session.value("select count(*) from pawl.inbox where problem is null") != "0") {
      ASSERT_LT(std::chrono::steady_clock::now(), until);
    }
    EXPECT_EQ(session.value("select coalesce(min(problem), 'none') from pawl.inbox"), "none");
  }
  static void define(PromiseNode& node) {
    const std::string text = R"({"name":"w","tasks":[{"id":"a","type":"signal","signal":"go"}]})";
    ASSERT_TRUE(node.api().put_definition({.name = "w", .text = text}).ok());
  }
  static std::vector<std::string> violations(PromiseNode& node) { return violations(node.store()); }
  static std::vector<std::string> violations(Store& store) {
    std::vector<std::string> found;
    for (const core::Verdict& verdict : engine::verify(store, {}).checks) {
      for (const core::Violation& one : verdict.violations) found.push_back(verdict.id + " " + one.message);
    }
    return found;
  }

  Database database;
  Session session{database.conninfo()};
};

TEST_F(PostgresPromises, GiveALaterEnqueueOfAnyNodeTheIdOfACommittedCall) {
  PromiseNode one{database};
  PromiseNode other{database};
  for (int race = 0; race < kKeyRaces; ++race) {
    const std::string key = "k" + std::to_string(race);
    const std::string id = session.value(enqueue_sql(key));
    const auto enqueued = (race % 2 == 0 ? one : other).enqueue(key);
    ASSERT_TRUE(enqueued.ok()) << enqueued.problem().detail;
    EXPECT_FALSE(enqueued->created);
    EXPECT_EQ(to_string(enqueued->task.id), id);
    EXPECT_EQ(enqueued->task.idempotency_key, key);
  }
  EXPECT_EQ(session.value("select count(*) from pawl.tasks"), std::to_string(kKeyRaces));
  expect_empty_inbox();
  EXPECT_EQ(violations(one), std::vector<std::string>{});
}

TEST_F(PostgresPromises, GiveABatchTheIdBeforeTheTaskIsCreated) {
  PromiseNode node{database};
  const std::string id = session.value(enqueue_sql("k"));
  core::EnqueueTasks batch{.ns = "default"};
  for (const char* key : {"k", "l"}) {
    batch.tasks.emplace_back().type = "mail";
    batch.tasks.back().idempotency_key = key;
  }
  const auto enqueued = node.api().enqueue_batch(batch);
  ASSERT_TRUE(enqueued.ok());
  EXPECT_EQ(to_string(enqueued->front().id), id);
  EXPECT_FALSE(enqueued->front().created);
  EXPECT_TRUE(enqueued->back().created);
  EXPECT_EQ(violations(node), std::vector<std::string>{}) << "a key may name a call that waits";
  const PromiseNode polls{database, 50ms};
  expect_empty_inbox();
  EXPECT_TRUE(node.api().get_task("default", core::TaskId{*core::parse_uuid(id)}).ok());
}

TEST_F(PostgresPromises, GiveALaterCallTheIdOfACommittedEnqueue) {
  PromiseNode node{database};
  for (int race = 0; race < kKeyRaces; ++race) {
    const std::string key = "k" + std::to_string(race);
    const auto enqueued = node.enqueue(key);
    ASSERT_TRUE(enqueued.ok());
    EXPECT_EQ(session.value(enqueue_sql(key)), to_string(enqueued->task.id));
  }
  EXPECT_EQ(session.value("select count(*) from pawl.inbox"), "0");
}

TEST_F(PostgresPromises, FailATransactionThatLosesItsKeyAndGiveItsRetryTheId) {
  PromiseNode node{database};
  (void)session.query("begin");
  const std::string lost = session.value(enqueue_sql("k"));
  const auto enqueued = node.enqueue("k");
  ASSERT_TRUE(enqueued.ok()) << "it does not wait for the open transaction";
  EXPECT_TRUE(enqueued->created);
  const std::string id = to_string(enqueued->task.id);
  EXPECT_EQ(refusal(session, "commit"), "idempotency_key: \"k\" was given to " + id +
                                            " while this transaction was open; run the transaction again");
  EXPECT_EQ(session.value(enqueue_sql("k")), id);
  EXPECT_EQ(session.value("select count(*) from pawl.records where key like '%" + lost + "%'"), "0");
  EXPECT_EQ(violations(node), std::vector<std::string>{});
}

TEST_F(PostgresPromises, GiveAConcurrentCallAndEnqueueTheSameId) {
  PromiseNode node{database, 1ms};
  for (int race = 0; race < kKeyRaces; ++race) {
    const std::string key = "k" + std::to_string(race);
    std::string called;
    std::thread caller{[&] {
      Session own{database.conninfo()};
      if (refusal(own, enqueue_sql(key)).empty()) called = own.value(enqueue_sql(key));
    }};
    const auto enqueued = node.enqueue(key);
    caller.join();
    ASSERT_TRUE(enqueued.ok()) << enqueued.problem().detail;
    if (called.empty()) called = session.value(enqueue_sql(key));
    EXPECT_EQ(called, to_string(enqueued->task.id));
  }
  expect_empty_inbox();
  EXPECT_EQ(session.value("select count(*) from pawl.tasks"), std::to_string(kKeyRaces));
  EXPECT_EQ(violations(node), std::vector<std::string>{});
}

TEST_F(PostgresPromises, FailATransactionWhoseSnapshotLacksTheTaskOfItsKey) {
  PromiseNode node{database};
  (void)session.query("begin isolation level repeatable read");
  (void)session.value("select count(*) from pawl.tasks");
  ASSERT_TRUE(node.enqueue("k").ok());
  (void)session.value(enqueue_sql("k"));
  EXPECT_EQ(refusal(session, "commit"), "could not serialize access due to concurrent update");
}

TEST_F(PostgresPromises, LeaveTheKeyOfARolledBackCallFree) {
  PromiseNode node{database};
  (void)session.query("begin");
  const std::string lost = session.value(enqueue_sql("k"));
  (void)session.query("savepoint s");
  (void)session.value(enqueue_sql("l"));
  (void)session.query("rollback to s");
  (void)session.query("rollback");
  const auto enqueued = node.enqueue("k");
  ASSERT_TRUE(enqueued.ok());
  EXPECT_TRUE(enqueued->created);
  EXPECT_NE(to_string(enqueued->task.id), lost);
  EXPECT_TRUE(node.enqueue("l")->created);
}

TEST_F(PostgresPromises, ReturnTheFirstTaskForADifferentRequestAsOverHttp) {
  PromiseNode node{database};
  const std::string id = session.value(enqueue_sql("k", "1"));
  EXPECT_EQ(session.value(enqueue_sql("k", "2")), id);
  const auto enqueued = node.enqueue("k", "3");
  ASSERT_TRUE(enqueued.ok());
  EXPECT_EQ(to_string(enqueued->task.id), id);
  EXPECT_EQ(enqueued->task.payload.text, "1");
}

TEST_F(PostgresPromises, FreeTheKeyOfAWithdrawnCallForAllClients) {
  PromiseNode node{database};
  const std::string id = session.value(enqueue_sql("k"));
  const std::string run = session.value("select pawl.start_workflow('w', '1', 'k')");
  EXPECT_EQ(session.value("select pawl.withdraw('" + id + "')"), "t");
  EXPECT_EQ(session.value("select pawl.withdraw('" + run + "')"), "t");
  EXPECT_EQ(
      session.value("select (select count(*) from pawl.task_keys) + (select count(*) from pawl.run_keys)"),
      "0");
  EXPECT_TRUE(node.enqueue("k")->created);
}

TEST_F(PostgresPromises, LetTheTaskOfACommittedCallBeReadAndCancelledImmediately) {
  PromiseNode node{database};
  const std::string read = session.value("select pawl.enqueue('mail', '1')");
  EXPECT_TRUE(node.api().get_task("default", core::TaskId{*core::parse_uuid(read)}).ok());
  const std::string cancelled = session.value("select pawl.enqueue('mail', '1')");
  const auto moved =
      node.api().cancel_task({.ns = "default", .id = core::TaskId{*core::parse_uuid(cancelled)}});
  ASSERT_TRUE(moved.ok()) << moved.problem().detail;
  EXPECT_EQ(moved->status, core::TaskStatus::cancelled);
}

TEST_F(PostgresPromises, KeepATaskThatIsReadEarlyBehindEarlierCallsOfItsKey) {
  PromiseNode node{database};
  (void)session.value("select pawl.enqueue('mail', '1', key => 'line')");
  const std::string second = session.value("select pawl.enqueue('mail', '2', key => 'line')");
  const auto task = node.api().get_task("default", core::TaskId{*core::parse_uuid(second)});
  ASSERT_TRUE(task.ok()) << task.problem().detail;
  EXPECT_EQ(task->task.status, core::TaskStatus::blocked);
}

TEST_F(PostgresPromises, KeepTheReturnedIdOfARun) {
  PromiseNode one{database};
  PromiseNode other{database};
  define(one);
  for (int race = 0; race < kKeyRaces; ++race) {
    const std::string key = "k" + std::to_string(race);
    const std::string id = session.value("select pawl.start_workflow('w', '1', '" + key + "')");
    PromiseNode& node = race % 2 == 0 ? one : other;
    if (race % 4 < 2) {
      EXPECT_EQ(node.start(key, core::OnConflict::fail).problem().code, core::ProblemCode::conflict);
    }
    const auto started = node.start(key, core::OnConflict::restart_if_closed);
    ASSERT_TRUE(started.ok()) << started.problem().detail;
    EXPECT_FALSE(started->created);
    EXPECT_EQ(to_string(started->run.facts.id), id);
    EXPECT_EQ(started->run.facts.run_key, key);
    EXPECT_FALSE(core::is_closed(started->run.state));
  }
  EXPECT_EQ(session.value("select count(*) from pawl.runs"), std::to_string(kKeyRaces));
  expect_empty_inbox();
  EXPECT_EQ(violations(one), std::vector<std::string>{});
}

TEST_F(PostgresPromises, LetTheRunThatStartedFirstKeepItsKey) {
  PromiseNode node{database};
  define(node);
  (void)session.query("begin");
  (void)session.value("select pawl.start_workflow('w', '1', 'k')");
  const auto started = node.start("k");
  ASSERT_TRUE(started.ok());
  EXPECT_TRUE(started->created);
  const std::string id = to_string(started->run.facts.id);
  EXPECT_EQ(refusal(session, "commit"), "run_key: \"k\" was given to " + id +
                                            " while this transaction was open; run the transaction again");
  EXPECT_EQ(session.value("select pawl.start_workflow('w', '1', 'k')"), id);
}

TEST_F(PostgresPromises, LetASignalReachTheRunOfACommittedCallImmediately) {
  PromiseNode node{database};
  define(node);
  const std::string id = session.value("select pawl.start_workflow('w', '1')");
  const core::RunRef run{.id = core::RunId{*core::parse_uuid(id)}};
  const auto sent = node.api().signal_run({.run = run, .signal = {.name = "go"}});
  ASSERT_TRUE(sent.ok()) << sent.problem().detail;
  EXPECT_EQ(sent->state, core::RunState::completed);
}

TEST_F(PostgresPromises, StartThePromisedRunWhenItsWorkflowIsDeclaredLater) {
  PromiseNode node{database, 1ms};
  const std::string id = session.value("select pawl.start_workflow('w', '1', 'k')");
  const auto until = std::chrono::steady_clock::now() + 30s;
  while (session.value("select count(*) from pawl.inbox where problem is not null") == "0")
    ASSERT_LT(std::chrono::steady_clock::now(), until);
  EXPECT_EQ(node.start("k").problem().detail, "there is no workflow w");
  define(node);
  const auto started = node.start("k");
  ASSERT_TRUE(started.ok()) << started.problem().detail;
  EXPECT_EQ(to_string(started->run.facts.id), id);
}

TEST_F(PostgresPromises, CreateAnAcceptedTaskAfterItsTypeChanged) {
  PromiseNode node{database};
  const std::string id = session.value(enqueue_sql("k"));
  ASSERT_TRUE(node.api().put_type({.type = {.name = "mail", .required = {"to"}}}).ok());
  EXPECT_TRUE(node.api().get_task("default", core::TaskId{*core::parse_uuid(id)}).ok());
}

TEST_F(PostgresPromises, AreReportedByVerifyWhenTheirKeysAreMissing) {
  // Without a node: its first poll of the inbox would execute the calls.
  runtime::SystemRandom random;
  const auto store = open_postgres({.conninfo = database.conninfo(), .random = &random});
  (void)session.value(enqueue_sql("k"));
  (void)session.value("select pawl.start_workflow('w', '1', 'k')");
  EXPECT_EQ(violations(*store), std::vector<std::string>{});
  (void)session.query("delete from pawl.task_keys");
  (void)session.query("delete from pawl.run_keys");
  const auto without_keys = violations(*store);
  EXPECT_EQ(without_keys.size(), 2U) << ::testing::PrintToString(without_keys);
  (void)session.query("insert into pawl.task_keys values ('default', 'mail', 'x', pawl.new_id())");
  const auto found = violations(*store);
  EXPECT_EQ(found.size(), 3U) << "a key of neither a task nor a call: " << ::testing::PrintToString(found);
}

// --- refusals in the caller's transaction ---

std::string nested_lists(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST_F(PostgresPromises, RejectTheSameJsonAsTheServer) {
  const std::vector<std::string> texts{
      R"("\ud800")",
      R"("\ud83d\ude00")",
      R"("\ude00\ud83d")",
      R"("\\ud800")",
      R"("\\\ud800")",
      R"("\ud83d\\\ude00")",
      R"("\uD83D\uDE0")",
      R"({"\udfff":1})",
      R"("\ud83d\ude00\ude00")",
      R"("\ud83dx\ude00")",
      R"(["é\uDBFF"])",
      R"("\u0000")",
      "1e400",
      "-0",
      "01",
      "1.",
      ".5",
      "+1",
      "NaN",
      "1E+2",
      "18446744073709551616",
      "{\"a\":1,\"a\":2}",
      "{\"a\":1,}",
      "[1,]",
      "'a'",
      "\"a\nb\"",
      "tru",
      "nul",
      "null",
      "true",
      "\"\\x\"",
      "\"\\u12\"",
      "[1 2]",
      "",
      " ",
      " 1 ",
      "1 2",
      "{1:2}",
      "{\"a\"}",
      "\"\x7f\"",
      "\"[[[\\\"[[[\"",
      nested_lists(64),
      nested_lists(65),
      "\"" + nested_lists(65) + "\"",
      "{\"a\":" + nested_lists(63) + "}",
      "{\"a\":" + nested_lists(64) + "}",
      "\"\\\"" + nested_lists(70) + "\\\"\"",
      "[" + nested_lists(63) + "," + nested_lists(63) + "," + nested_lists(63) + "]",
      "[" + nested_lists(63) + "," + nested_lists(64) + ",1]",
      "[\"]\"," + nested_lists(64) + "]"};
  for (const std::string& text : texts) {
    std::string quoted;
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    for (const char* call : {"enqueue('t', '", "start_workflow('w', '"}) {
      const std::string refused = refusal(std::string{call} + quoted + "'::json)");
      EXPECT_EQ(refused.empty(), !core::json_error(text)) << text << ": " << refused;
    }
  }
  EXPECT_EQ(refusal(R"(enqueue('t', '{"é": "\ud800"}'))"),
            R"(payload: lone surrogate escape in a string (\ud800 at byte 8))");
  EXPECT_EQ(core::json_error(R"({"é": "\ud800"})"), "lone surrogate escape in a string (at byte 8)");
  EXPECT_EQ(refusal("start_workflow('w', '" + nested_lists(65) + "')"),
            "input: the value is nested deeper than 64");
}

TEST_F(PostgresPromises, RejectTheSamePayloadsOfADeclaredTypeAsTheServer) {
  PromiseNode node{database};
  const std::string schema =
      R"({"type":"object","required":["n"],"properties":{"n":{"type":"integer","minimum":1,"maximum":9},)"
      R"("s":{"enum":["a",1,{"b":[2]}]},"l":{"type":"array","items":{"type":"string"}}}})";
  ASSERT_TRUE(node.api().put_type({.type = {.name = "mail", .required = {"id"}, .schema = {schema}}}).ok());
  for (const std::string payload : {R"({"id":1,"n":1})",
                                    R"({"n":1})",
                                    R"({"id":1})",
                                    R"({"id":1,"n":1.0})",
                                    R"({"id":1,"n":1.5})",
                                    R"({"id":1,"n":0})",
                                    R"({"id":1,"n":10})",
                                    R"({"id":1,"n":"1"})",
                                    R"({"id":1,"n":1,"s":"a"})",
                                    R"({"id":1,"n":1,"s":1.0})",
                                    R"({"id":1,"n":1,"s":{"b":[2]}})",
                                    R"({"id":1,"n":1,"s":{"b":[2,2]}})",
                                    R"({"id":1,"n":1,"s":"b"})",
                                    R"({"id":1,"n":1,"l":[]})",
                                    R"({"id":1,"n":1,"l":["a","\u0000"]})",
                                    R"({"id":1,"n":1,"l":["a",2]})",
                                    R"({"id":1,"n":1,"l":{}})",
                                    R"({"id":null,"n":1})",
                                    "1",
                                    "null",
                                    R"({"id":1,"n":0,"n":1})"}) {
    const std::string refused = refusal("enqueue('mail', '" + payload + "')");
    core::TaskSpec spec;
    spec.type = "mail";
    spec.payload = {payload};
    const auto enqueued = node.api().enqueue("default", spec);
    EXPECT_EQ(refused.empty(), enqueued.ok()) << payload << ": " << refused;
  }
  EXPECT_EQ(refusal(R"(enqueue('mail', '{"id":1,"n":10}'))"), "payload.n: must be at most 9, not 10");
  EXPECT_EQ(refusal(R"(enqueue('mail', '{"id":1}'))"),
            R"(payload.n: is required, and {"id": 1} has no such field)");
  EXPECT_EQ(refusal(R"(enqueue('mail', null))"), "payload: must be of type object, not null");
}

TEST_F(PostgresPromises, ReadTheSameStringsOfADeclaredTypeAsTheServer) {
  PromiseNode node{database};
  const std::string schema =
      "{\"enum\":[\"\\u0000\",\"\\uffff\\uffff\",\"\\\\u0000\",\"\xef\xbf\xbf"
      "0\"]}";
  ASSERT_TRUE(node.api().put_type({.type = {.name = "mail", .schema = {schema}}}).ok());
  for (const std::string payload :
       {R"("\u0000")", R"("\uffff")", R"("\uFFFF\uffff")", "\"\xef\xbf\xbf\\uffff\"", R"("\\u0000")",
        R"("\\uffff")", R"("\\\u0000")", "\"\xef\xbf\xbf\"", R"("\uffff0")", R"("\uffff1")",
        R"("\u00000")"}) {
    const std::string refused = refusal("enqueue('mail', '" + payload + "')");
    core::TaskSpec spec;
    spec.type = "mail";
    spec.payload = {payload};
    EXPECT_EQ(refused.empty(), node.api().enqueue("default", spec).ok()) << payload << ": " << refused;
  }
}

TEST_F(PostgresPromises, RejectANumberThatPostgresqlCannotCompare) {
  PromiseNode node{database};
  ASSERT_TRUE(node.api().put_type({.type = {.name = "mail", .required = {"a"}}}).ok());
  EXPECT_EQ(refusal(R"(enqueue('mail', '{"a":1e999999}'))"),
            "payload: has a number beyond the range that a declared type can check (131072 digits before the "
            "decimal point, 16383 after it)");
  EXPECT_EQ(refusal(R"(enqueue('other', '{"a":1e999999}'))"), "");
}

TEST_F(PostgresPromises, DropWhitespaceAroundAValue) {
  PromiseNode node{database};
  ASSERT_TRUE(node.api().put_namespace({.ns = "team", .patch = {.payload_max = {{10}}}}).ok());
  const std::string text = R"(E' \n\t\r{"a":   1} \n'::json, namespace => 'team')";  // 10 bytes within
  const std::string id = session.value("select pawl.enqueue('t', " + text + ")");
  const std::string run = session.value("select pawl.start_workflow('w', " + text + ")");
  EXPECT_EQ(refusal("signal('" + run + R"(', 'go', E' {"a":  1} \n'))"), "");
  EXPECT_NE(refusal(R"(enqueue('t', E'{"a":    1}', namespace => 'team'))"), "");
  const auto task = node.api().get_task("team", core::TaskId{*core::parse_uuid(id)});
  ASSERT_TRUE(task.ok()) << task.problem().detail;
  EXPECT_EQ(task->task.payload.text, R"({"a":   1})");
}

TEST_F(PostgresPromises, KeepTheDeepestAllowedInputReadable) {
  PromiseNode node{database, 10ms};
  define(node);
  const std::string id = session.value("select pawl.start_workflow('w', '" + nested_lists(64) + "')");
  const auto run = node.api().get_run({.id = core::RunId{*core::parse_uuid(id)}});
  ASSERT_TRUE(run.ok()) << run.problem().detail;
  EXPECT_EQ(run->facts.input.text, nested_lists(64));
  EXPECT_EQ(refusal("signal('" + id + "', 'go', '" + nested_lists(65) + "')"),
            "payload: the value is nested deeper than 64");
  EXPECT_EQ(refusal("signal('" + id + "', 'go', '" + nested_lists(64) + "')"), "");
  expect_empty_inbox();
  EXPECT_EQ(violations(node), std::vector<std::string>{});
}

TEST_F(PostgresPromises, EnforceTheSettingsOfTheNamespace) {
  PromiseNode node{database};
  ASSERT_TRUE(
      node.api().put_namespace({.ns = "team", .patch = {.strict_types = true, .payload_max = {{10}}}}).ok());
  ASSERT_TRUE(node.api().put_type({.ns = "team", .type = {.name = "known"}}).ok());
  ASSERT_TRUE(node.api().register_worker({.ns = "team", .task_types = {"offered"}, .hostname = "h"}).ok());
  EXPECT_EQ(refusal("enqueue('other', '1', namespace => 'team')"),
            R"(type: "other" is neither declared nor registered by a worker)");
  EXPECT_EQ(refusal("enqueue('known', '1', namespace => 'team')"), "");
  EXPECT_EQ(refusal("enqueue('offered', '1', namespace => 'team')"), "");
  EXPECT_EQ(refusal("enqueue('other', '1')"), "");
  EXPECT_EQ(refusal("enqueue('known', '12345678901', namespace => 'team')"),
            "payload: has 11 bytes, this namespace keeps at most 10");
  EXPECT_EQ(refusal("start_workflow('w', '12345678901', namespace => 'team')"),
            "input: has 11 bytes, this namespace keeps at most 10");
  const std::string run = session.value("select pawl.start_workflow('w', '1', namespace => 'team')");
  EXPECT_EQ(refusal("signal('" + run + "', 'go', '12345678901')"),
            "payload: has 11 bytes, this namespace keeps at most 10");
}

}  // namespace
}  // namespace pawl::store
