// Rows that were deleted, duplicated or changed outside of the engine: `verify` names each, and all other
// work continues.
#include <map>
#include <set>

#include <libpq-fe.h>
#include <sqlite3.h>

#include "core/task/task_machine.hpp"
#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

// One SQL statement for both databases, and the check that detects its damage.
struct Damage {
  const char* name;
  const char* sql;
  const char* check;
};

// `task('once')` is replaced by the id of the task of that type.
constexpr Damage kDamages[] = {
    {"task_deleted_while_ready", "delete from tasks where id = task('once')", "T01"},
    {"task_deleted_while_leased", "delete from tasks where id = task('held')", "T01"},
    {"task_deleted_while_finished", "delete from tasks where id = task('dead')", "T01"},
    {"task_deleted_while_waiting", "delete from tasks where id = (select w.id from waiting w)", "T01"},
    {"task_in_a_lane_of_its_own", "update tasks set lane = 99 where id = task('once')", "T02"},
    {"task_with_another_lane", "update tasks set lane = 1 where id = task('once')", "T01"},
    {"task_with_an_unreadable_retry", "update tasks set retry = '[[[' where id = task('once')", "I01"},
    {"task_with_unreadable_labels", "update tasks set labels = '{bad' where id = task('once')", "I01"},
    {"task_with_an_unreadable_payload", "update tasks set payload = '{\"a\":' where id = task('once')",
     "I01"},
    {"task_with_another_idempotency_key",
     "update tasks set idempotency_key = 'other' where id = task('once')", "T03"},
    {"task_with_another_key", "update tasks set key = 'other' where key = 'k'", "T04"},
    {"ready_deleted", "delete from ready where id = task('once')", "T01"},
    {"ready_doubled",
     "insert into scheduled (id, lane, attempt, fence, budget_from, available_at) "
     "select id, lane, 0, 0, 0, available_at from ready where id = task('once')",
     "T01"},
    {"ready_in_a_lane_of_its_own", "update ready set lane = 99 where id = task('once')", "T01"},
    {"ready_with_a_lower_fence", "update ready set fence = 0 where id = task('again')", "I05"},
    {"ready_with_fewer_attempts", "update ready set attempt = 0 where id = task('again')", "I10"},
    {"scheduled_deleted", "delete from scheduled where id = task('later')", "T01"},
    {"scheduled_in_a_lane_of_its_own", "update scheduled set lane = 99 where id = task('later')", "T01"},
    {"waiting_deleted", "delete from waiting", "T01"},
    {"waiting_in_another_line", "update waiting set key = 'other'", "T04"},
    {"waiting_behind_the_end", "update waiting set position = 77", "T04"},
    {"lease_deleted", "delete from leases where id = task('held')", "T01"},
    {"lease_in_a_lane_of_its_own", "update leases set lane = 99 where id = task('held')", "T01"},
    {"lease_of_another_key", "update leases set key = 'other' where id = task('held')", "T04"},
    {"finished_deleted", "delete from finished where id = task('dead')", "T01"},
    {"finished_with_an_unknown_status", "update finished set status = 'gone' where id = task('dead')", "T01"},
    {"finished_without_its_attempts", "update finished set attempt = 0 where id = task('dead')", "I10"},
    {"attempt_with_an_unknown_outcome", "update attempts set outcome = 'odd' where task_id = task('dead')",
     "T07"},
    {"attempt_with_a_higher_fence", "update attempts set fence = 9 where task_id = task('dead')", "I05"},
    {"attempt_deleted", "delete from attempts where task_id = task('again')", "I10"},
    {"lane_deleted", "delete from lanes where type = 'once'", "T02"},
    {"lane_made_fair", "update lanes set fair = flag(1) where type = 'once'", "T02"},
    {"lane_made_of_runs", "update lanes set of_runs = flag(1) where type = 'once'", "T06"},
    {"task_key_deleted", "delete from task_keys", "T03"},
    {"task_key_of_another_task", "update task_keys set task_id = task('later')", "T03"},
    {"line_deleted", "delete from key_lines", "T04"},
    {"line_with_another_head", "update key_lines set head = task('later')", "T04"},
    {"count_deleted", "delete from lane_counts", "T05"},
    {"count_changed", "update lane_counts set pending = pending + 1", "T05"},
    {"queue_with_unreadable_limits", "update queues set type_concurrency = '{bad' where name = 'limited'",
     "T10"},
    {"checkpoint_deleted", "delete from checkpoints where sequence = 2", "T07"},
    {"record_with_an_unreadable_body", "update records set body = '[[[' where kind = 'lock'", "T10"},
    {"record_of_the_audits_end_deleted", "delete from records where kind = 'audit_end'", "I44"},
    {"audit_entry_deleted", "delete from audit where seq = (select max(seq) from audit)", "I44"},
    {"audit_entry_changed", "update audit set actor = 'somebody' where seq = 1", "I44"},
    {"run_deleted", "delete from runs", "T08"},
    {"run_with_unreadable_facts", "update runs set facts = '{\"run\":'", "I20"},
    {"run_with_other_facts", "update runs set facts = replace(facts, 'order', 'other')", "I20"},
    {"run_state_deleted", "delete from run_states", "T08"},
    {"run_state_unknown", "update run_states set state = 'odd'", "I20"},
    {"run_state_with_an_unreadable_standing", "update run_states set standing = '{\"counts\":['", "I20"},
    {"run_state_with_another_sequence", "update run_states set sequence = sequence + 5", "I19"},
    {"run_state_with_another_hash", "update run_states set hash = 'x'", "I21"},
    {"run_event_deleted", "delete from run_events where sequence = 2", "I19"},
    {"run_event_changed", "update run_events set at = at + span(1) where sequence = 2", "I21"},
    {"run_event_unreadable", "update run_events set payload = '{\"a\":' where sequence = 2", "I21"},
    {"run_node_deleted", "delete from run_nodes", "I20"},
    {"run_node_with_an_unreadable_body", "update run_nodes set body = '{\"unmet\":'", "I20"},
    {"run_node_with_an_unknown_state", "update run_nodes set state = 'odd'", "I20"},
    {"run_signal_deleted", "delete from run_signals", "I20"},
    {"run_key_deleted", "delete from run_keys", "T09"},
    {"run_key_of_another_run", "update run_keys set run_id = task('once')", "T09"},
    {"run_task_deleted", "delete from run_tasks", "T06"},
    {"run_task_of_another_run", "update run_tasks set run_id = task('once')", "T06"},
    {"fair_task_deleted", "delete from fair_tasks", "T06"},
    {"task_labels_deleted", "delete from task_labels", "T06"},
    {"task_label_of_another_task", "update task_labels set id = task('later')", "T06"},
    {"run_labels_deleted", "delete from run_labels", "T06"},
    {"run_label_of_another_run", "update run_labels set id = task('once')", "T06"},
    {"turn_deleted", "update ready set turn = null where turn is not null", "T02"},
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

constexpr const char* kTables[] = {
    "lanes",     "tasks",      "ready",      "scheduled", "waiting",     "leases",      "finished",
    "attempts",  "task_keys",  "key_lines",  "queues",    "lane_counts", "checkpoints", "records",
    "audit",     "runs",       "run_states", "run_nodes", "run_events",  "run_signals", "run_keys",
    "run_tasks", "fair_tasks", "fair_lanes", "fair_keys", "task_labels", "run_labels"};

// Changes the database as another program would.
void execute_sqlite(const std::string& path, std::string sql, bool must_change = true) {
  sql = replaced(replaced(std::move(sql), "flag(1)", "1"), "span(1)", "1");
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db) << sql;
  EXPECT_TRUE(!must_change || sqlite3_changes(db) > 0) << sql;
  sqlite3_close(db);
}

