#pragma once
// Migrations of the store at an address. Both functions throw StoreError.

#include <vector>

#include "client/open_store.hpp"
#include "store/migrate.hpp"

namespace pawl::client {

// Changes nothing. The memory store has none; a file that does not exist is an error.
[[nodiscard]] std::vector<store::MigrationState> store_migrations(const StoreAddress& address);
void migrate_store(const StoreAddress& address, core::Clock& clock, core::Random& random,
                   const store::MigrationWait& wait = {});

}  // namespace pawl::client
