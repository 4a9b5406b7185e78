#pragma once
// The help text of any level, made from the table.

#include <string>
#include <string_view>

#include "cli/commands.hpp"

namespace pawl::cli {

// `path` is that of a command or a group, or "" for all.
[[nodiscard]] std::string help_text(const CommandTable& table, std::string_view path);

}  // namespace pawl::cli
