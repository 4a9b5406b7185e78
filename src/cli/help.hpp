#pragma once
// Generates the help text of any level from the table of commands.

#include <string>
#include <string_view>

#include "cli/commands.hpp"

namespace pawl::cli {

// `path` names a command or a group; "" stands for the top level.
[[nodiscard]] std::string help_text(const CommandTable& table, std::string_view path);

}  // namespace pawl::cli
