#include "store/sqlite/migrations.hpp"

#include <fmt/format.h>

#include "store/sqlite/sql.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

std::vector<AppliedMigration> SqliteMigrations::applied() {
  std::vector<AppliedMigration> applied;
  {
    Rows row = connection_.statement(sql::has_migrations).rows();
    if (!row.next() || !row.boolean()) return applied;
  }
  Rows row = connection_.statement(sql::list_migrations).rows();
  while (row.next()) {
    applied.push_back(
        {.version = row.int32(), .name = row.string(), .checksum = row.string(), .applied_at = row.time()});
  }
  return applied;
}

void SqliteMigrations::begin_exclusive() {
  if (!connection_.try_begin_immediate(wait_.notice_after)) wait_for_lock();
  scope_.emplace(connection_);
  connection_.statement(sql::create_migrations).run();
}

void SqliteMigrations::wait_for_lock() {
  const std::string longest = core::format_duration(wait_.longest);
  if (wait_.notice) {
    wait_.notice(fmt::format("{}: waiting for another process that holds the write lock, for {} at most",
                             connection_.path(), longest));
  }
  if (connection_.try_begin_immediate(wait_.longest)) return;
  throw StoreError{StoreError::Kind::unavailable,
                   fmt::format("{}: another process has held the write lock for {}, so that the database "
                               "cannot be migrated: end that process (`fuser {}` shows it) and start again",
                               connection_.path(), longest, connection_.path())};
}

void SqliteMigrations::apply(const MigrationFile& file, const std::string& checksum) {
  connection_.execute(std::string{file.text},
                      fmt::format("applying migration {} ({})", file.version, file.name));
  connection_.statement(sql::insert_migration).run(file.version, file.name, checksum, now_);
}

void SqliteMigrations::commit() {
  scope_->commit();
  scope_.reset();
}

}  // namespace pawl::store::sqlite
