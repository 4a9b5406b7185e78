#pragma once
// Looking at a run while it goes on: the tree that is drawn again and again, and the events as they come.

#include <string>

#include "cli/command.hpp"
#include "cli/run_tree.hpp"
#include "cli/session.hpp"

namespace pawl::cli {

[[nodiscard]] std::string run_path(const std::string& id, const std::string& rest = "");

// The run with its tasks, and those of its children.
[[nodiscard]] core::Result<RunTree> look_at_run(Session& session, const std::string& id);
void print_tree(Context& context, const RunTree& tree);

// Until the run has ended, or Ctrl-C. On a terminal the tree, drawn again; else a line for each event and the
// tree at the end; with `as_json` the run, a line for each change.
[[nodiscard]] core::Status watch_run(Session& session, Context& context, const std::string& id, bool as_json);

// The same, and nothing is shown.
[[nodiscard]] core::Status await_end(Session& session, const std::string& id);

// `problem` if the run did not end well: the exit code of commands that wait for it.
[[nodiscard]] core::Status ended_well(const Json& run);

[[nodiscard]] std::vector<Command> run_watch_commands();

}  // namespace pawl::cli
