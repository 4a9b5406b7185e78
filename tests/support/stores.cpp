#include "tests/support/stores.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <unistd.h>

#include "store/memory/memory_store.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace pawl::testing {

namespace {

// Where the tests' PostgreSQL is. Without one they fail: nothing is skipped silently.
std::string postgres_server() {
  const char* conninfo = std::getenv("PAWL_TEST_POSTGRES");
  if (conninfo == nullptr) {
    throw std::runtime_error{"PAWL_TEST_POSTGRES is not set: run the tests with ./dev test"};
  }
  return conninfo;
}

void run_on_server(const std::string& sql) {
  PGconn* connection = PQconnectdb(postgres_server().c_str());
  PGresult* result = PQexec(connection, sql.c_str());
  const bool is_done = PQresultStatus(result) == PGRES_COMMAND_OK;
  const std::string message = PQerrorMessage(connection);
  PQclear(result);
  PQfinish(connection);
  if (!is_done) throw std::runtime_error{sql + ": " + message};
}

std::string fresh_name() {
  static std::atomic<int> count{0};
  return "pawl_test_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
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
    run_on_server("create database " + name_);
    location_ = postgres_server() + " dbname=" + name_;
  }
}

Database::~Database() {
  if (kind_ == StoreKind::sqlite) {
    std::error_code ignored;
    std::filesystem::remove_all(std::filesystem::path{location_}.parent_path(), ignored);
  } else if (kind_ == StoreKind::postgres) {
    run_on_server("drop database if exists " + name_ + " with (force)");
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

}  // namespace pawl::testing
