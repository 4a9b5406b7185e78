#pragma once
// Retries ended tasks. Each task succeeds or fails on its own.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::RetryTasks& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::RetryTasks& command, GroupContext& group);

}  // namespace pawl::engine
