#pragma once
// Applies the reports of a worker on its tasks. Each report succeeds or fails on its own.

#include "core/task/command.hpp"
#include "engine/engine_stats.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::ReportTasks& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::ReportTasks& command, GroupContext& group);
void count_effects(const core::ReportTasks& command, const core::Answer& answer, EngineStats& stats);

}  // namespace pawl::engine
