#include "store/migrate.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/postgres/sql.hpp"

namespace pawl::store {

namespace postgres {

namespace {

// Of one statement over whatever there is, and of waiting for another node that does the same.
constexpr core::Duration kMigrationMax = std::chrono::hours{24};

// Everything in one transaction under an advisory lock of that transaction.
class PostgresMigrations final : public MigrationTarget {
 public:
  explicit PostgresMigrations(const std::string& conninfo)
      : server_(conninfo, nullptr, kMigrationMax), connection_(server_) {
    server_.is_pooled = true;  // each statement is sent once: a name would be of no use, and may be taken
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
    connection_.send(sql::lock_migrations);
    connection_.send(sql::create_schema);
    connection_.send(sql::create_migrations);
    (void)connection_.run_or_throw();
  }

  void apply(const MigrationFile& file, const std::string& checksum) override {
    if (const auto failure = connection_.run_script(std::string{file.text})) failure->raise();
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
  Server server_;
  Connection connection_;
};

}  // namespace

}  // namespace postgres

int migrate_postgres(const std::string& conninfo) {
  postgres::PostgresMigrations target{conninfo};
  return migrate(target, postgres::sql::kMigrations);
}

std::vector<MigrationState> postgres_migration_status(const std::string& conninfo) {
  postgres::PostgresMigrations target{conninfo};
  return migration_status(target, postgres::sql::kMigrations);
}

}  // namespace pawl::store
