#include "store/postgres/postgres_store.hpp"

#include <utility>

#include "store/postgres/migrations.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"

namespace pawl::store {

std::unique_ptr<Store> open_postgres(PostgresOptions options) {
  migrate_postgres(options.conninfo, options.migration);
  return std::make_unique<postgres::PostgresStore>(std::move(options));
}

int migrate_postgres(const std::string& conninfo, const MigrationWait& wait) {
  postgres::PostgresMigrations target{conninfo, wait};
  return migrate(target, postgres::sql::kMigrations);
}

std::vector<MigrationState> postgres_migration_status(const std::string& conninfo) {
  postgres::PostgresMigrations target{conninfo};
  return migration_status(target, postgres::sql::kMigrations);
}

}  // namespace pawl::store
