#include "engine/commands/shared.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/records/audit.hpp"

namespace pawl::engine {

using core::Result;

core::Problem no_such_task(const core::TaskId& id) {
  return {.code = core::ProblemCode::not_found, .detail = "there is no task " + to_string(id)};
}

core::Problem no_such_run(const core::RunId& id) {
  return {.code = core::ProblemCode::not_found, .detail = "there is no run " + to_string(id)};
}

core::Problem forbidden_definition(const std::string& workflow) {
  return {
      .code = core::ProblemCode::forbidden,
      .detail = fmt::format("workflow {} is a definition, whose tasks may be in any queue: a token that is "
                            "bound to queues starts workflows in code only",
                            workflow)};
}

core::EventActor actor_of(const core::Actor& by) {
  const bool is_own_type = by.role == "worker" || by.role == "schedule";
  return {.type = is_own_type ? by.role : "user", .id = by.id};
}

void need_to_move(const std::vector<core::TaskId>& ids, Needs& rows) {
  for (const core::TaskId& id : ids) rows.tasks.push_back({.task = {.id = id}, .line = true, .run = true});
}

void note_moves(const MoveAudit& audit, const std::vector<core::TaskId>& ids,
                const std::vector<Result<core::TaskMoved>>& results, WorkingRecords& records) {
  if (ids.empty()) return;
  const bool is_one = ids.size() == 1;
  core::AuditEntry entry = core::audit_of(audit.by, audit.ns, std::string{audit.action},
                                          is_one ? to_string(ids.front()) : std::string{});
  if (is_one && !results.front()) entry.outcome = core::kind_of(results.front().problem().code).name;
  if (!is_one) {
    const auto changed =
        std::count_if(results.begin(), results.end(), [](const auto& one) { return one.ok(); });
    entry.detail = {fmt::format(R"({{"matched":{},"changed":{}}})", ids.size(), changed)};
  }
  records.note(std::move(entry));
}

void note_run_action(std::string action, const core::Actor& by, const core::RunRef& run,
                     const core::Status& outcome, WorkingRecords& records) {
  core::AuditEntry entry = core::audit_of(by, run.ns, std::move(action), to_string(run.id));
  if (!outcome) entry.outcome = core::kind_of(outcome.problem().code).name;
  records.note(std::move(entry));
}

Result<core::RunDecision> revive_run(core::WorkingRun& run, const DecideRun& decide, WorkingRuns& runs) {
  const core::RunFacts& facts = run.run().facts;
  if (!facts.run_key || run.run().state != core::RunState::failed) return decide();
  const store::RunKeyRef key{.ns = facts.ns, .workflow = facts.workflow, .key = *facts.run_key};
  runs.load_keys({key});
  const auto owner = runs.run_of(key);
  const core::WorkingRun* other = owner && *owner != facts.id ? runs.find(*owner) : nullptr;
  if (other != nullptr && !core::is_closed(other->run().state)) {
    return core::Problem{.code = core::ProblemCode::conflict,
                         .detail = fmt::format("run {} has the run_key '{}' now and is {}", to_string(*owner),
                                               key.key, to_string(other->run().state))};
  }
  if (owner && *owner != facts.id && other == nullptr && runs.is_promised(*owner)) {
    return core::Problem{.code = core::ProblemCode::conflict,
                         .detail = fmt::format("run_key '{}' belongs to run {}, which has not started yet",
                                               to_string(*owner), key.key)};
  }
  auto decision = decide();
  if (decision) runs.give_key(key, facts.id);
  return decision;
}

}  // namespace pawl::engine
