#pragma once
// Functions that several commands share: problems, audit entries and run keys.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/task/command.hpp"
#include "engine/group_context.hpp"
#include "engine/needs.hpp"

namespace pawl::engine {

[[nodiscard]] core::Problem no_such_task(const core::TaskId& id);
[[nodiscard]] core::Problem no_such_run(const core::RunId& id);
// For a token that is bound to queues: the tasks of a definition, and those of its children, may be in any
// queue.
[[nodiscard]] core::Problem forbidden_definition(const std::string& workflow);

// The actor as events show it: workers and schedules by their own type, all others as a user.
[[nodiscard]] core::EventActor actor_of(const core::Actor& by);

// Tasks whose status and place a command may change: with their lines and runs.
void need_to_move(const std::vector<core::TaskId>& ids, Needs& rows);

// Writes one audit entry: for a single task with its id and outcome, for a bulk change with counts.
struct MoveAudit {
  std::string_view action;
  const core::Actor& by;
  const std::string& ns;
};
void note_moves(const MoveAudit& audit, const std::vector<core::TaskId>& ids,
                const std::vector<core::Result<core::TaskMoved>>& results, WorkingRecords& records);

void note_run_action(std::string action, const core::Actor& by, const core::RunRef& run,
                     const core::Status& outcome, WorkingRecords& records);

// Retries a failed run, which takes its run key back. Fails while another unfinished run has the key.
using DecideRun = std::function<core::Result<core::RunDecision>()>;
[[nodiscard]] core::Result<core::RunDecision> revive_run(core::WorkingRun& run, const DecideRun& decide,
                                                         WorkingRuns& runs);

}  // namespace pawl::engine
