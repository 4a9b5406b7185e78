#pragma once
// The record of applied migrations in a SQLite file.

#include <optional>
#include <vector>

#include "core/env.hpp"
#include "store/migrate.hpp"
#include "store/sqlite/connection.hpp"

namespace pawl::store::sqlite {

class SqliteMigrations final : public MigrationTarget {
 public:
  SqliteMigrations(Connection& connection, core::TimePoint now) : connection_(connection), now_(now) {}

  [[nodiscard]] std::vector<AppliedMigration> applied() override;
  void begin_exclusive() override;
  void apply(const MigrationFile& file, const std::string& checksum) override;
  void commit() override;

 private:
  Connection& connection_;
  core::TimePoint now_;
  std::optional<Scope> scope_;  // rolls back what was not committed
};

}  // namespace pawl::store::sqlite
