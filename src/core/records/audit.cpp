#include "core/records/audit.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/sha256.hpp"

namespace pawl::core {

std::string audit_hash(const std::string& hash_before, const AuditEntry& entry) {
  // Each field is prefixed with its length, so that text cannot move from one field to the next.
  std::string whole = fmt::format("{}\n{}\n{}\n", hash_before, entry.sequence, micros(entry.at));
  for (const std::string* field : {&entry.ns, &entry.actor, &entry.role, &entry.action, &entry.object,
                                   &entry.request_id, &entry.outcome, &entry.detail.text})
    whole += fmt::format("{}:{}\n", field->size(), *field);
  return sha256_hex(whole);
}

namespace {

bool fits(const std::optional<std::string>& wanted, const std::string& text) {
  return !wanted || *wanted == text;
}

bool fits_pattern(const std::optional<std::string>& wanted, std::string_view text) {
  if (!wanted || !wanted->ends_with('*')) return !wanted || *wanted == text;
  return text.starts_with(std::string_view{*wanted}.substr(0, wanted->size() - 1));
}

}  // namespace

bool matches(const AuditFilter& filter, const AuditEntry& entry) {
  const auto& namespaces = filter.namespaces;
  const bool is_there =
      namespaces.empty() || std::find(namespaces.begin(), namespaces.end(), entry.ns) != namespaces.end();
  const bool is_then = (!filter.created_after || entry.at >= *filter.created_after) &&
                       (!filter.created_before || entry.at < *filter.created_before);
  return is_there && is_then && fits(filter.actor, entry.actor) &&
         fits_pattern(filter.action, entry.action) && fits(filter.object, entry.object) &&
         fits(filter.outcome, entry.outcome);
}

void chain(AuditEnd& end, AuditEntry& entry, TimePoint now) {
  entry.sequence = end.sequence + 1;
  entry.at = now;
  entry.hash = audit_hash(planted(Canary::audit_not_chained) ? std::string{} : end.hash, entry);
  end = {.sequence = entry.sequence, .hash = entry.hash};
}

}  // namespace pawl::core
