#include "store/postgres/migrations.hpp"

#include <utility>

#include <fmt/format.h>

#include "store/postgres/monotonic.hpp"
#include "store/postgres/planted_sql.hpp"
#include "store/postgres/sql.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

namespace {

// For one statement over all existing rows.
constexpr core::Duration kMigrationMax = std::chrono::hours{24};
constexpr core::Duration kLockPause = std::chrono::milliseconds{50};

}  // namespace

PostgresMigrations::PostgresMigrations(const std::string& conninfo, MigrationWait wait)
    : wait_(std::move(wait)), server_(conninfo, nullptr, kMigrationMax), connection_(server_) {
  server_.is_pooled = true;  // each statement is sent once: a name would have no use and may already exist
  connection_.connect_or_throw();
}

std::vector<AppliedMigration> PostgresMigrations::applied() {
  connection_.send(sql::has_migrations);
  if (connection_.run_or_throw().front().int8(0, 0) == 0) return {};
  connection_.send(sql::list_migrations);
  const auto answers = connection_.run_or_throw();
  const Rows& rows = answers.front();
  std::vector<AppliedMigration> migrations;
  for (int row = 0; row < rows.count(); ++row) {
    migrations.push_back({.version = rows.int4(row, 0),
                          .name = std::string{rows.text(row, 1)},
                          .checksum = std::string{rows.text(row, 2)},
                          .applied_at = rows.time(row, 3)});
  }
  return migrations;
}

void PostgresMigrations::begin_exclusive() {
  connection_.send(sql::begin_write);
  (void)connection_.run_or_throw();
  wait_for_lock();
  connection_.send(sql::create_schema);
  connection_.send(sql::create_migrations);
  (void)connection_.run_or_throw();
}

void PostgresMigrations::apply(const MigrationFile& file, const std::string& checksum) {
  if (const auto failure = connection_.run_script(with_planted_bug(std::string{file.text}))) failure->raise();
  Params params;
  params.value(static_cast<std::int32_t>(file.version));
  params.value(file.name);
  params.value(checksum);
  connection_.send(sql::insert_migration, params);
  (void)connection_.run_or_throw();
}

void PostgresMigrations::commit() {
  connection_.send(sql::commit);
  (void)connection_.run_or_throw();
}

void PostgresMigrations::wait_for_lock() {
  const core::MonotonicTime began = monotonic_now();
  for (bool is_noticed = false; !has_lock(); wait(kLockPause)) {
    const core::Duration waited = monotonic_now() - began;
    if (waited >= wait_.longest) {
      throw StoreError{
          StoreError::Kind::unavailable,
          fmt::format("another session ({}) has held the migration lock of the database for {}: wait until "
                      "it has migrated the database, or end it, and start again",
                      holder(), core::format_duration(wait_.longest))};
    }
    if (is_noticed || waited < wait_.notice_after || !wait_.notice) continue;
    is_noticed = true;
    wait_.notice(fmt::format("waiting for another session that migrates the database ({}), for {} at most",
                             holder(), core::format_duration(wait_.longest)));
  }
}

bool PostgresMigrations::has_lock() {
  connection_.send(sql::lock_migrations);
  return connection_.run_or_throw().front().boolean(0, 0);
}

// The server leaves out empty columns of other roles' sessions.
std::string PostgresMigrations::holder() {
  connection_.send(sql::find_migrator);
  const auto answers = connection_.run_or_throw();
  return answers.front().count() == 0 ? "it has just disconnected" : std::string{answers.front().text(0, 0)};
}

}  // namespace pawl::store::postgres