void execute_postgres(const std::string& conninfo, std::string sql, bool must_change = true) {
  sql = replaced(replaced(std::move(sql), "flag(1)", "true"), "span(1)", "interval '1 s'");
  PGconn* connection = PQconnectdb(conninfo.c_str());
  PQclear(PQexec(connection, "set search_path = pawl"));
  PGresult* result = PQexec(connection, sql.c_str());
  EXPECT_EQ(PQresultStatus(result), PGRES_COMMAND_OK) << PQerrorMessage(connection) << sql;
  EXPECT_TRUE(!must_change || std::string_view{PQcmdTuples(result)} != "0") << sql;
  PQclear(result);
  PQfinish(connection);
}

class Damaged : public CodeRunTest {
 public:
  void damage(const Damage& damage) {
    std::string sql = damage.sql;
    const std::string open = "task('";
    for (auto at = sql.find(open); at != std::string::npos; at = sql.find(open)) {
      const auto end = sql.find("')", at);
      const std::string type = sql.substr(at + open.size(), end - at - open.size());
      sql.replace(at, end + 2 - at, literal(tasks_.at(type)));
    }
    if (GetParam() == StoreKind::sqlite) execute_sqlite(database().location(), sql);
    if (GetParam() == StoreKind::postgres) execute_postgres(database().location(), sql);
  }
  void TearDown() override {
    if (GetParam() != StoreKind::postgres) return;
    for (const std::string table : kTables) execute("drop table if exists kept_" + table);
  }

