#pragma once
// Shared by the tests of the PostgreSQL store: a database for each test, and tasks that are moved through the
// store's verbs directly, with core's decisions and without an engine.

#include <memory>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "core/base/env.hpp"
#include "core/base/ids.hpp"
#include "core/task/task_machine.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/store.hpp"
#include "tests/support/env.hpp"

namespace pawl::store::postgres_test {

// A plain session next to the store.
class Session {
 public:
  explicit Session(const std::string& conninfo);
  // The text of each row's columns, joined by '|'. Fails the test if the statement fails.
  std::vector<std::string> query(const std::string& sql);
  std::string value(const std::string& sql) { return query(sql).at(0); }

 private:
  struct Close {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Close> connection_;
};

// Created on the server of PAWL_TEST_POSTGRES, and dropped by the destructor.
class Database {
 public:
  Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();
  [[nodiscard]] const std::string& conninfo() const { return conninfo_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // Terminates all sessions of the store, through another database.
  int terminate_sessions();

 private:
  std::string name_;
  std::string conninfo_;
};

// A store on a database, and the life of tasks without a key in one lane.
class Hands {
 public:
  Hands(const std::string& conninfo, core::Duration staleness, bool own_clock = true);

  std::vector<core::TaskId> enqueue(int count, const core::TaskSpec& spec = {.type = "mail"});
  std::vector<core::TaskRecord> claim(std::size_t max, core::Duration lease = std::chrono::seconds{30}) const;
  void complete(const std::vector<core::TaskRecord>& claimed) const;

  // The individual steps, for special cases.
  const core::Lane* lane(const core::TaskSpec& spec) const;
  core::TaskRecord new_task(const core::TaskSpec& spec, core::TimePoint now);
  static TaskWrite written(const core::TaskRecord& record, core::Place from, std::int64_t fence_before);
  std::vector<core::TaskRecord> take(Transaction& tx, std::size_t max) const;

  testing::ManualClock clock;
  testing::SeededRandom random;  // seeded differently for each node, whose ids would otherwise collide
  core::IdGenerator ids{random};
  std::unique_ptr<Store> store;
  std::string worker = "worker-1";
};

}  // namespace pawl::store::postgres_test
