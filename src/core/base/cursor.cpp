#include "core/base/cursor.hpp"

namespace pawl::core {

namespace {

constexpr char kTask = 't';
constexpr char kRun = 'r';

template <typename Id>
Result<std::optional<Id>> id_from(char letter, std::string_view cursor) {
  if (cursor.empty()) return std::optional<Id>{};
  const auto id = cursor.front() == letter ? parse_uuid(cursor.substr(1)) : std::nullopt;
  if (!id) return invalid_field("cursor", "is not a cursor that this server issued");
  return std::optional{Id{*id}};
}

}  // namespace

std::string cursor_after(const TaskId& id) { return kTask + to_string(id); }
std::string cursor_after(const RunId& id) { return kRun + to_string(id); }

Result<std::optional<TaskId>> task_from_cursor(std::string_view cursor) {
  return id_from<TaskId>(kTask, cursor);
}

Result<std::optional<RunId>> run_from_cursor(std::string_view cursor) { return id_from<RunId>(kRun, cursor); }

}  // namespace pawl::core
