#include "cli/help.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pawl::cli {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string section(std::string_view title, const Rows& rows) {
  if (rows.empty()) return "";
  std::size_t width = 0;
  for (const auto& [name, what] : rows) width = std::max(width, name.size());
  std::string text = fmt::format("\n{}:\n", title);
  for (const auto& [name, what] : rows) text += fmt::format("  {:<{}}  {}\n", name, width, what);
  return text;
}

std::string usage(const Command& command) {
  std::string text = "pawl " + command.path;
  for (const auto& argument : command.arguments) {
    text += argument.required ? " " + argument.name : " [" + argument.name + "]";
  }
  return text + " [FLAGS]";
}

std::string describe(const Flag& flag) {
  std::string text = flag.summary;
  if (!flag.choices.empty()) text += ": " + fmt::format("{}", fmt::join(flag.choices, ", "));
  if (flag.repeated) text += "; may be repeated";
  if (flag.required) text += " (required)";
  if (!flag.fallback.empty()) text += fmt::format(" [{}]", flag.fallback);
  if (!flag.variable.empty()) text += fmt::format(" (${})", flag.variable);
  return text;
}

std::string command_parts(const Command& command) {
  Rows arguments;
  for (const auto& argument : command.arguments) arguments.emplace_back(argument.name, argument.summary);
  Rows flags;
  for (const auto& flag : command.flags) {
    flags.emplace_back(flag.value.empty() ? flag.name : flag.name + " " + flag.value, describe(flag));
  }
  flags.emplace_back("--help", "Show this help");
  return section("Arguments", arguments) + section("Flags", flags);
}

std::string first_example_under(const CommandTable& table, std::string_view path) {
  for (const auto& command : table.commands) {
    if (path.empty() || command.path.starts_with(std::string{path} + " ")) return command.example;
  }
  return "";
}

}  // namespace

std::string help_text(const CommandTable& table, std::string_view path) {
  const auto* command = table.find(path);
  const std::string start = path.empty() ? "" : std::string{path} + " ";
  const auto words = table.words_after(path);
  std::string text = path.empty() ? "Pawl: tasks and workflows that survive anything\n"
                                  : fmt::format("{}\n", table.summary_of(path));
  text += "\nUsage:\n";
  if (command != nullptr) text += fmt::format("  {}\n", usage(*command));
  if (!words.empty()) text += fmt::format("  pawl {}COMMAND [ARGUMENTS] [FLAGS]\n", start);
  Rows below;
  for (const auto& word : words) below.emplace_back(word, table.summary_of(start + word));
  text += section("Commands", below);
  if (command != nullptr) text += command_parts(*command);
  const std::string example = command != nullptr ? command->example : first_example_under(table, path);
  text += fmt::format("\nExample:\n  {}\n", example);
  if (!words.empty()) text += fmt::format("\nRun `pawl {}COMMAND --help` for details.\n", start);
  return text;
}

}  // namespace pawl::cli
