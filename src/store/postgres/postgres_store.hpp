#pragma once
// A store on PostgreSQL 15 or later, for any number of nodes on one database. It keeps no state in a
// connection that a transaction pooler would lose, and in memory only what a crash may take: where live
// entries begin, lanes, and what it wrote a moment ago.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/env.hpp"
#include "store/migrate.hpp"
#include "store/store.hpp"

namespace pawl::store {

struct PostgresOptions {
  std::string conninfo = {};       // "host=… dbname=…" or "postgres://…"
  core::Clock* clock = nullptr;    // the store's clock; none: that of the database
  core::Random* random = nullptr;  // spreads reconnects; asked by one thread at a time
  int writers = 2;
  int readers = 2;
  // How long this node may overlook what another one wrote into a lane; 0: look from the start each time.
  core::Duration lane_cache_staleness = std::chrono::milliseconds{200};
  // Leases of this node that are completed without being read again; one that another node changed meanwhile
  // costs the group a second try. 0: none.
  std::size_t remembered_leases_max = 50'000;
  // A server that says nothing for so long counts as lost, though its machine may still hold the connection.
  core::Duration silence_max = std::chrono::seconds{15};
  MigrationWait migration = {};
};

// Migrates, then opens.
[[nodiscard]] std::unique_ptr<Store> open_postgres(PostgresOptions options);

// Returns how many migrations were applied.
int migrate_postgres(const std::string& conninfo, const MigrationWait& wait = {});
[[nodiscard]] std::vector<MigrationState> postgres_migration_status(const std::string& conninfo);

}  // namespace pawl::store
