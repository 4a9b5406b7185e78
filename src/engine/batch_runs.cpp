#include "engine/batch_runs.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/ensure.hpp"
#include "core/json/json_writer.hpp"
#include "core/records/inbox.hpp"
#include "core/records/worker.hpp"

namespace pawl::engine {

using core::Answer;
using core::Result;
using core::RunId;

namespace {

core::Problem no_such_run(const RunId& id) {
  return {.code = core::ProblemCode::not_found, .detail = "there is no run " + to_string(id)};
}

template <typename Start>
std::optional<store::RunKeyRef> key_of(const Start& command) {
  if (!command.run_key) return std::nullopt;
  return store::RunKeyRef{.ns = command.ns, .workflow = command.workflow, .key = *command.run_key};
}

std::optional<RunId> id_for(const core::StartRun& command) { return command.id; }
std::optional<RunId> id_for(const core::OpenRun& /*command*/) { return std::nullopt; }

// The outcome of a task change for its run; none if the run does not need it.
std::optional<core::TaskOutcome> outcome_of(const core::TaskRecord& record, core::TaskStatus before,
                                            const core::TaskChange& change) {
  core::TaskOutcome outcome{.node = record.facts.run->node,
                            .task_id = record.id,
                            .attempt = change.attempt ? change.attempt->attempt : change.progress.attempt};
  if (change.attempt) {
    outcome.cause = change.attempt->outcome;
    outcome.worker_id = change.attempt->worker_id;
    outcome.error = change.attempt->error;
  } else if (change.end) {
    outcome.worker_id = change.end->worker_id;
    outcome.error = change.end->error;
  }
  switch (change.event) {
    case core::TaskEvent::started:
      if (before == core::TaskStatus::running) return std::nullopt;
      outcome.kind = core::TaskOutcomeKind::started;
      outcome.worker_id = change.lease->worker_id;
      return outcome;
    case core::TaskEvent::completed:
      outcome.kind = core::TaskOutcomeKind::completed;
      outcome.output = change.end->output;
      outcome.continue_as_new = change.continue_as_new;
      return outcome;
    case core::TaskEvent::failed:
    case core::TaskEvent::exhausted: outcome.kind = core::TaskOutcomeKind::failed; return outcome;
    case core::TaskEvent::rescheduled:
    case core::TaskEvent::released:
      outcome.kind = change.event == core::TaskEvent::released && before != core::TaskStatus::running
                         ? core::TaskOutcomeKind::given_back
                         : core::TaskOutcomeKind::retrying;
      outcome.retry_at = change.available_at;
      return outcome;
    case core::TaskEvent::cancelled: outcome.kind = core::TaskOutcomeKind::cancelled; return outcome;
    default: return std::nullopt;
  }
}

// Collects the runs and run keys that the commands of a group name, and the nodes that they may end.
struct RunGatherer {
  WorkingSet& set;
  std::vector<RunId>& runs;
  std::vector<RunId>& of_bodies;
  std::vector<store::NodeRef>& nodes;
  std::vector<store::RunKeyRef>& keys;