  void execute(const std::string& sql) {
    if (GetParam() == StoreKind::sqlite) execute_sqlite(database().location(), sql, false);
    if (GetParam() == StoreKind::postgres) execute_postgres(database().location(), sql, false);
  }
  void back_up() {
    std::string sql;
    for (const std::string table : kTables)
      sql += "create table kept_" + table + " as select * from " + table + ";";
    execute(sql);
  }
  void restore() {
    std::string sql;
    for (const std::string table : kTables) {
      const bool is_numbered = GetParam() == StoreKind::postgres && table == "lane_counts";
      sql += "delete from " + table + "; insert into " + table +
             (is_numbered ? " overriding system value" : "") + " select * from kept_" + table + ";";
    }
    execute(sql);
  }

  // Writes rows to every table.
  void fill() {
    set_queue("limited", {.type_concurrency = {{{{"slow", 2}}}}});
    ASSERT_TRUE(api().acquire_lock({.key = "l", .holder = "o", .ttl = 1h}).ok());
    tasks_["dead"] = run_to_dead_letter(task_of("dead")).id;
    const core::Task again = enqueue(task_of("again"));
    tasks_["again"] = again.id;
    (void)fail(claim_one());
    clock.advance(1h);
    tick();
    core::TaskSpec once = task_of("once");
    once.idempotency_key = "i";
    once.labels = {{"team", "blue"}};
    once.retry.max_attempts = 7;
    tasks_["once"] = enqueue(once).id;
    (void)enqueue_keyed("k", "keyed");
    (void)enqueue_keyed("k", "keyed");
    core::TaskSpec fair = task_of("fair");
    fair.fairness_key = "f";
    fair.queue = "fair";
    (void)enqueue(fair);
    core::TaskSpec later = task_of("later");
    later.delay = 1h;
    tasks_["later"] = enqueue(later).id;
    tasks_["held"] = enqueue_to("held", "held").id;
    const auto held = claim_for({.worker_id = "w9", .queues = {"held"}, .max = 1, .lease = 10h});
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(api().append_checkpoint({.owner = held.at(0).id, .snapshot = {"1"}}).ok());
    }
    fill_runs();
  }

  void fill_runs() {
    const auto started = runs().start_run({.workflow = "order",
                                           .run_key = "r",
                                           .input = {"{}"},
                                           .kind = core::RunKind::code,
                                           .queue = "bodies",
                                           .labels = {{"team", "blue"}}});
    ASSERT_TRUE(started.ok());
    const core::RunId run = started->run.facts.id;
    const auto open = runs().open_run({.run_key = "o"});
    ASSERT_TRUE(open.ok());
    signal(run, "paid");
    core::TaskSpec part = task_of("part");
    part.run_id = open->run.facts.id;
    part.queue = "parts";
    ASSERT_TRUE(node().local().enqueue("default", part).ok());
  }

  static std::set<std::string> failed_checks(const core::Verification& verification) {
    std::set<std::string> failed;
    for (const core::Verdict& verdict : verification.checks) {
      if (!verdict.violations.empty()) failed.insert(verdict.id);
    }
    return failed;
  }

  // A node with empty caches makes, claims, completes and lists other tasks.
  void expect_life(DirectNode& other) {
    const auto made = other.api().enqueue("default", task_of("fresh"));
    ASSERT_TRUE(made.ok()) << made.problem().detail;
    bool is_claimed = false;
    for (const auto& [queues, worker] :
         {std::pair{std::vector<std::string>{"default"}, "w1"},
          std::pair{
              std::vector<std::string>{"keyed", "fair", "bodies", "parts", "limited", "held", "default"},
              "w2"}}) {
      const auto claimed =
          other.api().claim({.worker_id = worker, .queues = queues, .max = 100, .lease = 1h});
      ASSERT_TRUE(claimed.ok()) << claimed.problem().detail;
      for (const core::ClaimedTask& one : *claimed) is_claimed = is_claimed || one.task.id == made->task.id;
    }
    EXPECT_TRUE(is_claimed);
    const auto tasks = other.api().list_tasks({.limit = 100});
    ASSERT_TRUE(tasks.ok()) << tasks.problem().detail;
    const auto listed = other.local().list_runs({.limit = 100});
    ASSERT_TRUE(listed.ok()) << listed.problem().detail;
    ASSERT_TRUE(other.api().list_queues("default").ok());
    // Due work of other objects is done despite the damaged rows.
    clock.advance(11h);
    for (int i = 0; i < 5; ++i) (void)other.engine().sweeper().tick(100);
    const auto again = other.api().get_task("default", made->task.id);
    ASSERT_TRUE(again.ok());
    EXPECT_NE(again->task.status, core::TaskStatus::claimed) << "its lease has expired";
  }

 protected:
  [[nodiscard]] std::string literal(const core::TaskId& id) const {
    const std::string text = to_string(id);
    return GetParam() == StoreKind::sqlite ? "x'" + replaced(text, "-", "") + "'" : "'" + text + "'";
  }

 private:
  std::map<std::string, core::TaskId> tasks_;
};

