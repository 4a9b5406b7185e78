#include "client/open_store.hpp"

#include "store/memory/memory_store.hpp"
#include "store/postgres/postgres_store.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace pawl::client {

core::Result<StoreAddress> parse_store_address(const std::string& address) {
  if (address == "memory:" || address == "memory") return StoreAddress{.type = StoreType::memory};
  if (address.starts_with("postgres://") || address.starts_with("postgresql://")) {
    return StoreAddress{.type = StoreType::postgres, .location = address};
  }
  const auto colon = address.find(':');
  const std::string scheme = address.substr(0, colon);
  const std::string location = colon == std::string::npos ? "" : address.substr(colon + 1);
  if (scheme == "sqlite" && !location.empty())
    return StoreAddress{.type = StoreType::sqlite, .location = location};
  if (scheme == "postgres" && !location.empty()) {
    return StoreAddress{.type = StoreType::postgres, .location = location};
  }
  return core::invalid_field(
      "store", "must be sqlite:FILE, postgres://…, postgres:CONNINFO or memory:, not '" + address + "'");
}

std::string name_of(StoreType type) {
  switch (type) {
    case StoreType::memory: return "memory";
    case StoreType::sqlite: return "sqlite";
    case StoreType::postgres: return "postgres";
  }
  return "?";
}

std::unique_ptr<store::Store> open_store(const StoreAddress& address, core::Clock& clock,
                                         core::Random& random, const store::MigrationWait& wait,
                                         int readers) {
  switch (address.type) {
    case StoreType::memory: return store::make_memory_store(clock);
    case StoreType::sqlite:
      return store::open_sqlite({.path = address.location,
                                 .clock = &clock,
                                 .random = &random,
                                 .readers = readers,
                                 .migration = wait});
    case StoreType::postgres: break;
  }
  // Decisions use the database's own clock, since the clocks of nodes differ.
  return store::open_postgres(
      {.conninfo = address.location, .random = &random, .readers = readers, .migration = wait});
}

std::unique_ptr<store::Baseline> open_baseline(const StoreAddress& address) {
  switch (address.type) {
    case StoreType::memory: return nullptr;
    case StoreType::sqlite: return store::open_sqlite_baseline(address.location);
    case StoreType::postgres: return store::open_postgres_baseline(address.location);
  }
  return nullptr;
}

}  // namespace pawl::client
