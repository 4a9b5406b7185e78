#include "core/audit.hpp"

#include <fmt/format.h>

#include "core/canary.hpp"
#include "core/sha256.hpp"

namespace pawl::core {

std::string audit_hash(const std::string& hash_before, const AuditEntry& entry) {
  // With its length before each: no text can be moved from one field to the next.
  std::string whole = fmt::format("{}\n{}\n{}\n", hash_before, entry.sequence, micros(entry.at));
  for (const std::string* field : {&entry.ns, &entry.actor, &entry.role, &entry.action, &entry.object,
                                   &entry.request_id, &entry.outcome, &entry.detail.text})
    whole += fmt::format("{}:{}\n", field->size(), *field);
  return sha256_hex(whole);
}

void chain(AuditEnd& end, AuditEntry& entry, TimePoint now) {
  entry.sequence = end.sequence + 1;
  entry.at = now;
  entry.hash = audit_hash(planted(Canary::audit_not_chained) ? std::string{} : end.hash, entry);
  end = {.sequence = entry.sequence, .hash = entry.hash};
}

}  // namespace pawl::core
