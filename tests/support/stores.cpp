#include "tests/support/stores.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <stdexcept>

#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <unistd.h>

#include "store/memory/memory_store.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace pawl::testing {

namespace {

// The PostgreSQL server of the tests. Tests fail without one: none is skipped silently.
std::string postgres_server() {
  const char* conninfo = std::getenv("PAWL_TEST_POSTGRES");
  if (conninfo == nullptr) {
    throw std::runtime_error{"PAWL_TEST_POSTGRES is not set: run the tests with ./dev test"};
  }
  return conninfo;
}

// Returns the error message; empty on success.
std::string try_on_server(const std::string& conninfo, const std::string& sql) {
  PGconn* connection = PQconnectdb(conninfo.c_str());
  PGresult* result = PQexec(connection, sql.c_str());
  const bool is_done = PQresultStatus(result) == PGRES_COMMAND_OK;
  const std::string message = is_done ? "" : sql + ": " + PQerrorMessage(connection);
  PQclear(result);
  PQfinish(connection);
  return message;
}

void run_on_server(const std::string& sql) {
  if (const std::string error = try_on_server(postgres_server(), sql); !error.empty())
    throw std::runtime_error{error};
}

std::string fresh_name() {
  static std::atomic<int> count{0};
  return "pawl_test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
}

std::string conninfo_of(const std::string& database) { return postgres_server() + " dbname=" + database; }

// Creating and dropping a database takes the server most of a second, so a database that a test has finished
// with is emptied and reused. All are dropped when the program ends.
class IdleDatabases {
 public:
  IdleDatabases() = default;
  IdleDatabases(const IdleDatabases&) = delete;
  IdleDatabases& operator=(const IdleDatabases&) = delete;
  ~IdleDatabases() {
    for (const std::string& name : names_) drop(name);
  }

  std::string take() {
    {
      const std::lock_guard lock{mutex_};
      if (!names_.empty()) {
        std::string name = std::move(names_.back());
        names_.pop_back();
        return name;
      }
    }
    std::string name = fresh_name();
    run_on_server("create database " + name);
    return name;
  }

  void give_back(const std::string& name) {
    if (!try_on_server(conninfo_of(name), kEmptyEveryTable).empty()) return drop(name);
    const std::lock_guard lock{mutex_};
    names_.push_back(name);
  }

 private:
  static constexpr const char* kEmptyEveryTable = R"(
    do $$
    declare one record;
    begin
      set local lock_timeout = '10s';
      set local session_replication_role = replica;  -- foreign keys need no order
      for one in select tablename from pg_tables where schemaname = 'pawl' and tablename not like '%migration%' loop
        execute format('delete from pawl.%I', one.tablename);
      end loop;
    end $$)";

  static void drop(const std::string& name) {
    (void)try_on_server(postgres_server(), "drop database if exists " + name + " with (force)");
  }

  std::mutex mutex_;
  std::vector<std::string> names_;
};

IdleDatabases& idle_databases() {
  static IdleDatabases idle;
  return idle;
}

}  // namespace

std::string to_string(StoreKind kind) {
  switch (kind) {
    case StoreKind::memory: return "memory";
    case StoreKind::sqlite: return "sqlite";
    case StoreKind::postgres: return "postgres";
  }
  return "?";
}

void PrintTo(StoreKind kind, std::ostream* out) { *out << to_string(kind); }

std::vector<StoreKind> all_store_kinds() {
  return {StoreKind::memory, StoreKind::sqlite, StoreKind::postgres};
}

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / fresh_name()).string();
  std::filesystem::create_directories(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Database::Database(StoreKind kind) : kind_(kind), name_(fresh_name()) {
  if (kind_ == StoreKind::sqlite) {
    const auto folder = std::filesystem::temp_directory_path() / name_;
    std::filesystem::create_directories(folder);
    location_ = (folder / "pawl.db").string();
  } else if (kind_ == StoreKind::postgres) {
    name_ = idle_databases().take();
    location_ = conninfo_of(name_);
  }
}

Database::~Database() {
  if (kind_ == StoreKind::sqlite) {
    std::error_code ignored;
    std::filesystem::remove_all(std::filesystem::path{location_}.parent_path(), ignored);
  } else if (kind_ == StoreKind::postgres) {
    idle_databases().give_back(name_);
  }
}

std::unique_ptr<store::Store> Database::open(core::Clock& clock, core::Random& random) {
  switch (kind_) {
    case StoreKind::memory:
      if (is_open_) throw std::logic_error{"a memory store is one per Database"};
      is_open_ = true;
      return store::make_memory_store(clock);
    case StoreKind::sqlite:
      return store::open_sqlite({.path = location_, .clock = &clock, .random = &random});
    case StoreKind::postgres:
      return store::open_postgres({.conninfo = location_,
                                   .clock = &clock,
                                   .random = &random,
                                   .lane_cache_staleness = core::Duration{0}});
  }
  return nullptr;
}

std::unique_ptr<store::Store> Database::open_without_memory(core::Clock& clock, core::Random& random) {
  if (kind_ != StoreKind::postgres) return open(clock, random);
  return store::open_postgres({.conninfo = location_,
                               .clock = &clock,
                               .random = &random,
                               .lane_cache_staleness = core::Duration{0},
                               .remembered_leases_max = 0});
}

}  // namespace pawl::testing
