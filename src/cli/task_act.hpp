#pragma once
// Commands that retry and cancel tasks: one task by its id, or all tasks that match a filter.

#include <vector>

#include "cli/bulk.hpp"

namespace pawl::cli {

[[nodiscard]] std::vector<FilterFlag> task_filter_flags();

[[nodiscard]] std::vector<Command> task_act_commands();

}  // namespace pawl::cli
