#pragma once
// Migrations of a PostgreSQL database and the table that records them. Everything happens in one transaction,
// under an advisory lock of that transaction.

#include <string>
#include <vector>

#include "store/migrate.hpp"
#include "store/postgres/connection.hpp"

namespace pawl::store::postgres {

class PostgresMigrations final : public MigrationTarget {
 public:
  explicit PostgresMigrations(const std::string& conninfo, MigrationWait wait = {});

  [[nodiscard]] std::vector<AppliedMigration> applied() override;
  void begin_exclusive() override;
  void apply(const MigrationFile& file, const std::string& checksum) override;
  void commit() override;

 private:
  void wait_for_lock();
  [[nodiscard]] bool has_lock();
  [[nodiscard]] std::string holder();

  const MigrationWait wait_;
  Server server_;
  Connection connection_;
};

}  // namespace pawl::store::postgres
