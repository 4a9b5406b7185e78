#include "core/records/record.hpp"

#include <array>

#include "core/json/body.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, kRecordKindCount> kRecordKindNames{"lock",
                                                                          "idempotency",
                                                                          "worker",
                                                                          "worker_process",
                                                                          "task_type",
                                                                          "token",
                                                                          "namespace_settings",
                                                                          "audit_end",
                                                                          "node",
                                                                          "leader",
                                                                          "definition",
                                                                          "definition_version",
                                                                          "schedule",
                                                                          "schedule_id",
                                                                          "firing",
                                                                          "code_workflow",
                                                                          "inbox",
                                                                          "inbox_key",
                                                                          "clock"};

}  // namespace

std::string_view to_string(RecordKind kind) { return kRecordKindNames.at(static_cast<std::size_t>(kind)); }

std::optional<RecordKind> record_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kRecordKindNames.size(); ++i) {
    if (kRecordKindNames.at(i) == name) return static_cast<RecordKind>(i);
  }
  return std::nullopt;
}

RecordRef audit_end_ref() { return {.kind = RecordKind::audit_end, .key = "end"}; }

AuditEnd audit_end_from(const std::optional<Record>& record) {
  if (!record) return {};
  const Body body{record->body};
  return {.sequence = body.get<std::int64_t>("sequence"), .hash = body.text_of("hash")};
}

RawJson body_of(const AuditEnd& end) {
  Body body;
  body.put("sequence", end.sequence);
  body.put("hash", end.hash);
  return body.text();
}

}  // namespace pawl::core
