// A node whose database was migrated by a newer program: it refuses writes with the reason, and still serves
// reads.

#include <string>
#include <utility>

#include <libpq-fe.h>
#include <sqlite3.h>

#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;

// Changes the database as another program would.
void run_beside(const Database& database, const std::string& sql) {
  if (database.kind() == StoreKind::sqlite) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(database.location().c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
    return;
  }
  PGconn* connection = PQconnectdb(database.location().c_str());
  PGresult* result = PQexec(connection, ("set search_path = pawl; " + sql).c_str());
  EXPECT_EQ(PQresultStatus(result), PGRES_COMMAND_OK) << PQerrorMessage(connection);
  PQclear(result);
  PQfinish(connection);
}

class NewerSchema {
 public:
  explicit NewerSchema(const Database& database) : database_(database) {
    const std::string at = database.kind() == StoreKind::sqlite ? "0" : "now()";
    run_beside(database_, "insert into schema_migrations values (999, 'of_the_future', 'x', " + at + ")");
  }
  NewerSchema(const NewerSchema&) = delete;
  NewerSchema& operator=(const NewerSchema&) = delete;
  ~NewerSchema() { run_beside(database_, "delete from schema_migrations where version = 999"); }

 private:
  const Database& database_;
};

class ForeignSchema : public CodeRunTest {
 public:
  template <typename T>
  static void expect_refused(const core::Result<T>& result) {
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.problem().code, ProblemCode::unavailable);
    const std::string& detail = result.problem().detail;
    EXPECT_NE(detail.find("schema version 999"), std::string::npos) << detail;
    EXPECT_NE(detail.find("replace this node's program"), std::string::npos) << detail;
  }
};

TEST_P(ForeignSchema, RejectsWritesAndStillServesReads) {
  if (GetParam() == StoreKind::memory) return;  // it has no schema
  clock.advance(1s);
  const core::Task task = enqueue({.type = "report"});
  const core::ClaimedTask body = claim_body(start_code());
  complete_step(body, "a");
  {
    const NewerSchema newer{database()};
    expect_refused(write(body, {{.step_id = "b", .output = {"1"}}}));
    expect_refused(api().enqueue("default", {.type = "report"}));
    expect_refused(api().enqueue("default", {.type = "a-type-without-a-lane"}));
    expect_refused(api().claim({.worker_id = "w2"}));
    expect_refused(write(body, {{.step_id = "b", .output = {"1"}}}));
    EXPECT_EQ(get(task.id).task.id, task.id);
    EXPECT_TRUE(runs().get_run({.id = *body.task.run_id}).ok());
    EXPECT_NE(engine().foreign_schema(), "");
  }
  clock.advance(1s);
  complete_step(body, "b");
  complete_body(body);
  EXPECT_EQ(engine().foreign_schema(), "");
}

PAWL_ON_EVERY_STORE(ForeignSchema);

}  // namespace
}  // namespace pawl::testing
