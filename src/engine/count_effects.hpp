#pragma once
// Counts the effects of a committed command in the engine's statistics.

#include "core/task/command.hpp"
#include "engine/engine.hpp"

namespace pawl::engine {

void count_effects(EngineStats& stats, const core::Command& command,
                   const core::Result<core::Answer>& answer);

}  // namespace pawl::engine
