#pragma once
// Erases rows past their retention. The three commands share a file since each is a few lines on ErasedRows.
// Rows that have changed since the retention walk read them are skipped.

#include "core/task/command.hpp"
#include "engine/engine_stats.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

void needs(const core::EraseTasks& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::EraseTasks& command, GroupContext& group);
void count_effects(const core::EraseTasks& command, const core::Answer& answer, EngineStats& stats);

void needs(const core::EraseRuns& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::EraseRuns& command, GroupContext& group);
void count_effects(const core::EraseRuns& command, const core::Answer& answer, EngineStats& stats);

void needs(const core::EraseAudit& command, Needs& rows);
[[nodiscard]] core::Result<core::Answer> execute(const core::EraseAudit& command, GroupContext& group);
void count_effects(const core::EraseAudit& command, const core::Answer& answer, EngineStats& stats);

}  // namespace pawl::engine
