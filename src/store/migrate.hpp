#pragma once
// Applies migrations: numbered files for each database, forward only. Each is applied once, under a lock, in
// the transaction that records it. A file that changed after it was applied, and a schema newer than this
// binary supports, are rejected.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/time.hpp"
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
  std::function<void(const std::string& line)> notice = {};  // called once, with the reason for the wait
  core::Duration notice_after = std::chrono::seconds{1};
  core::Duration longest = std::chrono::minutes{5};  // then a StoreError of kind unavailable is thrown
};

// What a database provides for migrations; `begin_exclusive` takes the lock that the other writes need.
class MigrationTarget {
 public:
  MigrationTarget() = default;
  MigrationTarget(const MigrationTarget&) = delete;
  MigrationTarget& operator=(const MigrationTarget&) = delete;
  virtual ~MigrationTarget() = default;

  // The applied migrations, oldest first; empty for an empty database. Writes nothing.
  [[nodiscard]] virtual std::vector<AppliedMigration> applied() = 0;
  // Begins a transaction that excludes other migrations; creates the table of applied migrations.
  virtual void begin_exclusive() = 0;
  virtual void apply(const MigrationFile& file, const std::string& checksum) = 0;
  virtual void commit() = 0;
};

struct MigrationState {
  int version = 0;
  std::string name = {};
  std::optional<core::TimePoint> applied_at = {};  // none: pending
};

// FNV-1a: enough to detect an edited file, not an attack.
[[nodiscard]] std::string checksum_of(std::string_view text);

// Throws StoreError of kind schema if this binary cannot serve the database.
[[nodiscard]] std::vector<MigrationState> migration_status(MigrationTarget& target,
                                                           std::span<const MigrationFile> files);
// The schema version that this program requires.
[[nodiscard]] constexpr int schema_version_of(std::span<const MigrationFile> files) {
  return files.empty() ? 0 : files.back().version;
}
// For an open store: throws StoreError of kind schema if the schema version has changed since, because
// another program migrated or replaced the database.
void expect_schema(int found, int own);
// Returns how many were applied.
int migrate(MigrationTarget& target, std::span<const MigrationFile> files);

}  // namespace pawl::store
