#pragma once
// Translates the change of a task into the outcome that its run decides on. Pure.

#include <optional>

#include "core/run/run_machine.hpp"
#include "core/task/task_machine.hpp"

namespace pawl::engine {

// `before` is the status before the change. None: the change does not concern the run.
[[nodiscard]] std::optional<core::TaskOutcome> outcome_of(const core::TaskRecord& record,
                                                          core::TaskStatus before,
                                                          const core::TaskChange& change);

}  // namespace pawl::engine
