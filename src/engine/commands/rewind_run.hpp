#pragma once
// Starts a copy of a run that continues from one of its earlier steps.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::RewindRun& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::RewindRun& command, GroupContext& group);

}  // namespace pawl::engine