  void want_task(const core::TaskId& id) const {
    if (!set.has_runs()) return;
    const WorkingTask* task = set.find(id);
    if (task == nullptr || !task->record.facts.run) return;
    const bool is_body = core::is_body_type(task->record.lane->type);
    (is_body ? of_bodies : runs).push_back(task->record.facts.run->run_id);
    nodes.push_back({.run = task->record.facts.run->run_id, .key = task->record.facts.run->node});
  }
  void operator()(const core::EnqueueTasks& command) const {
    for (const core::TaskSpec& spec : command.tasks) {
      if (spec.run_id) runs.push_back(*spec.run_id);
    }
  }
  void operator()(const core::ReportTasks& command) const {
    for (const core::Report& report : command.reports) {
      if (report.action != core::ReportAction::heartbeat) want_task(report.task_id);
    }
  }
  void operator()(const core::CancelTasks& command) const {
    for (const core::TaskId& id : command.ids) want_task(id);
  }
  void operator()(const core::RetryTasks& command) const {
    for (const core::TaskId& id : command.ids) want_task(id);
  }
  void operator()(const core::SweepLeases& command) const {
    for (const core::LeaseRef& ref : command.leases) want_task(ref.task_id);
  }
  void operator()(const core::ChangeRecords& command) const {
    for (const core::TaskId& id : command.held.ids) want_task(id);
  }
  void operator()(const core::AppendCheckpoint& command) const {
    if (const auto* run = std::get_if<RunId>(&command.owner)) runs.push_back(*run);
  }
  void operator()(const core::StartRun& command) const {
    if (auto key = key_of(command)) keys.push_back(std::move(*key));
  }
  void operator()(const core::OpenRun& command) const {
    if (auto key = key_of(command)) keys.push_back(std::move(*key));
  }
  void operator()(const core::ActOnRun& command) const { runs.push_back(command.run.id); }
  void operator()(const core::RewindRun& command) const { runs.push_back(command.run.id); }
  void operator()(const core::SignalRun& command) const { runs.push_back(command.run.id); }
  void operator()(const core::WriteSteps& command) const {
    of_bodies.push_back(command.run_id);
    nodes.push_back({.run = command.run_id, .key = core::kBodyKey});
    for (const core::StepWrite& step : command.steps)
      nodes.push_back({.run = command.run_id, .key = core::step_key(step.step_id, 0)});
    if (!command.suspend) return;
    for (const std::string& step : command.suspend->steps)
      nodes.push_back({.run = command.run_id, .key = core::step_key(step, 0)});
  }
  void operator()(const core::WriteStepsOfMany& command) const {
    for (const core::WriteSteps& write : command.writes) (*this)(write);
  }
  void operator()(const core::WakeRuns& command) const {
    for (const core::TimerRef& timer : command.timers) {
      runs.push_back(timer.run_id);
      nodes.push_back({.run = timer.run_id, .key = timer.node});
    }
    runs.insert(runs.end(), command.deadlines.begin(), command.deadlines.end());
    runs.insert(runs.end(), command.stuck.begin(), command.stuck.end());
    for (const core::ParkRun& parked : command.parked) runs.push_back(parked.run);
  }
  template <typename Other>
  void operator()(const Other& /*command*/) const {}
};

}  // namespace

core::EventActor actor_of(const core::Actor& by) {
  const bool is_own_type = by.role == "worker" || by.role == "schedule";
  return {.type = is_own_type ? by.role : "user", .id = by.id};
}

void BatchRuns::load(const std::vector<const core::Command*>& commands) {
  std::vector<RunId> runs;
  std::vector<RunId> of_bodies;
  std::vector<store::NodeRef> nodes;
  std::vector<store::RunKeyRef> keys;
  for (const core::Command* command : commands)
    std::visit(RunGatherer{around_.set, runs, of_bodies, nodes, keys}, *command);
  runs_.lock(std::move(runs));
  runs_.lock_of_bodies(of_bodies);
  runs_.prefetch(nodes);
  runs_.load_keys(std::move(keys));
}

RunInputs BatchRuns::run_inputs() {
  return RunInputs{[this](const RunId& id) -> std::optional<core::RawJson> {
    if (const core::WorkingRun* run = runs_.here(id)) return run->run().facts.input;
    const store::PeekRun peek{.id = id, .page = {.nodes = 1}};  // not locked: an input never changes
    auto stored = around_.tx.peek_runs({&peek, 1});
    if (!stored.front() || !stored.front()->misfit.empty()) return std::nullopt;
    return std::move(stored.front()->run.facts.input);
  }};
}

core::RunContext BatchRuns::context(const core::RunFacts& facts, core::EventActor actor) {
  return {.now = around_.tx.now(),
          .next_id = [this] { return around_.ids.next(around_.tx.now()); },
          .chance = around_.random.unit(),
          .actor = std::move(actor),
          .trace_id = facts.trace_id,
          .span_id = facts.span_id,
          .declared_type =
              [this, &facts](const std::string& type) {
                return around_.types.find(facts.ns, type,
                                          [&](const core::RecordRef& ref) { return runs_.peek(ref); });
              },
          .bounds = around_.bounds,
          .budget = spends_};
}

void BatchRuns::take(const RunId& run, core::RunDecision decision) {
  runs_.note(run, std::move(decision.events));
  load_tasks_of(decision.effects);
  for (core::RunEffect& effect : decision.effects)
    pending_.push_back({.run = run, .effect = std::move(effect)});
  if (is_settling_) return;
  is_settling_ = true;
  while (!pending_.empty()) {
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    std::visit([&](const auto& effect) { perform(next.run, effect); }, next.effect);
  }
  is_settling_ = false;
}

// Loads, in one query, all tasks that a decision stops, holds, frees or revives.
void BatchRuns::load_tasks_of(const std::vector<core::RunEffect>& effects) {
  std::vector<store::LoadTask> wanted;
  std::vector<core::TaskId> touched;
  for (const core::RunEffect& effect : effects) {
    const core::TaskId* id = nullptr;
    if (const auto* stop = std::get_if<core::StopTask>(&effect)) id = &stop->task_id;
    if (const auto* hold = std::get_if<core::HoldTask>(&effect)) id = &hold->task_id;
    if (const auto* free = std::get_if<core::FreeTask>(&effect)) id = &free->task_id;
    if (const auto* revive = std::get_if<core::ReviveTask>(&effect)) id = &revive->task_id;
    if (id == nullptr) continue;
    touched.push_back(*id);
    if (around_.set.find(*id) == nullptr) wanted.push_back({.id = *id, .facts = true});
  }
  std::sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  const auto is_same = [](const auto& a, const auto& b) { return a.id == b.id; };
  wanted.erase(std::unique(wanted.begin(), wanted.end(), is_same), wanted.end());
  around_.set.load(wanted);
  std::vector<store::LineRef> lines;
  for (const core::TaskId& id : touched) {
    const WorkingTask* task = around_.set.find(id);
    if (task != nullptr && task->record.facts.key) lines.push_back(line_ref(task->record));
  }
  around_.set.lock_lines(std::move(lines));
}

void BatchRuns::changed(const WorkingTask& task, core::TaskStatus before, const core::TaskChange& change,
                        const core::EventActor& actor) {
  const auto outcome = outcome_of(task.record, before, change);
  if (!outcome) return;
  const RunId id = task.record.facts.run->run_id;
  core::WorkingRun* working = runs_.find(id);
  if (working == nullptr) return;
  take(id, core::decide_task(*working, *outcome, context(working->run().facts, actor)));
}

Result<core::RunFacts> BatchRuns::facts_of(const core::StartRun& command) {
  const SharedPlan plan = command.version ? runs_.find_plan(command.ns, command.workflow, *command.version)
                                          : runs_.latest_plan(command.ns, command.workflow);
  const bool may_be_code = plan == nullptr && !command.version;
  if (may_be_code && (command.kind == core::RunKind::code || is_code(command.ns, command.workflow)))
    return facts_of_code(command);
  if (plan == nullptr) {
    const std::string version = command.version ? fmt::format(" version {}", *command.version) : "";
    return core::Problem{.code = core::ProblemCode::not_found,
                         .detail = fmt::format("there is no workflow {}{}", command.workflow, version)};
  }
  core::RunFacts facts{.ns = command.ns,
                       .workflow = command.workflow,
                       .version = plan->version,
                       .kind = core::RunKind::graph,
                       .run_key = command.run_key,
                       .input = command.input,
                       .queue = command.queue.value_or(std::string{core::kQueueDefault}),
                       .priority = command.priority.value_or(0),
                       .on_failure = plan->definition.on_failure,
                       .deadline_at = command.deadline_at,
                       .labels = command.labels,
                       .trace_id = command.trace_id,
                       .span_id = command.span_id,
                       .trace_flags = command.trace_flags,
                       .tracestate = command.tracestate};
  const auto deadline = command.deadline ? command.deadline : plan->definition.deadline;
  if (!facts.deadline_at && deadline) facts.deadline_at = around_.tx.now() + *deadline;
  return facts;
}

bool BatchRuns::is_code(const std::string& ns, const std::string& workflow) {
  return runs_.peek(core::code_workflow_ref(ns, workflow)).has_value();
}

std::string BatchRuns::queue_of_code(const core::StartRun& command) {
  if (command.queue) return *command.queue;
  const auto& offer = runs_.peek(core::code_workflow_ref(command.ns, command.workflow));
  const auto queue = offer ? core::queue_of_offer(*offer) : std::nullopt;
  return queue.value_or(std::string{core::kQueueDefault});
}

core::RunFacts BatchRuns::facts_of_code(const core::StartRun& command) {
  core::RunFacts facts{.ns = command.ns,
                       .workflow = command.workflow,
                       .kind = core::RunKind::code,
                       .run_key = command.run_key,
                       .input = command.input,
                       .queue = queue_of_code(command),
                       .priority = command.priority.value_or(0),
                       .on_failure = core::OnFailure::compensate,
                       .deadline_at = command.deadline_at,
                       .labels = command.labels,
                       .trace_id = command.trace_id,
                       .span_id = command.span_id,
                       .trace_flags = command.trace_flags,
                       .tracestate = command.tracestate};
  if (command.deadline) facts.deadline_at = around_.tx.now() + *command.deadline;
  return facts;
}

Result<core::RunFacts> BatchRuns::facts_of(const core::OpenRun& command) const {
  core::RunFacts facts{.ns = command.ns,
                       .workflow = command.workflow,
                       .kind = core::RunKind::open,
                       .run_key = command.run_key,
                       .input = command.input,
                       .auto_complete = command.auto_complete,
                       .deadline_at = command.deadline_at,
                       .labels = command.labels,
                       .trace_id = command.trace_id,
                       .span_id = command.span_id,
                       .trace_flags = command.trace_flags,
                       .tracestate = command.tracestate};
  if (command.deadline) facts.deadline_at = around_.tx.now() + *command.deadline;
  return facts;
}

template <typename Start>
Result<Answer> BatchRuns::start_once(const Start& command) {
  const auto key = key_of(command);
  const auto known = key ? runs_.run_of(*key) : std::nullopt;
  const core::WorkingRun* existing = known ? runs_.find(*known) : nullptr;
  const bool is_missing = known && existing == nullptr && id_for(command) != known;
  if (is_missing && is_promised(*known)) return answer_promised(command, *known);
  if (is_missing) existing = runs_.find(*known);  // another node has started it in the meantime
  if (existing != nullptr) {
    if (command.on_conflict == core::OnConflict::fail) {
      return core::Problem{
          .code = core::ProblemCode::conflict,
          .detail = fmt::format("run {} has the run_key '{}' already", to_string(*known), *command.run_key)};
    }
    const bool is_restarted =
        command.on_conflict == core::OnConflict::restart_if_closed && core::is_closed(existing->run().state);
    if (const core::Status allowed = check_reach(command, existing->run().facts); !allowed)
      return allowed.problem();
    if (!is_restarted) return Answer{core::RunStarted{.created = false, .run = existing->run()}};
  }
  auto facts = facts_of(command);
  if (!facts) return facts.problem();
  if (const core::Status allowed = check_reach(command, *facts); !allowed) return allowed.problem();
  facts->id = id_for(command).value_or(RunId{around_.ids.next(around_.tx.now())});
  const SharedPlan plan =
      facts->version > 0 ? runs_.find_plan(facts->ns, facts->workflow, facts->version) : nullptr;
  core::WorkingRun& working = runs_.add_new(facts->id, plan);
  if (key) runs_.give_key(*key, facts->id);
  take(facts->id, core::start_run(working, *facts, context(*facts, actor_of(command.by))));
  return Answer{core::RunStarted{.created = true, .run = working.run()}};
}

bool BatchRuns::is_promised(const RunId& id) {
  return runs_.peek(core::inbox_ref(to_string(id))).has_value();
}

template <typename Start>
Result<Answer> BatchRuns::answer_promised(const Start& command, const RunId& id) {
  if (command.on_conflict == core::OnConflict::fail) {
    return core::Problem{
        .code = core::ProblemCode::conflict,
        .detail = fmt::format("run {} has the run_key '{}' already", to_string(id), *command.run_key)};
  }
  auto facts = facts_of(command);
  if (!facts) return facts.problem();
  if (const core::Status allowed = check_reach(command, *facts); !allowed) return allowed.problem();
  core::RunStarted started{.is_promised = true};
  started.run.facts = {.id = id, .ns = command.ns, .workflow = command.workflow};
  return Answer{std::move(started)};
}

Result<Answer> BatchRuns::run(const core::StartRun& command) { return start_once(command); }
Result<Answer> BatchRuns::run(const core::OpenRun& command) { return start_once(command); }

void BatchRuns::note_action(std::string action, const core::Actor& by, const core::RunRef& run,
                            const core::Status& outcome) {
  core::AuditEntry entry = core::audit_of(by, run.ns, std::move(action), to_string(run.id));
  if (!outcome) entry.outcome = core::kind_of(outcome.problem().code).name;
  around_.records.note(std::move(entry));
}

Result<core::RunDecision> BatchRuns::revive(core::WorkingRun& working, const Decide& decide) {
  const core::RunFacts& facts = working.run().facts;
  if (!facts.run_key || working.run().state != core::RunState::failed) return decide();
  const store::RunKeyRef key{.ns = facts.ns, .workflow = facts.workflow, .key = *facts.run_key};
  runs_.load_keys({key});
  const auto named = runs_.run_of(key);
  const core::WorkingRun* other = named && *named != facts.id ? runs_.find(*named) : nullptr;
  if (other != nullptr && !core::is_closed(other->run().state)) {
    return core::Problem{.code = core::ProblemCode::conflict,
                         .detail = fmt::format("run {} has the run_key '{}' now and is {}", to_string(*named),
                                               key.key, to_string(other->run().state))};
  }
  if (named && *named != facts.id && other == nullptr && is_promised(*named)) {
    return core::Problem{.code = core::ProblemCode::conflict,
                         .detail = fmt::format("run_key '{}' belongs to run {}, which has not started yet",
                                               to_string(*named), key.key)};
  }
  auto decision = decide();
  if (decision) runs_.give_key(key, facts.id);
  return decision;
}

Result<Answer> BatchRuns::run(const core::ActOnRun& command) {
  core::WorkingRun* working = runs_.find(command.run.ns, command.run.id);
  if (working == nullptr) return no_such_run(command.run.id);
  const auto decide = [&] {
    return core::decide_action(*working, command.asked, context(working->run().facts, actor_of(command.by)));
  };
  const bool is_retried = command.asked.action == core::RunAction::retry;
  auto decision = is_retried ? revive(*working, decide) : decide();
  note_action(fmt::format("run.{}", to_string(command.asked.action)), command.by, command.run,
              decision ? core::Status{core::Done{}} : core::Status{decision.problem()});
  if (!decision) return decision.problem();
  take(command.run.id, std::move(*decision));
  return Answer{core::RunStarted{.created = false, .run = working->run()}};
}

Result<Answer> BatchRuns::run(const core::RewindRun& command) {
  core::WorkingRun* source = runs_.find(command.run.ns, command.run.id);
  if (source == nullptr) return no_such_run(command.run.id);
  const core::Run& from = source->run();
  if (const core::Status current = core::check_sequence(from, command.expected_sequence); !current)
    return current.problem();
  core::RunFacts facts = from.facts;
  facts.id = RunId{around_.ids.next(around_.tx.now())};
  facts.run_key.reset();  // the key stays with the original run
  facts.parent.reset();
  facts.depth = 0;
  facts.rewound_from = from.facts.id;
  if (facts.deadline_at) facts.deadline_at = around_.tx.now() + (*facts.deadline_at - from.created_at);
  // Decide on a separate run, which joins the group only if the decision succeeds.
  core::WorkingRun fork{source->plan()};
  auto decision = core::rewind_run(*source, command.to, fork, facts, context(facts, actor_of(command.by)));
  note_action("run.rewind", command.by, command.run,
              decision ? core::Status{core::Done{}} : core::Status{decision.problem()});
  if (!decision) return decision.problem();
  core::WorkingRun& kept = runs_.add_new(facts.id, runs_.plan_of(command.run.id));
  kept = std::move(fork);
  take(facts.id, std::move(*decision));
  return Answer{core::RunStarted{.created = true, .run = kept.run()}};
}

Result<Answer> BatchRuns::run(const core::SignalRun& command) {
  core::WorkingRun* working = runs_.find(command.run.ns, command.run.id);
  if (working == nullptr) return no_such_run(command.run.id);
  auto decision =
      core::decide_signal(*working, command.signal, context(working->run().facts, actor_of(command.by)));
  if (!decision) return decision.problem();
  take(command.run.id, std::move(*decision));
  return Answer{core::RunStarted{.created = false, .run = working->run()}};
}

Result<Answer> BatchRuns::run(const core::WriteSteps& command) {
  auto written = write(command);
  if (!written) return written.problem();
  return Answer{std::move(*written)};
}

Answer BatchRuns::run(const core::WriteStepsOfMany& command) {
  std::vector<Result<core::StepsWritten>> results;
  results.reserve(command.writes.size());
  for (const core::WriteSteps& one : command.writes) {
    const core::Status valid = core::check(one);
    results.push_back(valid ? write(one) : valid.problem());
  }
  return results;
}

Result<core::StepsWritten> BatchRuns::write(const core::WriteSteps& command) {
  core::WorkingRun* working = runs_.find(command.ns, command.run_id);
  if (working == nullptr) return no_such_run(command.run_id);
  WorkingTask* body = around_.set.find(command.body);
  const bool is_its_body = body != nullptr && body->record.facts.run &&
                           body->record.facts.run->run_id == command.run_id &&
                           body->record.facts.run->node == core::kBodyKey;
  if (!is_its_body) return core::invalid_field("task_id", "is not the body of the run");
  if (const core::Status allowed = check_reach(command, *body); !allowed) return allowed.problem();
  rests_on_leases_ = true;
  const core::Moment moment{.now = around_.tx.now(), .clock = &around_.tx.clock()};
  if (const core::Status held = core::check_fence(body->record, command.fence, moment); !held)
    return held.problem();
  const core::EventActor actor{.type = "worker", .id = body->record.lease->worker_id};
  auto decided = core::write_steps(*working, command, context(working->run().facts, actor));
  if (!decided && decided.problem().code == core::ProblemCode::forbidden)
    around_.records.note_denial(command.by, command.ns, to_string(command.run_id), decided.problem());
  if (!decided) return decided.problem();
  const bool is_parked = command.park && !core::is_closed(working->run().state);
  if (decided->written.is_suspended || is_parked) give_back(*body);
  take(command.run_id, std::move(decided->run));
  return std::move(decided->written);
}

Answer BatchRuns::run(const core::WakeRuns& command) {
  core::Swept swept;
  spends_ = &wake_budget_;
  const auto decide_on = [&](const RunId& id, const core::EventActor& actor, auto decide) {
    core::WorkingRun* working = runs_.find(id);
    if (working == nullptr) return;
    core::RunDecision decision = decide(*working, context(working->run().facts, actor));
    swept.changed += decision.events.empty() ? 0 : 1;
    take(id, std::move(decision));
  };
  for (const core::TimerRef& timer : command.timers) {
    decide_on(timer.run_id, {}, [&](core::WorkingRun& working, const core::RunContext& context) {
      return core::decide_timer(working, timer.node, context);
    });
  }
  for (const RunId& id : command.deadlines) decide_on(id, {}, core::decide_deadline);
  for (const core::ParkRun& parked : command.parked) {
    decide_on(parked.run, {.type = "recovery"},
              [&](core::WorkingRun& working, const core::RunContext& context) {
                return core::park_run(working, {.timer = parked.timer, .why = parked.why}, context);
              });
  }
  for (const RunId& id : command.stuck) {
    decide_on(id, {.type = "recovery"}, [&](core::WorkingRun& working, const core::RunContext& context) {
      const core::Run& run = working.run();
      const bool is_stuck =
          run.state == core::RunState::running && run.updated_at + command.stuck_after <= around_.tx.now();
      if (!is_stuck) return core::RunDecision{};
      const core::RawJson detail{
          fmt::format(R"({{"silent_since":"{}"}})", core::format_time(run.updated_at))};
      return core::note_evidence(working, core::RunEventType::recovery_started, detail, context);
    });
  }
  spends_ = &budget_;
  return swept;
}

core::Status BatchRuns::note_checkpoint(const core::AppendCheckpoint& command, std::int64_t sequence) {
  const RunId& id = std::get<RunId>(command.owner);
  core::WorkingRun* working = runs_.find(command.ns, id);
  if (working == nullptr) return no_such_run(id);
  core::Writer detail;
  detail.begin_object()
      .field("checkpoint_id", core::checkpoint_id(command.owner, sequence, around_.tx.now()))
      .field("type", command.type)
      .field("sequence", sequence)
      .end_object();
  take(id, core::note_evidence(*working, core::RunEventType::checkpoint_written, {detail.take()},
                               context(working->run().facts, actor_of(command.by))));
  return core::Done{};
}

}  // namespace pawl::engine
