#pragma once
// Appends a checkpoint to a task or a run.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::AppendCheckpoint& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::AppendCheckpoint& command, GroupContext& group);

}  // namespace pawl::engine
