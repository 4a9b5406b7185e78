#pragma once
// Watches a run until it ends: redraws its tree, or prints its events as they arrive.

#include <string>

#include "cli/command.hpp"
#include "cli/run_tree.hpp"
#include "cli/session.hpp"

namespace pawl::cli {

[[nodiscard]] std::string run_path(const std::string& id, const std::string& rest = "");

// Fetches a run with its tasks and those of its children.
[[nodiscard]] core::Result<RunTree> look_at_run(Session& session, const std::string& id);
void print_tree(Context& context, const RunTree& tree);

// Watches until the run has ended, or until Ctrl-C. A terminal shows the tree and redraws it; otherwise there
// is a line for each event, and the tree at the end. With `as_json` there is one line with the run for each
// change.
[[nodiscard]] core::Status watch_run(Session& session, Context& context, const std::string& id, bool as_json);

// Waits in the same way, but shows nothing.
[[nodiscard]] core::Status await_end(Session& session, const std::string& id);

// A problem if the run did not complete; it sets the exit code of commands that wait for the run.
[[nodiscard]] core::Status ended_well(const Json& run);

[[nodiscard]] std::vector<Command> run_watch_commands();

}  // namespace pawl::cli
