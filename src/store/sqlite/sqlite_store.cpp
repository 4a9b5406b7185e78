#include "store/sqlite/sqlite_store.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/ensure.hpp"
#include "store/sqlite/migrations.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/store_impl.hpp"

namespace pawl::store {

std::unique_ptr<Store> open_sqlite(const SqliteOptions& options) {
  PAWL_ENSURE(options.clock != nullptr && options.random != nullptr, "SqliteOptions needs clock and random");
  std::error_code unknown;  // ignored: opening the file reports the cause
  const auto real_path = std::filesystem::weakly_canonical(options.path, unknown);
  auto mark = std::make_unique<sqlite::LogMark>(real_path.string(), options.random->next());
  auto writer = sqlite::connect(options, true);
  mark->check(*writer);
  sqlite::SqliteMigrations target{*writer, options.clock->now(), options.migration};
  migrate(target, sqlite::sql::kMigrations);
  sqlite::LogMark::prepare(*writer);
  std::vector<std::unique_ptr<sqlite::Connection>> readers;
  for (int i = 0; i < options.readers; ++i) readers.push_back(sqlite::connect(options, false));
  return std::make_unique<sqlite::SqliteStore>(options, std::move(mark), std::move(writer),
                                               std::move(readers));
}

std::vector<MigrationState> sqlite_migration_status(const std::string& path) {
  sqlite::Connection connection{{.path = path}};
  sqlite::SqliteMigrations target{connection, {}};
  return migration_status(target, sqlite::sql::kMigrations);
}

}  // namespace pawl::store
