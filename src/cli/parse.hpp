#pragma once
// From the words of the command line to the command and what it was given.

#include <string>
#include <variant>
#include <vector>

#include "cli/commands.hpp"

namespace pawl::cli {

struct Invocation {
  const Command* command = nullptr;  // in the table, which outlives this
  Input input = {};
};
struct TextToShow {
  std::string text;
};
struct WrongUsage {
  std::string message;
};
using Parsed = std::variant<Invocation, TextToShow, WrongUsage>;

// Flags over environment over fallbacks. Flags that every server command has may also stand before the
// command.
[[nodiscard]] Parsed parse(const CommandTable& table, const std::vector<std::string>& words,
                           const Environment& environment);

}  // namespace pawl::cli
