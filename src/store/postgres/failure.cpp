#include "store/postgres/failure.hpp"

#include <algorithm>
#include <array>

namespace pawl::store::postgres {

namespace {

struct Mapping {
  std::string_view prefix;  // of the SQLSTATE
  StoreError::Kind kind;
};

// The first match counts.
constexpr std::array kMappings{
    Mapping{"23503", StoreError::Kind::invalid},      // a foreign key
    Mapping{"22021", StoreError::Kind::invalid},      // bytes that are not valid text
    Mapping{"40", StoreError::Kind::retry},           // deadlock, serialization, our own guard
    Mapping{"55P03", StoreError::Kind::retry},        // a lock_timeout
    Mapping{"26000", StoreError::Kind::retry},        // see is_pooler_trouble
    Mapping{"42P05", StoreError::Kind::retry},        // see is_pooler_trouble
    Mapping{"08", StoreError::Kind::unavailable},     // the connection
    Mapping{"53", StoreError::Kind::unavailable},     // disk full, out of memory, too many connections
    Mapping{"57014", StoreError::Kind::timeout},      // a statement_timeout: see pin_plans
    Mapping{"57", StoreError::Kind::unavailable},     // shut down, crashed, starting, canceled
    Mapping{"58", StoreError::Kind::unavailable},     // the server's disk or system
    Mapping{"25006", StoreError::Kind::unavailable},  // read-only: a former primary
    Mapping{"25P03", StoreError::Kind::unavailable},  // idle in a transaction for too long: see start_write
    Mapping{"55000", StoreError::Kind::unavailable},  // a standby cannot report its position in the log
};

// Tables in which another group may insert the same key concurrently; the engine retries and finds the
// winner.
constexpr std::array<std::string_view, 7> kRacedTables{"task_keys", "key_lines",   "lanes",     "records",
                                                       "run_keys",  "checkpoints", "run_events"};

}  // namespace

StoreError::Kind kind_of(std::string_view sqlstate, std::string_view table) {
  if (sqlstate == "23505") {
    const bool is_race = std::find(kRacedTables.begin(), kRacedTables.end(), table) != kRacedTables.end();
    return is_race ? StoreError::Kind::retry : StoreError::Kind::conflict;
  }
  const auto fits = [&](const Mapping& mapping) { return sqlstate.starts_with(mapping.prefix); };
  const auto* found = std::find_if(kMappings.begin(), kMappings.end(), fits);
  return found == kMappings.end() ? StoreError::Kind::internal : found->kind;
}

bool is_pooler_trouble(std::string_view sqlstate) { return sqlstate == "26000" || sqlstate == "42P05"; }

bool ends_session(std::string_view sqlstate) {
  return sqlstate.starts_with("57P") || sqlstate == "25006" || sqlstate == "25P03";
}

}  // namespace pawl::store::postgres
