#pragma once
// Decides whether a server or a worker logs JSON. It reads the words of the command line itself, because
// errors in flags and settings are logged in the same format.

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace pawl::cli {

// False for all other commands, whose output has its own format.
[[nodiscard]] bool logs_json(const std::vector<std::string>& words, const Environment& environment);

}  // namespace pawl::cli
