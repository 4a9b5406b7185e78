#include "cli/commands.hpp"

#include <algorithm>

namespace pawl::cli {

std::vector<Flag> server_flags() {
  return {
      {.name = "--address",
       .value = "URL",
       .summary = "The server",
       .fallback = "http://127.0.0.1:7717",
       .variable = "PAWL_ADDRESS"},
      {.name = "--namespace",
       .value = "NAME",
       .summary = "The namespace",
       .fallback = "default",
       .variable = "PAWL_NAMESPACE"},
      {.name = "--token",
       .value = "SECRET",
       .summary = "The access token; --token-file keeps it out of the process list",
       .variable = "PAWL_TOKEN",
       .instead_of = "--token-file"},
      {.name = "--token-file",
       .value = "FILE",
       .summary = "A file with the access token",
       .variable = "PAWL_TOKEN_FILE",
       .instead_of = "--token"},
      {.name = "--ca-cert",
       .value = "FILE",
       .summary = "CA certificate that signs the server's certificate, instead of the system's CAs",
       .variable = "PAWL_CA_CERT"},
      {.name = "--client-cert",
       .value = "FILE",
       .summary = "Client certificate for mutual TLS",
       .variable = "PAWL_CLIENT_CERT"},
      {.name = "--client-key",
       .value = "FILE",
       .summary = "Key of the client certificate",
       .variable = "PAWL_CLIENT_KEY"},
      {.name = "--json", .summary = "JSON: one document, or one line per item", .kind = ValueKind::none},
  };
}

std::vector<Flag> with_server_flags(std::vector<Flag> flags) {
  auto common = server_flags();
  flags.insert(flags.end(), common.begin(), common.end());
  return flags;
}

const Command* CommandTable::find(std::string_view path) const {
  const auto found =
      std::find_if(commands.begin(), commands.end(), [&](const Command& row) { return row.path == path; });
  return found == commands.end() ? nullptr : &*found;
}

std::vector<std::string> CommandTable::words_after(std::string_view path) const {
  const std::string start = path.empty() ? "" : std::string{path} + " ";
  std::vector<std::string> words;
  for (const auto& command : commands) {
    if (!command.path.starts_with(start)) continue;
    const auto rest = command.path.substr(start.size());
    const std::string word = rest.substr(0, rest.find(' '));
    if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

std::string CommandTable::summary_of(std::string_view path) const {
  for (const auto& group : groups) {
    if (group.name == path) return group.summary;
  }
  const auto* command = find(path);
  return command != nullptr ? command->summary : "";
}

CommandTable all_commands() {
  CommandTable table{.groups = {{"task", "Enqueue, list, retry and cancel tasks"},
                                {"workflow", "Apply and show workflow definitions"},
                                {"run", "Start, watch and control runs"},
                                {"schedule", "Manage schedules of workflows and tasks"},
                                {"queue", "See queues and set their limits"},
                                {"worker", "Run handlers for tasks; see and drain workers"},
                                {"token", "Make, list, rotate and revoke access tokens"},
                                {"audit", "List and export the audit log"},
                                {"admin", "Maintain the store"},
                                {"bench", "Measure what this machine and store can do"}},
                     .commands = {}};
  for (auto rows :
       {dev_commands(), serve_commands(), task_commands(), workflow_commands(), run_commands(),
        schedule_commands(), queue_commands(), worker_commands(), token_commands(), audit_commands(),
        top_commands(), admin_commands(), bench_commands(), completion_commands()}) {
    table.commands.insert(table.commands.end(), std::make_move_iterator(rows.begin()),
                          std::make_move_iterator(rows.end()));
  }
  return table;
}

}  // namespace pawl::cli