TEST_P(Damaged, StoreIsHealthyBeforeTheDamage) {
  fill();
  const auto verified = api().verify();
  for (const core::Verdict& verdict : verified->checks) {
    for (const core::Violation& one : verdict.violations)
      ADD_FAILURE() << verdict.id << " " << one.object << ": " << one.message;
  }
}

TEST_P(Damaged, StoreIsReportedByVerify) {
  if (GetParam() == StoreKind::memory) return;  // no other program can change it
  fill();
  back_up();
  std::uint64_t seed = 100;
  for (const Damage& one : kDamages) {
    SCOPED_TRACE(one.name);
    damage(one);
    const auto verified = another_node(++seed)->api().verify();
    ASSERT_TRUE(verified.ok()) << one.name << ": " << verified.problem().detail;
    EXPECT_FALSE(verified->is_ok());
    const auto failed = failed_checks(*verified);
    std::string told;
    for (const std::string& check : failed) told += check + " ";
    EXPECT_TRUE(failed.contains(one.check)) << one.name << ": told by " << told << "and not by " << one.check;
    restore();
  }
}

// The claim returns the next task instead; the damaged one is kept, and claimable once it is repaired.
TEST_P(Damaged, TaskIsSetAsideUntilItIsRepaired) {
  if (GetParam() == StoreKind::memory) return;
  const core::Task first = enqueue_to("q");
  const core::Task second = enqueue_to("q");
  const std::string id = GetParam() == StoreKind::sqlite ? "x'" + replaced(to_string(first.id), "-", "") + "'"
                                                         : "'" + to_string(first.id) + "'";
  execute("update tasks set labels = '{bad' where id = " + id);
  const auto other = another_node(2);
  std::vector<std::string> told;
  other->engine().on_damage(
      [&told](const std::string& object, const std::string&) { told.push_back(object); });
  const auto claimed = other->api().claim({.worker_id = "w", .queues = {"q"}, .max = 1, .lease = 10h});
  ASSERT_EQ(claimed->size(), 1U);
  EXPECT_EQ(claimed->front().task.id, second.id);
  EXPECT_EQ(told, std::vector<std::string>{"task " + to_string(first.id)});
  EXPECT_EQ(other->engine().stats().tasks_set_aside, 1);
  EXPECT_TRUE(other->api().claim({.worker_id = "w", .queues = {"q"}, .max = 1})->empty());
  const auto kept = other->api().get_task("default", first.id);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->task.labels.at("pawl.unreadable"), "labels");

  execute("update tasks set labels = null where id = " + id);
  clock.advance(core::kSetAsideFor);
  (void)other->engine().sweeper().tick(100);
  const auto again = other->api().claim({.worker_id = "w", .queues = {"q"}, .max = 1});
  ASSERT_EQ(again->size(), 1U);
  EXPECT_EQ(again->front().task.id, first.id);
  EXPECT_EQ(again->front().task.attempt, 1);
}

