// The hot statements use the indexes intended for them, even on tables whose statistics favor other plans.
#include <gtest/gtest.h>

#include "store/postgres/sql.hpp"
#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
namespace sql = postgres::sql;
using postgres_test::Database;
using postgres_test::Hands;
using postgres_test::Session;

// Runs with statistics of empty tables and of filled ones: a table that was empty a minute ago may now hold a
// million rows.
class PostgresPlans : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      (void)hands.enqueue(2000);
      (void)hands.enqueue(2000, {.type = "mail", .delay = 10s});
      hands.complete(hands.claim(500));
      (void)hands.claim(500);
    }
    for (const auto& table : session.query("select tablename from pg_tables where schemaname = 'pawl'")) {
      session.query("vacuum analyze pawl." + table);
    }
    session.query("begin");
    session.query(std::string{sql::start_write});
  }
  // `arguments` only need the right types: the plan is a generic one.
  std::string plan(std::string_view text, const std::string& types, const std::string& arguments) {
    const std::string name = "plan_" + std::to_string(++statements);
    session.query("prepare " + name + types + " as " + std::string{text});
    std::string lines;
    for (const std::string& line : session.query("explain (costs off) execute " + name + arguments))
      lines += line + "\n";
    return lines;
  }
  static void expect_uses(const std::string& plan, const std::vector<std::string>& indexes) {
    for (const std::string& index : indexes)
      EXPECT_NE(plan.find(index), std::string::npos) << index << "\n" << plan;
    for (const char* bad : {"Seq Scan", "Hash", "Merge", "Bitmap"}) {
      EXPECT_EQ(plan.find(bad), std::string::npos) << bad << "\n" << plan;
    }
  }

  Database database;
  Hands hands{database.conninfo(), 0ms};
  Session session{database.conninfo()};
  int statements = 0;
};

TEST_P(PostgresPlans, OfRetentionScanByIdAndEraseByKey) {
  const std::string nil = "'00000000-0000-0000-0000-000000000000'";
  const auto walk = plan(sql::list_finished, "", "(" + nil + ", " + nil + ", 10)");
  expect_uses(walk, {"Index Scan using finished_pkey"});
  EXPECT_EQ(walk.find("Sort"), std::string::npos) << walk;
  expect_uses(plan(sql::lock_finished, "", "('{}')"), {"Index Scan using finished_pkey"});
  const auto keys = plan(sql::erase_task_keys, "", "('{}')");
  expect_uses(keys,
              {"Index Scan using tasks_pkey", "Index Scan using task_keys_pkey", "Tid Scan on task_keys"});
  EXPECT_NE(keys.find("AND (key = t.key)"), std::string::npos) << keys;
  for (const std::string& by_key : {plan(sql::trim_checkpoints, "", "('{}', '{}')"),
                                    plan(sql::erase_run_keys, "", "('{}', '{}', '{}', '{}')"),
                                    plan(sql::erase_run_states, "", "('{}', '{}', 1)")}) {
    expect_uses(by_key, {"Index Cond"});
    EXPECT_EQ(by_key.find("Join Filter"), std::string::npos) << by_key;
  }
  expect_uses(plan(sql::erase_events, "", "('{}')"), {"Index Scan using run_events_pkey"});
}

TEST_P(PostgresPlans, OfEventAppendsAndTransactionStartsUseKeys) {
  expect_uses(plan(sql::append_events, "",
                   "('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', 1)"),
              {"Index Only Scan using run_events_pkey"});
  for (const std::string& start :
       {plan(sql::expect_start, "", "(now(), now(), 1, '', 0)"), plan(sql::read_start, "", "")}) {
    expect_uses(start,
                {"Index Only Scan Backward using schema_migrations_pkey", "Index Scan using records_pkey"});
  }
}

