#pragma once
// The canaries for SQL functions. A function cannot call `planted`, so its bug is planted in the migration
// that creates it, when that is applied.

#include <string>

#ifdef PAWL_CANARIES
#include <array>
#include <string_view>

#include "core/base/canary.hpp"
#endif

namespace pawl::store::postgres {

#ifdef PAWL_CANARIES
struct PlantedSql {
  core::Canary canary;
  std::string_view right;
  std::string_view wrong;
};

inline constexpr std::array kPlantedSql{
    PlantedSql{core::Canary::sql_key_not_taken,
               "first := pawl.take_key('enqueue', namespace, type, idempotency_key, id)", "first := id"},
    PlantedSql{core::Canary::sql_key_not_promised, "when (new.kind = 'inbox_key')", "when (false)"},
    PlantedSql{core::Canary::sql_namespace_not_checked,
               "perform pawl.check_namespace(namespace);\n  perform pawl.check_text('type'",
               "perform pawl.check_text('type'"},
    PlantedSql{core::Canary::sql_signal_to_an_ended_run, "elsif exists (", "elsif false and exists ("},
    PlantedSql{core::Canary::sql_temporary_objects_first, "search_path = pg_catalog, pg_temp",
               "search_path = pg_catalog"},
    PlantedSql{core::Canary::sql_withdraw_keeps_the_key,
               "r.kind = 'inbox_key' and r.namespace = '' and r.key = concat_ws(",
               "false and r.key = concat_ws("},
};

[[nodiscard]] inline std::string with_planted_bug(std::string script) {
  for (const PlantedSql& bug : kPlantedSql) {
    if (!core::planted(bug.canary)) continue;
    for (auto at = script.find(bug.right); at != std::string::npos; at = script.find(bug.right, at)) {
      script.replace(at, bug.right.size(), bug.wrong);
      at += bug.wrong.size();
    }
  }
  return script;
}
#else
[[nodiscard]] inline std::string with_planted_bug(std::string script) { return script; }
#endif

}  // namespace pawl::store::postgres
