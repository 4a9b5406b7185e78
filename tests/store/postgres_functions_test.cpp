// The functions of the schema `pawl` as a program in any language calls them: by SQL, inside its own
// transaction, whether nodes are running or not.
#include <thread>

#include <gtest/gtest.h>

#include "runtime/env.hpp"
#include "runtime/runtime.hpp"
#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using postgres_test::Database;
using postgres_test::Session;

// A node with its threads.
class Node {
 public:
  explicit Node(const Database& database)
      : store_(open_postgres({.conninfo = database.conninfo(), .random = &random_})),
        runtime_(*store_, clock_, random_) {}
  runtime::LocalApi& api() { return runtime_.local(); }

 private:
  runtime::SystemClock clock_;
  runtime::SystemRandom random_;
  std::unique_ptr<Store> store_;
  runtime::Runtime runtime_;
};

class PostgresFunctions : public ::testing::Test {
 public:
  PostgresFunctions() { migrate_postgres(database.conninfo()); }

  static core::TaskId task_id(const std::string& text) { return core::TaskId{*core::parse_uuid(text)}; }
  static core::RunId run_id(const std::string& text) { return core::RunId{*core::parse_uuid(text)}; }

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
  bool await_empty() {
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (session.value("select count(*) from pawl.inbox where problem is null") != "0") {
      if (std::chrono::steady_clock::now() > until) return false;
    }
    return true;
  }
  int tasks() { return std::stoi(session.value("select count(*) from pawl.tasks")); }

  Database database;
  Session session{database.conninfo()};
};

TEST_F(PostgresFunctions, EnqueueATaskThatIsClaimableOnceTheTransactionCommits) {
  Node node{database};
  (void)session.query("begin");
  const std::string id = session.value(R"(select pawl.enqueue('mail', '{"to":  "é", "n": 1.50, "n": 2}'))");
  EXPECT_EQ(node.api().get_task("default", task_id(id)).problem().code, core::ProblemCode::not_found);
  (void)session.query("commit");
  const auto claimed = node.api().claim({.worker_id = "w", .wait = 20s});
  ASSERT_TRUE(claimed.ok());
  ASSERT_EQ(claimed->size(), 1U);
  EXPECT_EQ(to_string(claimed->front().task.id), id);
  EXPECT_EQ(claimed->front().task.payload.text, R"({"to":  "é", "n": 1.50, "n": 2})") << "byte for byte";
}

TEST_F(PostgresFunctions, LeaveNothingAfterARollback) {
  (void)session.query("begin");
  (void)session.value("select pawl.enqueue('mail', '{}', idempotency_key => 'k')");
  (void)session.value("select pawl.start_workflow('w', '{}', 'k')");
  (void)session.query("rollback");
  EXPECT_EQ(session.value("select count(*) from pawl.records"), "0");
}

TEST_F(PostgresFunctions, AcceptAllFieldsOfATask) {
  const std::string id = session.value(
      "select pawl.enqueue('mail', null, 'slow', 'team', -3, 'customer', 'once', '2100-01-02 "
      "03:04:05.678901Z')");
  Node node{database};
  ASSERT_TRUE(await_empty());
  const auto task = node.api().get_task("team", task_id(id));
  ASSERT_TRUE(task.ok());
  EXPECT_EQ(task->task.queue, "slow");
  EXPECT_EQ(task->task.priority, -3);
  EXPECT_EQ(task->task.key, "customer");
  EXPECT_EQ(task->task.idempotency_key, "once");
  EXPECT_EQ(core::format_time(task->task.available_at), "2100-01-02T03:04:05.678901Z");
}

TEST_F(PostgresFunctions, ReturnTheFirstIdForTheSameKey) {
  const std::string call = "select pawl.enqueue('mail', '{}', idempotency_key => 'k')";
  const std::string first = session.value(call);
  EXPECT_EQ(session.value(call), first) << "of the call that waits";
  EXPECT_NE(session.value("select pawl.enqueue('mail', '{}', idempotency_key => 'k', namespace => 'other')"),
            first);
  EXPECT_NE(session.value("select pawl.enqueue('post', '{}', idempotency_key => 'k')"), first);
  Node node{database};
  ASSERT_TRUE(await_empty());
  EXPECT_EQ(session.value(call), first) << "of the task";
  core::TaskSpec spec;
  spec.type = "mail";
  spec.idempotency_key = "k2";
  const auto made = node.api().enqueue("default", spec);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(session.value("select pawl.enqueue('mail', '{}', idempotency_key => 'k2')"),
            to_string(made->task.id));
  EXPECT_EQ(tasks(), 4);
}

