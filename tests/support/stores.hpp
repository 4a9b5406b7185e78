#pragma once
// An empty store of each kind, on a clock that the test owns. The destructor removes it.

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/env.hpp"
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

  // Several stores may be open on one database, as in several processes or nodes. The memory store exists
  // once per Database: a second `open` of it is an error of the test.
  [[nodiscard]] std::unique_ptr<store::Store> open(core::Clock& clock, core::Random& random);
  // The same, but a group without faults is tried only once: the store decides nothing from caches that
  // another node may have made outdated.
  [[nodiscard]] std::unique_ptr<store::Store> open_without_memory(core::Clock& clock, core::Random& random);

  [[nodiscard]] StoreKind kind() const { return kind_; }
  [[nodiscard]] const std::string& location() const { return location_; }  // file path or connection string

 private:
  StoreKind kind_;
  std::string name_;
  std::string location_;
  bool is_open_ = false;
};

// A new folder below the system's temporary one, which the destructor removes with its contents.
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
