#include "cli/parse.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/help.hpp"
#include "cli/nearest.hpp"
#include "core/base/time.hpp"

namespace pawl::cli {

namespace {

// The path that the first words form.
struct Resolved {
  std::string path;
  std::vector<std::string> rest;  // arguments and flags of the command itself
};

bool is_flag(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

// The number of words that a common flag takes here; 0 if it is not a common flag.
std::size_t common_flag_words(const std::string& word) {
  for (const auto& flag : server_flags()) {
    if (word == flag.name) return flag.value.empty() ? 1 : 2;
    if (!flag.value.empty() && word.starts_with(flag.name + "=")) return 1;
  }
  return 0;
}

Resolved resolve(const CommandTable& table, const std::vector<std::string>& words) {
  Resolved resolved;
  std::vector<std::string> leading;
  std::size_t at = 0;
  while (at < words.size()) {
    const auto next = table.words_after(resolved.path);
    if (std::find(next.begin(), next.end(), words[at]) != next.end()) {
      resolved.path += (resolved.path.empty() ? "" : " ") + words[at++];
      continue;
    }
    const auto taken = std::min(common_flag_words(words[at]), words.size() - at);
    if (taken == 0 || table.find(resolved.path) != nullptr) break;
    leading.insert(leading.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                   words.begin() + static_cast<std::ptrdiff_t>(at + taken));
    at += taken;
  }
  resolved.rest = std::move(leading);
  resolved.rest.insert(resolved.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return resolved;
}

bool asks_for_help(const std::vector<std::string>& words) {
  for (const auto& word : words) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

bool is_number(const std::string& text, ValueKind kind) {
  if (text.empty() || text.size() > 18) return false;
  const bool digits = text.find_first_not_of("-0123456789", 0) == std::string::npos;
  if (kind == ValueKind::integer) return digits && text != "-" && text.find('-', 1) == std::string::npos;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  return error == std::errc{} && stopped == end && text.find_first_not_of("0123456789.") == std::string::npos;
}

// Why the value is not valid; empty if it is.
std::string refusal(const Flag& flag, const std::string& text) {
  switch (flag.kind) {
    case ValueKind::none:
    case ValueKind::boolean:
    case ValueKind::text: return "";
    case ValueKind::integer:
    case ValueKind::real: return is_number(text, flag.kind) ? "" : fmt::format("'{}' is not a number", text);
    case ValueKind::duration:
      return core::parse_duration(text) ? ""
                                        : fmt::format("'{}' is not a duration such as 1500ms or 30s", text);
    case ValueKind::time:
      return core::parse_time(text) ? ""
                                    : fmt::format("'{}' is not a time such as 2026-01-29T10:00:00Z", text);
    case ValueKind::choice: break;
  }
  if (std::find(flag.choices.begin(), flag.choices.end(), text) != flag.choices.end()) return "";
  return fmt::format("'{}' is not one of the choices{}", text, suggestion(text, flag.choices));
}

void add_options(CLI::App& app, const Command& command, Input& input) {
  for (const auto& flag : command.flags) {
    const auto keep = [&input, &flag](const CLI::results_t& values) {
      input.add(flag.name, values);
      return true;
    };
    if (flag.kind == ValueKind::boolean) {
      app.add_flag_function(flag.name, [&input, &flag](std::int64_t given) {
        input.add(flag.name, {given > 0 ? "true" : "false"});
      });
      continue;
    }
    if (flag.value.empty()) {
      app.add_flag_callback(flag.name, [&input, &flag] { input.add(flag.name, {"true"}); });
      continue;
    }
    auto* option = app.add_option(flag.name, keep);
    option->check([&flag](const std::string& text) { return refusal(flag, text); });
    option->required(flag.required);
    option->multi_option_policy(flag.repeated ? CLI::MultiOptionPolicy::TakeAll
                                              : CLI::MultiOptionPolicy::Throw);
  }
  for (const auto& argument : command.arguments) {
    auto* option = app.add_option(argument.name, [&input, &argument](const CLI::results_t& values) {
      input.add(argument.name, values);
      return true;
    });
    option->required(argument.required);
    if (argument.choices.empty()) continue;
    option->check([&argument](const std::string& text) {
      return refusal({.kind = ValueKind::choice, .choices = argument.choices}, text);
    });
  }
}

std::string unexpected(const CommandTable& table, const Command& command, const std::string& word) {
  auto known = table.words_after(command.path);
  if (is_flag(word)) {
    known.clear();
    for (const auto& flag : command.flags) known.push_back(flag.name);
    const auto name = word.substr(0, word.find('='));
    return fmt::format("pawl {} has no flag '{}'{}", command.path, name, suggestion(name, known));
  }
  return fmt::format("pawl {} does not take '{}'{}", command.path, word, suggestion(word, known));
}

// CLI11 throws on wrong usage; this function returns a message instead.
std::optional<WrongUsage> parse_rest(const CommandTable& table, const Command& command,
                                     std::vector<std::string> rest, Input& input) {
  CLI::App app{command.summary, "pawl " + command.path};
  app.set_help_flag();
  app.allow_extras();
  add_options(app, command, input);
  std::reverse(rest.begin(), rest.end());  // the order that CLI11 expects
  try {
    app.parse(std::move(rest));
  } catch (const CLI::ParseError& error) {
    return WrongUsage{fmt::format("pawl {}: {}", command.path, error.what())};
  } catch (const std::invalid_argument&) {  // CLI11 parses the value of a switch as a number last
    return WrongUsage{fmt::format("pawl {}: a switch is true or false", command.path)};
  }
  for (const auto& word : app.remaining()) {
    if (word != "--") return WrongUsage{unexpected(table, command, word)};
  }
  return std::nullopt;
}

std::optional<WrongUsage> add_defaults(const Command& command, const Environment& environment, Input& input) {
  for (const auto& flag : command.flags) {
    if (input.has(flag.name)) continue;
    const bool is_given_otherwise = !flag.instead_of.empty() && input.has(flag.instead_of);
    const auto variable = is_given_otherwise ? environment.end() : environment.find(flag.variable);
    if (variable != environment.end() && !variable->second.empty()) {
      if (auto why = refusal(flag, variable->second); !why.empty()) {
        return WrongUsage{fmt::format("{}: {}", flag.variable, why)};
      }
      input.add(flag.name, {variable->second});
    } else if (!flag.fallback.empty()) {
      input.add(flag.name, {flag.fallback});
    }
  }
  return std::nullopt;
}

WrongUsage no_such_command(const CommandTable& table, const Resolved& resolved) {
  const std::string start = resolved.path.empty() ? "pawl" : "pawl " + resolved.path;
  const auto known = table.words_after(resolved.path);
  std::string list;
  for (const auto& word : known) list += " " + word;
  if (resolved.rest.empty() || is_flag(resolved.rest.front())) {
    return {fmt::format("{} needs a command:{}", start, list)};
  }
  const auto& word = resolved.rest.front();
  return {fmt::format("there is no command '{} {}'{}\nThe commands are:{}", start, word,
                      suggestion(word, known), list)};
}

// `pawl help task list` is the same as `pawl task list --help`.
Parsed help_about(const CommandTable& table, const std::vector<std::string>& words) {
  const auto resolved = resolve(table, words);
  if (!resolved.rest.empty() && !asks_for_help(resolved.rest)) return no_such_command(table, resolved);
  return TextToShow{help_text(table, resolved.path)};
}

}  // namespace

Parsed parse(const CommandTable& table, const std::vector<std::string>& words,
             const Environment& environment) {
  const auto resolved = resolve(table, words);
  if (resolved.path.empty() && !words.empty() && words.front() == "--version") {
    return TextToShow{"pawl " PAWL_VERSION "\n"};
  }
  const auto* command = table.find(resolved.path);
  const bool known = command != nullptr || resolved.rest.empty() || is_flag(resolved.rest.front());
  if (asks_for_help(resolved.rest) && known) return TextToShow{help_text(table, resolved.path)};
  if (!words.empty() && words.front() == "help") return help_about(table, {words.begin() + 1, words.end()});
  if (command == nullptr) return no_such_command(table, resolved);
  Invocation invocation{.command = command};
  if (auto wrong = parse_rest(table, *command, resolved.rest, invocation.input)) return *wrong;
  if (auto wrong = add_defaults(*command, environment, invocation.input)) return *wrong;
  return invocation;
}

std::string Input::text(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.empty() ? "" : found->second.back();
}

std::vector<std::string> Input::all(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

core::Duration Input::duration(const std::string& name) const {
  return core::parse_duration(text(name)).value_or(core::Duration{0});
}

}  // namespace pawl::cli
