#pragma once
// The store in one SQLite file: a write-ahead log that is flushed before anything is told, one writer at a
// time, readers beside it on snapshots. Several processes may have the same file open; they take turns at the
// write lock.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/env.hpp"
#include "store/migrate.hpp"
#include "store/store.hpp"

namespace pawl::store {

struct SqliteOptions {
  std::string path = {};
  core::Clock* clock = nullptr;    // the store's clock: one machine, one clock
  core::Random* random = nullptr;  // for the jitter of waits; asked only while opening
  int readers = 2;
  MigrationWait migration = {};
  std::optional<std::int64_t> max_page_count = {};  // a disk this full, for tests
  std::function<int(int file)> flush = {};          // instead of fdatasync, for tests
};

// Makes the file if there is none, and migrates it. Throws StoreError that names the path for a folder that
// does not exist, a file that is no database or cannot be written, and a schema that this binary cannot
// serve.
[[nodiscard]] std::unique_ptr<Store> open_sqlite(const SqliteOptions& options);

// Copies the store as it is now into a new file, whole and durable, beside whoever works on it; the folder
// must exist. Throws StoreError.
void backup_sqlite(const std::string& path, const std::string& into);

// Migrates nothing; the file must exist.
[[nodiscard]] std::vector<MigrationState> sqlite_migration_status(const std::string& path);

}  // namespace pawl::store
