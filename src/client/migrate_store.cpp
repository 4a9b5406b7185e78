#include "client/migrate_store.hpp"

#include "store/postgres/postgres_store.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace pawl::client {

std::vector<store::MigrationState> store_migrations(const StoreAddress& address) {
  switch (address.type) {
    case StoreType::memory: return {};
    case StoreType::sqlite: return store::sqlite_migration_status(address.location);
    case StoreType::postgres: break;
  }
  return store::postgres_migration_status(address.location);
}

void migrate_store(const StoreAddress& address, core::Clock& clock, core::Random& random,
                   const store::MigrationWait& wait) {
  if (address.type == StoreType::postgres) {
    store::migrate_postgres(address.location, wait);
  } else {
    const auto opened = open_store(address, clock, random, wait);  // opening migrates
  }
}

}  // namespace pawl::client
