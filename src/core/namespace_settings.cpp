#include "core/namespace_settings.hpp"

#include <fmt/format.h>

#include "core/body.hpp"
#include "core/command.hpp"

namespace pawl::core {

namespace {

RawJson encode(const NamespaceSettings& settings) {
  Body body;
  body.put("strict_types", settings.strict_types);
  body.put("payload_max", settings.payload_max);
  body.put("retention_completed", settings.retention_completed);
  body.put("retention_failed", settings.retention_failed);
  body.put("retention_audit", settings.retention_audit);
  return body.text();
}

Status check_retention(std::string_view field, const std::optional<std::optional<Duration>>& retention) {
  if (!retention || !*retention) return Done{};
  return check_duration(field, **retention, Duration{0}, kDurationMax);
}

}  // namespace

RecordRef namespace_ref(const std::string& ns) {
  return {.kind = RecordKind::namespace_settings, .ns = ns, .key = "settings"};
}

Status check(const PutNamespace& request) {
  const auto& payload_max = request.patch.payload_max;
  if (payload_max && *payload_max && (**payload_max < 1 || **payload_max > std::int64_t{kPayloadBytesMax}))
    return invalid_field("payload_max", fmt::format("must be from 1 to {}", kPayloadBytesMax));
  return first_of({check_namespace(request.ns),
                   check_retention("retention_completed", request.patch.retention_completed),
                   check_retention("retention_failed", request.patch.retention_failed),
                   check_retention("retention_audit", request.patch.retention_audit)});
}

NamespaceSettings namespace_settings_from(const RawJson& text) {
  const Body body{text};
  return {.strict_types = body.get<bool>("strict_types"),
          .payload_max = body.optional_of<std::int64_t>("payload_max"),
          .retention_completed = body.optional_duration_of("retention_completed"),
          .retention_failed = body.optional_duration_of("retention_failed"),
          .retention_audit = body.optional_duration_of("retention_audit")};
}

NamespaceSettings namespace_settings_from(const std::optional<Record>& record) {
  return record ? namespace_settings_from(record->body) : NamespaceSettings{};
}

Result<RecordDecision> decide_put_namespace(const PutNamespace& request, FoundRecords found,
                                            TimePoint /*now*/) {
  const NamespacePatch& patch = request.patch;
  NamespaceSettings settings = namespace_settings_from(found[0]);
  if (patch.strict_types) settings.strict_types = *patch.strict_types;
  if (patch.payload_max) settings.payload_max = *patch.payload_max;
  if (patch.retention_completed) settings.retention_completed = *patch.retention_completed;
  if (patch.retention_failed) settings.retention_failed = *patch.retention_failed;
  if (patch.retention_audit) settings.retention_audit = *patch.retention_audit;
  RecordDecision decision{.answer = encode(settings)};
  decision.changes.push_back({.ref = namespace_ref(request.ns), .body = decision.answer});
  decision.audit.push_back(audit_of(request.by, request.ns, "namespace.put", request.ns));
  return decision;
}

}  // namespace pawl::core
