#pragma once
// Writes steps of a code run on behalf of its body, which holds a lease. WriteStepsOfMany is a list of
// WriteSteps, of which each succeeds or fails on its own.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::WriteSteps& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::WriteSteps& command, GroupContext& group);

void needs(const core::WriteStepsOfMany& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::WriteStepsOfMany& command, GroupContext& group);

}  // namespace pawl::engine
