#pragma once
// Ends attempts whose lease has expired or that ran too long. Tasks that have changed since the ticker read
// them are skipped.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::SweepLeases& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::SweepLeases& command, GroupContext& group);

}  // namespace pawl::engine