TEST_F(PostgresFunctions, WaitForAnOpenTransactionWithTheSameKey) {
  const std::string call = "select pawl.enqueue('mail', '{}', idempotency_key => 'k')";
  for (const char* end : {"commit", "rollback"}) {
    Session first{database.conninfo()};
    (void)first.query("begin");
    const std::string id = first.value(call);
    std::string other_id;
    std::thread other{[&] { other_id = Session{database.conninfo()}.value(call); }};
    while (session.value("select count(*) from pg_stat_activity where wait_event_type = 'Lock'") == "0") {
    }
    (void)first.query(end);
    other.join();
    EXPECT_EQ(other_id == id, std::string{end} == "commit");
    (void)session.query("select pawl.withdraw(id) from pawl.inbox");
  }
}

TEST_F(PostgresFunctions, StartAWorkflowOncePerKeyAndAcceptEarlySignals) {
  Node node{database};
  const std::string definition = R"({"name":"w","tasks":[{"id":"a","type":"signal","signal":"go"}]})";
  ASSERT_TRUE(node.api().put_definition({.name = "w", .text = definition}).ok());
  (void)session.query("begin");
  const std::string call = R"(select pawl.start_workflow('w', '[1,  2]', 'order-7'))";
  const std::string id = session.value(call);
  EXPECT_EQ(session.value(call), id) << "of the call that waits";
  (void)session.query("select pawl.signal('" + id + R"(', 'go', '{"ok": true}'))");
  (void)session.query("commit");
  ASSERT_TRUE(await_empty());
  const auto ended = node.api().await_run({.id = run_id(id)}, 20s);
  ASSERT_TRUE(ended.ok()) << ended.problem().detail;
  EXPECT_EQ(ended->state, core::RunState::completed);
  EXPECT_EQ(ended->facts.input.text, "[1,  2]");
  EXPECT_EQ(session.value(call), id) << "of the run";
  EXPECT_EQ(refusal(session, "select pawl.signal('" + id + "', 'go', '1')"), "run: run " + id + " has ended");
}

TEST_F(PostgresFunctions, RejectInvalidArguments) {
  const auto refused = [&](const std::string& call) { return refusal(session, "select pawl." + call); };
  std::string begun;
  for (int i = 0; i < 60; ++i) begun += "ä";
  EXPECT_EQ(refused("enqueue('', '{}')"), "type: must not be empty");
  EXPECT_EQ(refused("enqueue(null, '{}')"), "type: must not be empty");
  EXPECT_EQ(refused("enqueue(repeat('ä', 256), '{}')"),
            "type: has over 255 characters: \"" + begun + "…\" has 256");
  EXPECT_EQ(refused("enqueue(E'a\\nb', '{}')"), "type: must have no control characters, \"a\\nb\" has");
  EXPECT_EQ(refused("enqueue('t', '{}', queue => '')"), "queue: must not be empty");
  EXPECT_EQ(refused("enqueue('t', '{}', namespace => 'Team')"),
            "namespace: must be [a-z0-9][a-z0-9._-]{0,62}, not \"Team\"");
  EXPECT_EQ(refused("enqueue('t', '{}', namespace => 'admin')"), "namespace: admin is reserved");
  EXPECT_EQ(refused("enqueue('t', '{}', priority => null)"),
            "priority: must be from -2147483648 to 2147483647, not null");
  EXPECT_EQ(refused("enqueue('t', '{}', key => '')"), "key: must not be empty");
  EXPECT_EQ(refused("enqueue('t', '{}', idempotency_key => repeat('k', 513))"),
            "idempotency_key: has over 512 characters: \"" + std::string(60, 'k') + "…\" has 513");
  EXPECT_EQ(refused("enqueue('t', '{}', run_at => 'infinity')"),
            "run_at: must be a time that RFC 3339 can name (not infinity)");
  EXPECT_EQ(refused("enqueue('t', '{')"), "invalid input syntax for type json");
  EXPECT_EQ(refused("enqueue('t', to_json(repeat('x', 2097152)))"),
            "payload: has 2097154 bytes, at most 2097152 are kept");
  EXPECT_EQ(refused("start_workflow('', '{}')"), "workflow: must not be empty");
  EXPECT_EQ(refused("start_workflow('w', '{}', '')"), "run_key: must not be empty");
  EXPECT_EQ(refused("signal('01890000-0000-7000-8000-000000000000', 'go', '1')"),
            "run: there is no run 01890000-0000-7000-8000-000000000000");
  EXPECT_EQ(session.value("select count(*) from pawl.records"), "0");
}

