#pragma once
// Migrations of a SQLite file and the table that records them.

#include <optional>
#include <utility>
#include <vector>

#include "core/base/env.hpp"
#include "store/migrate.hpp"
#include "store/sqlite/connection.hpp"

namespace pawl::store::sqlite {

class SqliteMigrations final : public MigrationTarget {
 public:
  SqliteMigrations(Connection& connection, core::TimePoint now, MigrationWait wait = {})
      : connection_(connection), now_(now), wait_(std::move(wait)) {}

  [[nodiscard]] std::vector<AppliedMigration> applied() override;
  void begin_exclusive() override;
  void apply(const MigrationFile& file, const std::string& checksum) override;
  void commit() override;

 private:
  void wait_for_lock();

  Connection& connection_;
  core::TimePoint now_;
  const MigrationWait wait_;
  std::optional<Scope> scope_;  // rolls back unless committed
};

}  // namespace pawl::store::sqlite
