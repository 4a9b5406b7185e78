#include "client/backup_store.hpp"

#include <filesystem>

#include "store/sqlite/sqlite_store.hpp"

namespace pawl::client {

core::Status backup_store(const StoreAddress& address, const std::string& file) {
  if (address.type == StoreType::postgres) {
    return core::invalid_field(
        "store",
        "is PostgreSQL, which has its own tools: `pg_dump --schema=pawl --format=custom` for a copy of one "
        "moment, `pg_basebackup` and its write-ahead log for any moment");
  }
  if (address.type == StoreType::memory)
    return core::invalid_field("store", "is in the memory of its process: there is nothing to copy");
  if (std::filesystem::exists(file))
    return core::invalid_field("FILE", "exists already; choose another file or remove it");
  store::backup_sqlite(address.location, file);
  return core::Done{};
}

}  // namespace pawl::client