TEST_F(PostgresFunctions, ShowRejectedCallsWithTheReason) {
  Node node{database};
  const std::string id = session.value("select pawl.start_workflow('later', '{}', 'k')");
  ASSERT_TRUE(await_empty());
  const std::string shown = session.value(
      "select id, call, namespace, name, payload, key, tried_again_at is null, problem from pawl.inbox");
  EXPECT_EQ(shown, id + "|start_workflow|default|later|{}|k|f|not_found: there is no workflow later");
  EXPECT_EQ(session.value("select pawl.withdraw('" + id + "')"), "t");
  EXPECT_EQ(session.value("select pawl.withdraw('" + id + "')"), "f");
  EXPECT_EQ(session.value("select count(*) from pawl.records where kind like 'inbox%'"), "0");
}

TEST_F(PostgresFunctions, FreeTheKeyOfAWithdrawnCall) {
  const std::string id = session.value("select pawl.enqueue('mail', '{}', idempotency_key => 'k')");
  EXPECT_EQ(session.value("select pawl.withdraw('" + id + "')"), "t");
  EXPECT_NE(session.value("select pawl.enqueue('mail', '{}', idempotency_key => 'k')"), id);
}

TEST_F(PostgresFunctions, RequireOnlyUsageOnTheSchema) {
  (void)session.query("create role " + database.name() + "_app");
  (void)session.query("grant usage on schema pawl to " + database.name() + "_app");
  (void)session.query("set role " + database.name() + "_app");
  EXPECT_EQ(session.value("select pawl.enqueue('mail', '{}', idempotency_key => 'k')"),
            session.value("select pawl.enqueue('mail', '{}', idempotency_key => 'k')"));
  EXPECT_EQ(refusal(session, "select * from pawl.records"), "permission denied for table records");
  EXPECT_EQ(refusal(session, "select pawl.leave_call(pawl.new_id(), '{}')"),
            "permission denied for function leave_call");
  EXPECT_EQ(refusal(session, "select pawl.withdraw(pawl.new_id())"), "permission denied for table records");
  (void)session.query("reset role");
  (void)session.query("revoke usage on schema pawl from " + database.name() + "_app");
  (void)session.query("drop role " + database.name() + "_app");
}

TEST_F(PostgresFunctions, AreExecutedOnceByManyNodesInAnyTransactionSize) {
  (void)session.query(
      "select max(key) from (select pawl.enqueue('t', to_json(n), "
      "key => 'line')::text as key from generate_series(1, 700) n) ids");
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < 3; ++i) nodes.push_back(std::make_unique<Node>(database));
  for (int i = 0; i < 20; ++i)
    (void)session.query("select pawl.enqueue('t', '1') from generate_series(1, 50)");
  ASSERT_TRUE(await_empty());
  EXPECT_EQ(tasks(), 1700);
  EXPECT_EQ(session.value("select count(distinct id) from pawl.tasks"), "1700");
  EXPECT_EQ(session.value("select count(*) from (select payload::int as n, lag(payload::int) over (order by "
                          "position) as last from pawl.waiting join pawl.tasks using (id)) l where n < last"),
            "0")
      << "in the order of the calls";
  EXPECT_EQ(session.value("select problem from pawl.inbox union all select 'none'"), "none");
}

}  // namespace
}  // namespace pawl::store
