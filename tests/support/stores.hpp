#pragma once
// An empty store of each kind, on a clock that the test owns; gone with its owner.

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/env.hpp"
#include "store/store.hpp"

namespace pawl::testing {

enum class StoreKind : std::uint8_t { memory, sqlite, postgres };
[[nodiscard]] std::string to_string(StoreKind kind);
void PrintTo(StoreKind kind, std::ostream* out);

[[nodiscard]] std::vector<StoreKind> all_store_kinds();

// The database behind a store: a temporary folder with a SQLite file, or a PostgreSQL database of its own.
class Database {
 public:
  explicit Database(StoreKind kind);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // Several may be open at once on one database, as several processes or nodes have it. The memory store is
  // one per Database: a second `open` of it is an error of the test.
  [[nodiscard]] std::unique_ptr<store::Store> open(core::Clock& clock, core::Random& random);
  // The same, and a group that meets no fault is tried once: nothing is decided from memory that another node
  // may have changed.
  [[nodiscard]] std::unique_ptr<store::Store> open_without_memory(core::Clock& clock, core::Random& random);

  [[nodiscard]] StoreKind kind() const { return kind_; }
  [[nodiscard]] const std::string& location() const { return location_; }  // file path or connection string

 private:
  StoreKind kind_;
  std::string name_;
  std::string location_;
  bool is_open_ = false;
};

// A folder of its own below the system's temporary one, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace pawl::testing
