#include "core/record.hpp"

#include <array>

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, kRecordKindCount> kKindNames{
    "lock", "idempotency", "worker", "worker_process", "task_type", "token", "namespace_settings"};

}  // namespace

std::string_view to_string(RecordKind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }

std::optional<RecordKind> record_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames.at(i) == name) return static_cast<RecordKind>(i);
  }
  return std::nullopt;
}

}  // namespace pawl::core