TEST_P(PostgresPlans, OfAClaimScanItsLaneAndDeleteByRowAddress) {
  const auto text = plan(sql::take_ready, "", "(1, now(), '00000000-0000-0000-0000-000000000000', 10)");
  expect_uses(text, {"Index Scan using ready_in_line", "Tid Scan on ready"});
  EXPECT_NE(text.find("ROW(available_at, id) >= ROW($2, $3)"), std::string::npos) << text;
  EXPECT_EQ(text.find("Sort"), std::string::npos) << text;
}

TEST_P(PostgresPlans, OfAClaimOfSeveralLanesScanEachLane) {
  const auto text = plan(sql::take_ready_of_lanes, "",
                         "('{1,2}', '{now,now}', '{00000000-0000-0000-0000-000000000000}', '{5,5}', 10)");
  EXPECT_NE(text.find("using ready_in_line"), std::string::npos) << text;
  EXPECT_NE(text.find("Tid Scan on ready"), std::string::npos) << text;
  EXPECT_EQ(text.find("Seq Scan"), std::string::npos) << text;
}

TEST_P(PostgresPlans, OfAClaimOfAFairLaneScanItsTurns) {
  const auto text = plan(sql::take_fair_ready, "", "(1, 0, '00000000-0000-0000-0000-000000000000', 10)");
  expect_uses(text, {"Index Scan using ready_by_turn", "Tid Scan on ready"});
  EXPECT_NE(text.find("ROW(turn, id) >= ROW($2, $3)"), std::string::npos) << text;
  EXPECT_EQ(text.find("Sort"), std::string::npos) << text;
  const auto of_lanes = plan(sql::take_fair_ready_of_lanes, "",
                             "('{1,2}', '{0,0}', '{00000000-0000-0000-0000-000000000000}', '{5,5}')");
  expect_uses(of_lanes, {"using ready_by_turn", "Tid Scan on ready"});
}

TEST_P(PostgresPlans, OfTurnsUseIndexes) {
  expect_uses(plan(sql::find_fair_lane, "", "('{}')"), {"fair_lanes_pkey"});
  expect_uses(plan(sql::find_fair_key, "", "('{}', '{}')"), {"fair_keys_pkey"});
  expect_uses(plan(sql::find_first_turn, "", "('{}', '{}')"), {"ready_by_turn"});
  expect_uses(plan(sql::put_fair_lane, "", "('{}', '{}')"), {"fair_lanes_pkey"});
  expect_uses(plan(sql::forget_fair_keys, "", "(1, '{}')"), {"fair_keys_pkey", "Tid Scan on fair_keys"});
  expect_uses(plan(sql::find_fair_task, "", "('{}')"), {"fair_tasks_pkey"});
}

TEST_P(PostgresPlans, OfLoadsUseIds) {
  expect_uses(plan(sql::find_lease, "", "('{}')"), {"leases_pkey"});
  expect_uses(plan(sql::find_ready, "", "('{}')"), {"ready_pkey"});
  expect_uses(plan(sql::find_scheduled, "", "('{}')"), {"scheduled_pkey"});
  expect_uses(plan(sql::find_waiting, "", "('{}')"), {"waiting_pkey"});
  expect_uses(plan(sql::find_finished, "", "('{}')"), {"finished_pkey"});
  expect_uses(plan(sql::find_task_facts, "", "('{}')"), {"tasks_pkey"});
  expect_uses(plan(sql::find_task_key, "", "('{}')"), {"tasks_pkey"});
}

TEST_P(PostgresPlans, OfLockedRowsDeleteByRowAddress) {
  expect_uses(plan(sql::delete_lease, "", "('{}', '{}', '{}', 0)"), {"Tid Scan on leases"});
  expect_uses(plan(sql::delete_ready, "", "('{}', '{}', '{}', 0)"), {"Tid Scan on ready"});
  expect_uses(plan(sql::delete_scheduled, "", "('{}', '{}', '{}', 0)"), {"Tid Scan on scheduled"});
  expect_uses(plan(sql::delete_finished, "", "('{}', '{}', '{}', 0)"), {"Tid Scan on finished"});
  expect_uses(plan(sql::delete_waiting, "", "('{}', '{}', 0)"), {"waiting_pkey", "Tid Scan on waiting"});
}