TEST_P(Damaged, TaskWithoutALaneDoesNotEndTheScanOfFinishedTasks) {
  if (GetParam() == StoreKind::memory) return;
  std::vector<core::TaskId> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(run_to_dead_letter(task_of("t")).id);
  execute("update finished set lane = 99 where id = " + literal(ids[1]));
  const auto other = another_node(2);
  std::vector<core::TaskId> found;
  store::FinishedPage page{.before = core::TaskId{core::first_id_at(clock.now() + 1h)}, .limit = 2};
  for (std::optional<core::TaskId> next = core::TaskId{}; next;) {
    page.after = *next;
    const store::FinishedTasks scanned = other->store()->list_finished(page);
    for (const core::FinishedTask& task : scanned.tasks) found.push_back(task.id);
    next = scanned.next;
  }
  EXPECT_EQ(found, (std::vector<core::TaskId>{ids[0], ids[2], ids[3], ids[4]}));
}

// The run's timer cannot fire: the run is parked with the reason, and other runs' timers still fire.
TEST_P(Damaged, RunThatCannotAdvanceIsParkedUntilItIsRepaired) {
  if (GetParam() == StoreKind::memory) return;
  define("saga", R"({"id":"a","activity":"t","compensate":"u"},
                    {"id":"s","type":"signal","signal":"go","timeout":"1m","after":["a"]},
                    {"id":"u","type":"compensation","activity":"u"})");
  define("nap", R"({"id":"n","type":"sleep","duration":"1m"})");
  const core::RunId first = start("saga");
  complete_node("a");
  const core::RunId second = start("saga");
  complete_node("a");
  execute(R"(update run_states set standing = replace(standing, '"undo_top":[0,-1]', '"undo_top":[1,-1]'))");
  const core::RunId healthy = start("nap");
  const auto other = another_node(2);
  std::set<std::string> told;
  other->engine().on_damage([&told](const std::string& object, const std::string&) { told.insert(object); });
  clock.advance(1min);
  for (int i = 0; i < 3; ++i) (void)other->engine().sweeper().tick(100);
  EXPECT_EQ(state_of(healthy), core::RunState::completed);
  EXPECT_TRUE(told.contains("run " + to_string(first)));
  EXPECT_EQ(other->engine().stats().runs_parked, 2);
  for (const core::RunId& id : {first, second}) {
    const core::Run run = run_of(id);
    EXPECT_EQ(run.state, core::RunState::paused);
    EXPECT_NE(run.custom_status.value_or("").find("parked: run"), std::string::npos);
  }
  // A newly started node finds no due work of these runs.
  const auto fresh = another_node(3);
  EXPECT_EQ(fresh->engine().sweeper().tick(100).woken, 0);
  EXPECT_EQ(fresh->engine().stats().runs_parked, 0);

  act(first, core::RunAction::terminate);
  EXPECT_EQ(state_of(first), core::RunState::cancelled);
  execute(R"(update run_states set standing = replace(standing, '"undo_top":[1,-1]', '"undo_top":[0,-1]'))");
  act(second, core::RunAction::resume);
  clock.advance(core::kParkedFor);
  (void)fresh->engine().sweeper().tick(100);
  EXPECT_EQ(state_of(second), core::RunState::compensating);
}

// The run's state is unreadable, so that it cannot be loaded; the node skips it for a while.
TEST_P(Damaged, RunThatCannotBeParkedIsSkippedForAWhile) {
  if (GetParam() == StoreKind::memory) return;
  define("nap", R"({"id":"n","type":"sleep","duration":"1m"})");
  (void)start("nap");
  execute("update run_states set standing = '{\"counts\":['");
  const auto other = another_node(2);
  clock.advance(1min);
  for (int i = 0; i < 5; ++i) (void)other->engine().sweeper().tick(100);
  EXPECT_EQ(other->engine().stats().runs_parked, 1);
  clock.advance(core::kParkedFor);
  (void)other->engine().sweeper().tick(100);
  EXPECT_EQ(other->engine().stats().runs_parked, 2) << "it is tried again";
}

TEST_P(Damaged, RowsDoNotAffectOthers) {
  if (GetParam() == StoreKind::memory) return;
  fill();
  back_up();
  std::uint64_t seed = 1'000;
  for (const Damage& one : kDamages) {
    SCOPED_TRACE(one.name);
    damage(one);
    const auto other = another_node(++seed);
    expect_life(*other);
    restore();
  }
}

}  // namespace

PAWL_ON_EVERY_STORE(Damaged);

}  // namespace pawl::testing
