#pragma once
// Commands that act on runs: on one run by its id, or on all runs that match a filter.

#include <vector>

#include "cli/bulk.hpp"

namespace pawl::cli {

[[nodiscard]] std::vector<FilterFlag> run_filter_flags();
[[nodiscard]] std::vector<Command> run_act_commands();

}  // namespace pawl::cli
