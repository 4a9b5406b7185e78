#pragma once
// Steering runs: one by its id, or all that a filter finds.

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace pawl::cli {

// A flag that narrows down which runs are meant, and the name of it in the API.
struct RunFilterFlag {
  Flag flag;
  std::string field;
};
[[nodiscard]] std::vector<RunFilterFlag> run_filter_flags();
// As the API wants it.
[[nodiscard]] std::string filter_value(const RunFilterFlag& filter, const std::string& value);

[[nodiscard]] std::vector<Command> run_act_commands();

}  // namespace pawl::cli
