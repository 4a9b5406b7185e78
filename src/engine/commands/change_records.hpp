#pragma once
// Changes records (locks, workers, tokens and others) as the function in the command decides, and evicts the
// tasks that a record held.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::ChangeRecords& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::ChangeRecords& command, GroupContext& group);

}  // namespace pawl::engine
