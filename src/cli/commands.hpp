#pragma once
// The table of commands. Each noun's file defines its rows; all_commands() joins them.

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace pawl::cli {

// The flags of every command that talks to a server.
[[nodiscard]] std::vector<Flag> server_flags();
[[nodiscard]] std::vector<Flag> with_server_flags(std::vector<Flag> flags);

// The flags that define a worker's handlers; `pawl dev` has them too.
[[nodiscard]] std::vector<Flag> handler_flags();

[[nodiscard]] std::vector<Command> task_commands();
[[nodiscard]] std::vector<Command> queue_commands();
[[nodiscard]] std::vector<Command> workflow_commands();
[[nodiscard]] std::vector<Command> run_commands();
[[nodiscard]] std::vector<Command> schedule_commands();
[[nodiscard]] std::vector<Command> worker_commands();
[[nodiscard]] std::vector<Command> token_commands();
[[nodiscard]] std::vector<Command> audit_commands();
[[nodiscard]] std::vector<Command> top_commands();
[[nodiscard]] std::vector<Command> admin_commands();
[[nodiscard]] Command verify_command();
[[nodiscard]] Command backup_command();
[[nodiscard]] Command retention_command();
[[nodiscard]] std::vector<Command> serve_commands();
[[nodiscard]] std::vector<Command> dev_commands();
[[nodiscard]] std::vector<Command> bench_commands();
[[nodiscard]] std::vector<Command> completion_commands();

// A prefix that several commands share. It can also be a command itself.
struct Group {
  std::string name;
  std::string summary;
};

struct CommandTable {
  std::vector<Group> groups;
  std::vector<Command> commands;

  [[nodiscard]] const Command* find(std::string_view path) const;
  // The words that may follow a path ("" for the first word).
  [[nodiscard]] std::vector<std::string> words_after(std::string_view path) const;
  // The summary of a group or a command.
  [[nodiscard]] std::string summary_of(std::string_view path) const;
};

[[nodiscard]] CommandTable all_commands();

}  // namespace pawl::cli
