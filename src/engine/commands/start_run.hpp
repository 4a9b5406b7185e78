#pragma once
// Starts runs, at most one per run key. StartRun and OpenRun share a file since they differ only in the facts
// of the run that they start.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::StartRun& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::StartRun& command, GroupContext& group);

void needs(const core::OpenRun& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::OpenRun& command, GroupContext& group);

}  // namespace pawl::engine
