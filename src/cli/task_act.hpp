#pragma once
// Retrying and cancelling tasks: one by its id, or all that a filter finds.

#include <vector>

#include "cli/bulk.hpp"

namespace pawl::cli {

[[nodiscard]] std::vector<FilterFlag> task_filter_flags();

[[nodiscard]] std::vector<Command> task_act_commands();

}  // namespace pawl::cli
