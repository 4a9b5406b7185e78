#pragma once
// Where the next page of a list begins, as callers bring it back. Opaque to them: the first letter leaves
// room for other orders later. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"
#include "core/result.hpp"

namespace pawl::core {

[[nodiscard]] std::string cursor_after(const TaskId& id);
[[nodiscard]] std::string cursor_after(const RunId& id);
// None: the cursor is empty. Refused where no server gave it.
[[nodiscard]] Result<std::optional<TaskId>> task_from_cursor(std::string_view cursor);
[[nodiscard]] Result<std::optional<RunId>> run_from_cursor(std::string_view cursor);

}  // namespace pawl::core
