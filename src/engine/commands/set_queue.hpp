#pragma once
// Changes the settings of a queue.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::SetQueue& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::SetQueue& command, GroupContext& group);

}  // namespace pawl::engine
