#pragma once
// Pauses, resumes, cancels, terminates or retries a run.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::ActOnRun& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::ActOnRun& command, GroupContext& group);

}  // namespace pawl::engine
