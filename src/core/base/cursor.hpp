#pragma once
// Page cursors: where the next page of a list begins. They are opaque to callers; the leading letter leaves
// room for other orders later. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "core/base/ids.hpp"
#include "core/base/result.hpp"

namespace pawl::core {

[[nodiscard]] std::string cursor_after(const TaskId& id);
[[nodiscard]] std::string cursor_after(const RunId& id);
// nullopt for an empty cursor. Fails for a cursor that no server issued.
[[nodiscard]] Result<std::optional<TaskId>> task_from_cursor(std::string_view cursor);
[[nodiscard]] Result<std::optional<RunId>> run_from_cursor(std::string_view cursor);

}  // namespace pawl::core
