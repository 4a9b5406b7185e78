#pragma once
// Sends a signal to a run.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::SignalRun& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::SignalRun& command, GroupContext& group);

}  // namespace pawl::engine
