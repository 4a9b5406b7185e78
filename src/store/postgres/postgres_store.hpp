#pragma once
// A store on PostgreSQL 15 or later, for any number of nodes on one database. It keeps no session state that
// a transaction pooler would lose, and in memory only data that a crash may lose: where live entries begin,
// lanes, and recent writes.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/base/env.hpp"
#include "store/migrate.hpp"
#include "store/store.hpp"

namespace pawl::store {

struct PostgresOptions {
  std::string conninfo = {};       // "host=… dbname=…" or "postgres://…"
  core::Clock* clock = nullptr;    // the store's clock; null: the database's clock
  core::Random* random = nullptr;  // spreads reconnects; used by one thread at a time
  int writers = 2;
  int readers = 2;
  // How long this node may overlook what another node wrote into a lane; 0: always read from the start.
  core::Duration lane_cache_staleness = std::chrono::milliseconds{200};
  // How many leases of this node are cached, to be completed without reading them again. A lease that another
  // node changed in the meantime costs its group a second attempt. 0: none.
  std::size_t remembered_leases_max = 50'000;
  // A server that is silent for this long counts as lost, even if its machine keeps the connection open.
  core::Duration silence_max = std::chrono::seconds{15};
  MigrationWait migration = {};
};

// Migrates, then opens.
[[nodiscard]] std::unique_ptr<Store> open_postgres(PostgresOptions options);

// Returns how many migrations were applied.
int migrate_postgres(const std::string& conninfo, const MigrationWait& wait = {});
[[nodiscard]] std::vector<MigrationState> postgres_migration_status(const std::string& conninfo);

}  // namespace pawl::store
