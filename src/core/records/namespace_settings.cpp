#include "core/records/namespace_settings.hpp"

#include <fmt/format.h>

#include "core/json/body.hpp"
#include "core/task/command.hpp"

namespace pawl::core {

namespace {

RawJson encode(const NamespaceSettings& settings) {
  Body body;
  body.put("strict_types", settings.strict_types);
  body.put("payload_max", settings.payload_max);
  body.put("retention_completed", settings.retention_completed);
  body.put("retention_failed", settings.retention_failed);
  body.put("retention_audit", settings.retention_audit);
  body.put("retention_dead_letter", settings.retention_dead_letter);
  body.put("retention_cancelled", settings.retention_cancelled);
  body.put("retention_runs", settings.retention_runs);
  body.put("retention_checkpoints", settings.retention_checkpoints);
  Labels queues;
  for (const auto& [queue, kept] : settings.retention_queues) queues.emplace(queue, format_duration(kept));
  if (!queues.empty()) body.put("retention_queues", queues);
  return body.text();
}

std::map<std::string, Duration> queues_from(const Labels& texts) {
  std::map<std::string, Duration> queues;
  for (const auto& [queue, text] : texts) {
    if (const auto kept = parse_duration(text)) queues.emplace(queue, *kept);
  }
  return queues;
}

Status check_retention(std::string_view field, const std::optional<std::optional<Duration>>& retention) {
  if (!retention || !*retention) return Done{};
  return check_duration(field, **retention, Duration{0}, kDurationMax);
}

Status check_queues(const std::optional<std::map<std::string, Duration>>& queues) {
  if (!queues) return Done{};
  if (queues->size() > kRetentionQueuesMax)
    return invalid_field("retention_queues", fmt::format("must name at most {} queues", kRetentionQueuesMax));
  for (const auto& [queue, kept] : *queues) {
    const Status valid =
        first_of({check_name("retention_queues", queue),
                  check_duration("retention_queues." + queue, kept, Duration{0}, kDurationMax)});
    if (!valid) return valid;
  }
  return Done{};
}

}  // namespace

RecordRef namespace_ref(const std::string& ns) {
  return {.kind = RecordKind::namespace_settings, .ns = ns, .key = "settings"};
}

Status check(const PutNamespace& request) {
  const auto& payload_max = request.patch.payload_max;
  if (payload_max && *payload_max && (**payload_max < 1 || **payload_max > std::int64_t{kPayloadBytesMax}))
    return invalid_field("payload_max",
                         fmt::format("must be from 1 to {}, not {}", kPayloadBytesMax, **payload_max));
  const auto& checkpoints = request.patch.retention_checkpoints;
  if (checkpoints && *checkpoints && (**checkpoints < 1 || **checkpoints > kCheckpointsKeptMax))
    return invalid_field("retention_checkpoints",
                         fmt::format("must be from 1 to {}, not {}", kCheckpointsKeptMax, **checkpoints));
  return first_of({check_namespace(request.ns),
                   check_retention("retention_completed", request.patch.retention_completed),
                   check_retention("retention_failed", request.patch.retention_failed),
                   check_retention("retention_audit", request.patch.retention_audit),
                   check_retention("retention_dead_letter", request.patch.retention_dead_letter),
                   check_retention("retention_cancelled", request.patch.retention_cancelled),
                   check_retention("retention_runs", request.patch.retention_runs),
                   check_queues(request.patch.retention_queues)});
}

NamespaceSettings namespace_settings_from(const RawJson& text) {
  const Body body{text};
  return {.strict_types = body.get<bool>("strict_types"),
          .payload_max = body.optional_of<std::int64_t>("payload_max"),
          .retention_completed = body.optional_duration_of("retention_completed"),
          .retention_failed = body.optional_duration_of("retention_failed"),
          .retention_audit = body.optional_duration_of("retention_audit"),
          .retention_dead_letter = body.optional_duration_of("retention_dead_letter"),
          .retention_cancelled = body.optional_duration_of("retention_cancelled"),
          .retention_runs = body.optional_duration_of("retention_runs"),
          .retention_checkpoints = body.optional_of<std::int64_t>("retention_checkpoints"),
          .retention_queues = queues_from(body.get<Labels>("retention_queues"))};
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
  if (patch.retention_dead_letter) settings.retention_dead_letter = *patch.retention_dead_letter;
  if (patch.retention_cancelled) settings.retention_cancelled = *patch.retention_cancelled;
  if (patch.retention_runs) settings.retention_runs = *patch.retention_runs;
  if (patch.retention_checkpoints) settings.retention_checkpoints = *patch.retention_checkpoints;
  if (patch.retention_queues) settings.retention_queues = *patch.retention_queues;
  RecordDecision decision{.answer = encode(settings)};
  decision.changes.push_back({.ref = namespace_ref(request.ns), .body = decision.answer});
  decision.audit.push_back(audit_of(request.by, request.ns, "namespace.put", request.ns));
  return decision;
}

}  // namespace pawl::core
