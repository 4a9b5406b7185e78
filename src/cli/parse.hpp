#pragma once
// Parses the words of the command line into a command and its input.

#include <string>
#include <variant>
#include <vector>

#include "cli/commands.hpp"

namespace pawl::cli {

struct Invocation {
  const Command* command = nullptr;  // a row of the table, which outlives this
  Input input = {};
};
struct TextToShow {
  std::string text;
};
struct WrongUsage {
  std::string message;
};
using Parsed = std::variant<Invocation, TextToShow, WrongUsage>;

// Flags override the environment, which overrides the defaults. The flags of all server commands may also
// precede the command.
[[nodiscard]] Parsed parse(const CommandTable& table, const std::vector<std::string>& words,
                           const Environment& environment);

}  // namespace pawl::cli
