#pragma once
// Steering runs: one by its id, or all that a filter finds.

#include <vector>

#include "cli/bulk.hpp"

namespace pawl::cli {

[[nodiscard]] std::vector<FilterFlag> run_filter_flags();
[[nodiscard]] std::vector<Command> run_act_commands();

}  // namespace pawl::cli
