#include "store/sqlite/migrations.hpp"

#include "store/sqlite/sql.hpp"

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
  scope_.emplace(connection_, Scope::Kind::write);
  connection_.statement(sql::create_migrations).run();
}

void SqliteMigrations::apply(const MigrationFile& file, const std::string& checksum) {
  connection_.execute(std::string{file.text});
  connection_.statement(sql::insert_migration).run(file.version, file.name, checksum, now_);
}

void SqliteMigrations::commit() {
  scope_->commit();
  scope_.reset();
}

}  // namespace pawl::store::sqlite
