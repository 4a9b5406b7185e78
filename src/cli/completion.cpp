// pawl completion: generates completion scripts for shells from the table of commands.

#include <fmt/format.h>

#include "cli/commands.hpp"

namespace pawl::cli {

namespace {

struct Level {
  std::string path;
  std::vector<std::string> words;  // may follow: commands, flags, choices of the arguments
};

std::vector<Level> levels_of(const CommandTable& table) {
  std::vector<Level> levels;
  const auto add = [&](const std::string& path) {
    Level level{.path = path, .words = table.words_after(path)};
    if (const auto* command = table.find(path)) {
      for (const auto& argument : command->arguments) {
        level.words.insert(level.words.end(), argument.choices.begin(), argument.choices.end());
      }
      for (const auto& flag : command->flags) level.words.push_back(flag.name);
    }
    level.words.emplace_back("--help");
    levels.push_back(std::move(level));
  };
  add("");
  for (const auto& first : table.words_after("")) {
    add(first);
    for (const auto& second : table.words_after(first)) add(first + " " + second);
  }
  return levels;
}

std::string cases(const CommandTable& table, std::string_view assignment) {
  std::string text;
  for (const auto& level : levels_of(table)) {
    text += fmt::format("    '{}') {}'{}' ;;\n", level.path, assignment,
                        fmt::format("{}", fmt::join(level.words, " ")));
  }
  return text;
}

// The path consists of the words so far that are not flags and continue a known path; the others are
// arguments.
std::string bash_script(const CommandTable& table) {
  return fmt::format(
      R"(# bash completion for pawl: source <(pawl completion bash)
_pawl_words() {{
  case "$1" in
{}    *) return 1 ;;
  esac
}}
_pawl() {{
  local words path='' word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in -*) continue ;; esac
    if _pawl_words "${{path:+$path }}$word"; then path="${{path:+$path }}$word"; fi
  done
  _pawl_words "$path"
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _pawl pawl
)",
      cases(table, "words="));
}

std::string zsh_script(const CommandTable& table) {
  return fmt::format(
      R"(#compdef pawl
# zsh completion for pawl: source <(pawl completion zsh)
_pawl_words() {{
  case "$1" in
{}    *) return 1 ;;
  esac
}}
_pawl() {{
  local found='' path_so_far='' word
  for word in ${{words[2,CURRENT-1]}}; do
    [[ $word == -* ]] && continue
    if _pawl_words "${{path_so_far:+$path_so_far }}$word"; then path_so_far="${{path_so_far:+$path_so_far }}$word"; fi
  done
  _pawl_words "$path_so_far"
  compadd -- ${{(s: :)found}}
}}
compdef _pawl pawl
)",
      cases(table, "found="));
}

std::string fish_condition(const std::string& path) {
  if (path.empty()) return "__fish_use_subcommand";
  const auto space = path.find(' ');
  std::string condition = "__fish_seen_subcommand_from " + path.substr(0, space);
  if (space != std::string::npos) condition += "; and __fish_seen_subcommand_from " + path.substr(space + 1);
  return condition;
}

std::string fish_script(const CommandTable& table) {
  std::string text = "# fish completion for pawl: pawl completion fish | source\n";
  for (const auto& level : levels_of(table)) {
    for (const auto& word : level.words) {
      const bool is_flag = word.starts_with("--");
      text += fmt::format("complete -c pawl -n '{}' {}\n", fish_condition(level.path),
                          is_flag ? "-l " + word.substr(2) : "-a " + word);
    }
  }
  return text;
}

int print_completion(Context& context, const Input& input) {
  const auto table = all_commands();
  const auto shell = input.text("SHELL");
  const auto script = shell == "bash"  ? bash_script(table)
                      : shell == "zsh" ? zsh_script(table)
                                       : fish_script(table);
  context.out.line(script.substr(0, script.size() - 1));
  return 0;
}

}  // namespace

std::vector<Command> completion_commands() {
  return {
      {.path = "completion",
       .summary = "Print the completion script of a shell",
       .arguments = {{.name = "SHELL", .summary = "bash, zsh or fish", .choices = {"bash", "zsh", "fish"}}},
       .example = "source <(pawl completion bash)",
       .handler = print_completion}};
}

}  // namespace pawl::cli
