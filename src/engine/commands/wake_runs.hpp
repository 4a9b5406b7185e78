#pragma once
// Advances runs by their due timers and deadlines, parks runs that a tick could not advance, and leaves
// evidence in the log of runs that are stuck. Runs that have changed since the ticker read them are skipped.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::WakeRuns& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::WakeRuns& command, GroupContext& group);

}  // namespace pawl::engine
