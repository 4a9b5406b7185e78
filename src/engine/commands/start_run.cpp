#include "engine/commands/start_run.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/records/token.hpp"
#include "core/records/worker.hpp"
#include "engine/commands/shared.hpp"

namespace pawl::engine {

using core::Answer;
using core::Result;
using core::RunId;

namespace {

template <typename Start>
std::optional<store::RunKeyRef> run_key_of(const Start& command) {
  if (!command.run_key) return std::nullopt;
  return store::RunKeyRef{.ns = command.ns, .workflow = command.workflow, .key = *command.run_key};
}

std::optional<RunId> given_id(const core::StartRun& command) { return command.id; }
std::optional<RunId> given_id(const core::OpenRun& /*command*/) { return std::nullopt; }

// The facts that StartRun and OpenRun have in common.
template <typename Start>
core::RunFacts common_facts(const Start& command) {
  return {.ns = command.ns,
          .workflow = command.workflow,
          .run_key = command.run_key,
          .input = command.input,
          .deadline_at = command.deadline_at,
          .labels = command.labels,
          .trace_id = command.trace_id,
          .span_id = command.span_id,
          .trace_flags = command.trace_flags,
          .tracestate = command.tracestate};
}

core::RunFacts facts_of_graph(const core::StartRun& command, const Plan& plan, core::TimePoint now) {
  core::RunFacts facts = common_facts(command);
  facts.version = plan.version;
  facts.kind = core::RunKind::graph;
  facts.queue = command.queue.value_or(std::string{core::kQueueDefault});
  facts.priority = command.priority.value_or(0);
  facts.on_failure = plan.definition.on_failure;
  const auto deadline = command.deadline ? command.deadline : plan.definition.deadline;
  if (!facts.deadline_at && deadline) facts.deadline_at = now + *deadline;
  return facts;
}

std::string queue_of_code(const core::StartRun& command, WorkingRuns& runs) {
  if (command.queue) return *command.queue;
  const auto& offer = runs.peek(core::code_workflow_ref(command.ns, command.workflow));
  const auto queue = offer ? core::queue_of_offer(*offer) : std::nullopt;
  return queue.value_or(std::string{core::kQueueDefault});
}

core::RunFacts facts_of_code(const core::StartRun& command, GroupContext& group) {
  core::RunFacts facts = common_facts(command);
  facts.kind = core::RunKind::code;
  facts.queue = queue_of_code(command, group.runs);
  facts.priority = command.priority.value_or(0);
  facts.on_failure = core::OnFailure::compensate;
  if (command.deadline) facts.deadline_at = group.now() + *command.deadline;
  return facts;
}

Result<core::RunFacts> facts_of(const core::StartRun& command, GroupContext& group) {
  WorkingRuns& runs = group.runs;
  const SharedPlan plan = command.version ? runs.find_plan(command.ns, command.workflow, *command.version)
                                          : runs.latest_plan(command.ns, command.workflow);
  if (plan != nullptr) return facts_of_graph(command, *plan, group.now());
  const bool is_code =
      !command.version && (command.kind == core::RunKind::code || runs.is_code(command.ns, command.workflow));
  if (is_code) return facts_of_code(command, group);
  const std::string version = command.version ? fmt::format(" version {}", *command.version) : "";
  return core::Problem{.code = core::ProblemCode::not_found,
                       .detail = fmt::format("there is no workflow {}{}", command.workflow, version)};
}

Result<core::RunFacts> facts_of(const core::OpenRun& command, GroupContext& group) {
  core::RunFacts facts = common_facts(command);
  facts.kind = core::RunKind::open;
  facts.auto_complete = command.auto_complete;
  if (command.deadline) facts.deadline_at = group.now() + *command.deadline;
  return facts;
}

// Checks the queues of the token. The queue of a run is known only under lock.
core::Status check_started_queue(const core::StartRun& command, const core::RunFacts& facts,
                                 GroupContext& group) {
  if (command.bound_to.empty() || core::planted(core::Canary::token_queue_not_compared)) return core::Done{};
  core::Status allowed = facts.kind == core::RunKind::code
                             ? core::check_queue(command.bound_to, facts.queue)
                             : core::Status{forbidden_definition(facts.workflow)};
  if (!allowed) group.records.note_denial(command.by, command.ns, command.workflow, allowed.problem());
  return allowed;
}
core::Status check_started_queue(const core::OpenRun& /*command*/, const core::RunFacts& /*facts*/,
                                 GroupContext& /*group*/) {
  return core::Done{};
}

template <typename Start>
core::Problem run_key_taken(const Start& command, const RunId& owner) {
  return {.code = core::ProblemCode::conflict,
          .detail = fmt::format("run {} has the run_key '{}' already", to_string(owner), *command.run_key)};
}

// The answer for a run that a SQL function has promised and that has not started yet.
template <typename Start>
Result<Answer> answer_promised(const Start& command, const RunId& id, GroupContext& group) {
  if (command.on_conflict == core::OnConflict::fail) return run_key_taken(command, id);
  auto facts = facts_of(command, group);
  if (!facts) return facts.problem();
  if (const core::Status allowed = check_started_queue(command, *facts, group); !allowed)
    return allowed.problem();
  core::RunStarted started{.is_promised = true};
  started.run.facts = {.id = id, .ns = command.ns, .workflow = command.workflow};
  return Answer{std::move(started)};
}

template <typename Start>
Result<Answer> start_new(const Start& command, const std::optional<store::RunKeyRef>& key,
                         GroupContext& group) {
  auto facts = facts_of(command, group);
  if (!facts) return facts.problem();
  if (const core::Status allowed = check_started_queue(command, *facts, group); !allowed)
    return allowed.problem();
  facts->id = given_id(command).value_or(RunId{group.ids.next(group.now())});
  const SharedPlan plan =
      facts->version > 0 ? group.runs.find_plan(facts->ns, facts->workflow, facts->version) : nullptr;
  core::WorkingRun& run = group.runs.add_new(facts->id, plan);
  if (key) group.runs.give_key(*key, facts->id);
  group.effects.apply(facts->id,
                      core::start_run(run, *facts, group.effects.context(*facts, actor_of(command.by))));
  return Answer{core::RunStarted{.created = true, .run = run.run()}};
}

// The answer if a run has the key of the command already; none if the command starts a run.
template <typename Start>
Result<std::optional<Answer>> answer_existing(const Start& command,
                                              const std::optional<store::RunKeyRef>& key,
                                              GroupContext& group) {
  const auto owner = key ? group.runs.run_of(*key) : std::nullopt;
  if (!owner) return std::optional<Answer>{};
  const core::WorkingRun* existing = group.runs.find(*owner);
  const bool is_missing = existing == nullptr && given_id(command) != owner;
  if (is_missing && group.runs.is_promised(*owner)) {
    auto promised = answer_promised(command, *owner, group);
    if (!promised) return promised.problem();
    return std::optional{std::move(*promised)};
  }
  if (is_missing) existing = group.runs.find(*owner);  // another node has started it in the meantime
  if (existing == nullptr) return std::optional<Answer>{};
  if (command.on_conflict == core::OnConflict::fail) return run_key_taken(command, *owner);
  const bool is_restarted =
      command.on_conflict == core::OnConflict::restart_if_closed && core::is_closed(existing->run().state);
  if (const core::Status allowed = check_started_queue(command, existing->run().facts, group); !allowed)
    return allowed.problem();
  if (is_restarted) return std::optional<Answer>{};
  return std::optional{Answer{core::RunStarted{.created = false, .run = existing->run()}}};
}

template <typename Start>
Result<Answer> start_once(const Start& command, GroupContext& group) {
  const auto key = run_key_of(command);
  auto existing = answer_existing(command, key, group);
  if (!existing) return existing.problem();
  if (*existing) return std::move(**existing);
  return start_new(command, key, group);
}

}  // namespace

void needs(const core::StartRun& command, Needs& rows) {
  if (auto key = run_key_of(command)) rows.run_keys.push_back(std::move(*key));
}
void needs(const core::OpenRun& command, Needs& rows) {
  if (auto key = run_key_of(command)) rows.run_keys.push_back(std::move(*key));
}

Result<Answer> execute(const core::StartRun& command, GroupContext& group) {
  return start_once(command, group);
}
Result<Answer> execute(const core::OpenRun& command, GroupContext& group) {
  return start_once(command, group);
}

}  // namespace pawl::engine
