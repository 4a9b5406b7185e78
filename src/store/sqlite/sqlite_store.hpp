#pragma once
// The store in one SQLite file: a write-ahead log that is flushed before any reply, one writer at a time,
// concurrent readers on snapshots. Several processes may open the same file; they take turns at the write
// lock.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/env.hpp"
#include "store/migrate.hpp"
#include "store/store.hpp"

namespace pawl::store {

struct SqliteOptions {
  std::string path = {};
  core::Clock* clock = nullptr;    // the store's clock: one clock per machine
  core::Random* random = nullptr;  // for the jitter of waits; used only while opening
  int readers = 2;
  MigrationWait migration = {};
  std::optional<std::int64_t> max_page_count = {};  // simulates a full disk, for tests
  std::function<int(int file)> flush = {};          // replaces fdatasync, for tests
};

// Creates the file if it does not exist, and migrates it. Throws StoreError that names the path if the folder
// does not exist, the file is not a database or not writable, or this binary cannot serve its schema.
[[nodiscard]] std::unique_ptr<Store> open_sqlite(const SqliteOptions& options);

// Copies the current state of the store into a new file, complete and durable, while others may use the
// store. The folder must exist. Throws StoreError.
void backup_sqlite(const std::string& path, const std::string& into);

// Does not migrate; the file must exist.
[[nodiscard]] std::vector<MigrationState> sqlite_migration_status(const std::string& path);

}  // namespace pawl::store
