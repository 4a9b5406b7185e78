#pragma once
// Cancels tasks, or requests it from their holders. Each task succeeds or fails on its own.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::CancelTasks& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::CancelTasks& command, GroupContext& group);

}  // namespace pawl::engine
