#pragma once
// Makes scheduled tasks claimable whose time has come. Tasks that have changed since the ticker read them are
// skipped.

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::PromoteDue& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::PromoteDue& command, GroupContext& group);

}  // namespace pawl::engine
