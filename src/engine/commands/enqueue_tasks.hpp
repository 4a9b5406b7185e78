#pragma once
// Creates tasks: all tasks of the command or none, each at most once per idempotency key.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::EnqueueTasks& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::EnqueueTasks& command, GroupContext& group);

}  // namespace pawl::engine