TEST_P(PostgresPlans, OfKeyLinesLockInOrder) {
  const auto text = plan(sql::find_line, "", "('{}', '{}', '{}')");
  expect_uses(text, {"key_lines_pkey"});
  EXPECT_LT(text.find("Function Scan on u"), text.find("key_lines_pkey")) << text;
  expect_uses(plan(sql::delete_line, "", "('{}', '{}', '{}')"), {"key_lines_pkey", "Tid Scan on key_lines"});
  const auto first = plan(sql::list_first_waiting, "", "('', '', '', 1)");
  expect_uses(first, {"waiting_in_line", "tasks_pkey"});
  EXPECT_EQ(first.find(" Sort\n"), first.find("Incremental Sort\n") + 11) << "a long line is not read whole\n"
                                                                          << first;
}

TEST_P(PostgresPlans, OfSmallLookupsUseKeys) {
  for (const auto& [text, index] :
       {std::pair{plan(sql::find_idempotent_task, "", "('{}', '{}', '{}')"), "task_keys_pkey"},
        std::pair{plan(sql::find_queue, "", "('{}', '{}')"), "queues_pkey"},
        std::pair{plan(sql::lock_queue, "", "('{}', '{}')"), "queues_pkey"},
        std::pair{plan(sql::find_attempt, "", "('{}', '{}')"), "attempts_pkey"}}) {
    expect_uses(text, {index});
    EXPECT_LT(text.find("Function Scan on u"), text.find(index)) << text;
  }
}

TEST_P(PostgresPlans, OfTheTickerScanFromItsMark) {
  session.query("rollback");
  session.query("begin");
  session.query(std::string{sql::pin_plans});
  expect_uses(plan(sql::list_due_leases, "", "(now(), now(), 10)"), {"leases_by_time"});
  expect_uses(plan(sql::list_due_tasks, "", "(now(), 10)"), {"scheduled_by_time"});
  expect_uses(plan(sql::list_ready_heads, "", "('{1}')"), {"ready_in_line"});
  expect_uses(plan(sql::list_fair_heads, "", "('{1}')"), {"ready_by_turn"});
}

TEST_P(PostgresPlans, OfListsScanByIdAndUseKeyIndexes) {
  session.query("rollback");
  session.query("begin");
  session.query(std::string{sql::pin_plans});
  const std::string common = "'{1}', null, null, null, null, null, 10";
  const std::string switches = ", true, true, true, true, true, '{failed}', null";
  const auto placed = plan(sql::list_placed_ids_newest_first, "", "(" + common + switches + ")");
  EXPECT_NE(placed.find("finished_not_completed"), std::string::npos) << placed;
  EXPECT_NE(placed.find("One-Time Filter"), std::string::npos) << placed;
  expect_uses(plan(sql::list_keyed_ids_newest_first, "", "(" + common + switches + ", 'k')"),
              {"tasks_by_key"});
  const auto labeled = plan(sql::list_labeled_ids_newest_first, "",
                            "('{1}', null, null, 'color', 'blue', null, 10" + switches + ", 'default')");
  expect_uses(labeled, {"task_labels_pkey"});
  EXPECT_EQ(labeled.find("Sort"), std::string::npos) << labeled;
  const auto runs = plan(sql::list_labeled_runs_newest_first, "",
                         "('default', null, null, null, null, 'color', 'blue', null, null, 10, '{}')");
  expect_uses(runs, {"run_labels_pkey"});
  EXPECT_EQ(runs.find("Sort"), std::string::npos) << runs;
  expect_uses(plan(sql::list_tasks, "", "('{}')"),
              {"ready_pkey", "scheduled_pkey", "leases_pkey", "finished_pkey"});
}

INSTANTIATE_TEST_SUITE_P(Statistics, PostgresPlans, ::testing::Bool(), [](const auto& suite) {
  return std::string{suite.param ? "OfFullTables" : "OfEmptyTables"};
});

}  // namespace
}  // namespace pawl::store
