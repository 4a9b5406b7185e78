#include <utility>

#include <fmt/format.h>

#include "store/migrate.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/monotonic.hpp"
#include "store/postgres/planted_sql.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/postgres/sql.hpp"

namespace pawl::store {

namespace postgres {

namespace {

// For one statement over all existing rows.
constexpr core::Duration kMigrationMax = std::chrono::hours{24};
constexpr core::Duration kLockPause = std::chrono::milliseconds{50};

// Everything in one transaction, under an advisory lock of that transaction.
class PostgresMigrations final : public MigrationTarget {
 public:
  explicit PostgresMigrations(const std::string& conninfo, MigrationWait wait = {})
      : wait_(std::move(wait)), server_(conninfo, nullptr, kMigrationMax), connection_(server_) {
    server_.is_pooled = true;  // each statement is sent once: a name would have no use and may already exist
    connection_.connect_or_throw();
  }

  std::vector<AppliedMigration> applied() override {
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

  void begin_exclusive() override {
    connection_.send(sql::begin_write);
    (void)connection_.run_or_throw();
    wait_for_lock();
    connection_.send(sql::create_schema);
    connection_.send(sql::create_migrations);
    (void)connection_.run_or_throw();
  }

  void apply(const MigrationFile& file, const std::string& checksum) override {
    if (const auto failure = connection_.run_script(with_planted_bug(std::string{file.text})))
      failure->raise();
    Params params;
    params.value(static_cast<std::int32_t>(file.version));
    params.value(file.name);
    params.value(checksum);
    connection_.send(sql::insert_migration, params);
    (void)connection_.run_or_throw();
  }

  void commit() override {
    connection_.send(sql::commit);
    (void)connection_.run_or_throw();
  }

 private:
  void wait_for_lock() {
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

  [[nodiscard]] bool has_lock() {
    connection_.send(sql::lock_migrations);
    return connection_.run_or_throw().front().boolean(0, 0);
  }

  // The server leaves out empty columns of other roles' sessions.
  [[nodiscard]] std::string holder() {
    connection_.send(sql::find_migrator);
    const auto answers = connection_.run_or_throw();
    return answers.front().count() == 0 ? "it has just disconnected"
                                        : std::string{answers.front().text(0, 0)};
  }

  const MigrationWait wait_;
  Server server_;
  Connection connection_;
};

}  // namespace

}  // namespace postgres

int migrate_postgres(const std::string& conninfo, const MigrationWait& wait) {
  postgres::PostgresMigrations target{conninfo, wait};
  return migrate(target, postgres::sql::kMigrations);
}

std::vector<MigrationState> postgres_migration_status(const std::string& conninfo) {
  postgres::PostgresMigrations target{conninfo};
  return migration_status(target, postgres::sql::kMigrations);
}

}  // namespace pawl::store
