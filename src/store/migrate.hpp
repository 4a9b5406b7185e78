#pragma once
// Migrations: numbered files for each database, forward only, each applied once under a lock in the same
// transaction as the record of it. A file that changed after it was applied, and a schema newer than this
// binary knows, are refused.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/time.hpp"
#include "store/migration_file.hpp"

namespace pawl::store {

struct AppliedMigration {
  int version = 0;
  std::string name = {};
  std::string checksum = {};
  core::TimePoint applied_at = {};
};

// How a migration waits for another process that migrates the same store.
struct MigrationWait {
  std::function<void(const std::string& line)> notice = {};  // called once, with what it waits for
  core::Duration notice_after = std::chrono::seconds{1};
  core::Duration longest = std::chrono::minutes{5};  // then it throws StoreError of kind unavailable
};

// What a database offers; each is told to lock first and works inside that lock.
class MigrationTarget {
 public:
  MigrationTarget() = default;
  MigrationTarget(const MigrationTarget&) = delete;
  MigrationTarget& operator=(const MigrationTarget&) = delete;
  virtual ~MigrationTarget() = default;

  // What was applied, oldest first; empty for an empty database. Changes nothing.
  [[nodiscard]] virtual std::vector<AppliedMigration> applied() = 0;
  // Begins a transaction that no other migration can run beside; makes the table of applied migrations.
  virtual void begin_exclusive() = 0;
  virtual void apply(const MigrationFile& file, const std::string& checksum) = 0;
  virtual void commit() = 0;
};

struct MigrationState {
  int version = 0;
  std::string name = {};
  std::optional<core::TimePoint> applied_at = {};  // none: pending
};

// FNV-1a: finds an edited file, which is all it is for.
[[nodiscard]] std::string checksum_of(std::string_view text);

// Throws StoreError of kind schema for a database that this binary cannot serve.
[[nodiscard]] std::vector<MigrationState> migration_status(MigrationTarget& target,
                                                           std::span<const MigrationFile> files);
// The version that this program was made for.
[[nodiscard]] constexpr int schema_version_of(std::span<const MigrationFile> files) {
  return files.empty() ? 0 : files.back().version;
}
// For a store that is open: throws StoreError of kind schema if the database has another version by now,
// since another program has migrated or replaced it.
void expect_schema(int found, int own);
// Returns how many were applied.
int migrate(MigrationTarget& target, std::span<const MigrationFile> files);

}  // namespace pawl::store
