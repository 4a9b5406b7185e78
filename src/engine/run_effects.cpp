#include "engine/run_effects.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/task/task_machine.hpp"
#include "engine/lanes.hpp"
#include "engine/sort_distinct.hpp"
#include "engine/task_outcome.hpp"

namespace pawl::engine {

using core::RunId;

namespace {

// The lanes of all tasks that the run may ever have. They are created together: each missing lane costs a
// try.
std::vector<store::LaneKey> lanes_of_definition(const core::RunFacts& facts,
                                                const core::Definition& definition) {
  std::vector<store::LaneKey> keys;
  for (const core::DefinitionTask& task : definition.tasks) {
    if (task.activity.empty()) continue;
    const core::LanePlace place = core::lane_place(task.priority.value_or(facts.priority), false);
    keys.push_back({.ns = facts.ns,
                    .queue = task.queue.value_or(facts.queue),
                    .type = task.activity,
                    .priority = place.priority,
                    .of_runs = true,
                    .fair = place.fair});
  }
  sort_distinct(keys);
  return keys;
}

}  // namespace

core::RunContext RunEffects::context(const core::RunFacts& facts, core::EventActor actor) {
  return {.now = with_.tx.now(),
          .next_id = [this] { return with_.ids.next(with_.tx.now()); },
          .chance = with_.random.unit(),
          .actor = std::move(actor),
          .trace_id = facts.trace_id,
          .span_id = facts.span_id,
          .declared_type =
              [this, &facts](const std::string& type) {
                return with_.types.find(facts.ns, type,
                                        [&](const core::RecordRef& ref) { return with_.runs.peek(ref); });
              },
          .bounds = with_.bounds,
          .budget = spent_};
}

void RunEffects::apply(const RunId& run, core::RunDecision decision) {
  with_.runs.note(run, std::move(decision.events));
  load_tasks_of(decision.effects);
  for (core::RunEffect& effect : decision.effects)
    pending_.push_back({.run = run, .effect = std::move(effect)});
  if (is_performing_) return;
  is_performing_ = true;
  while (!pending_.empty()) {
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    std::visit([&](const auto& effect) { perform(next.run, effect); }, next.effect);
  }
  is_performing_ = false;
}

// Loads, in one query, all tasks that a decision stops, holds, frees or revives.
void RunEffects::load_tasks_of(const std::vector<core::RunEffect>& effects) {
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
    if (with_.tasks.find(*id) == nullptr) wanted.push_back({.id = *id, .facts = true});
  }
  std::sort(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  const auto is_same = [](const auto& a, const auto& b) { return a.id == b.id; };
  wanted.erase(std::unique(wanted.begin(), wanted.end(), is_same), wanted.end());
  with_.tasks.load(wanted);
  std::vector<store::LineRef> lines;
  for (const core::TaskId& id : touched) {
    const WorkingTask* task = with_.tasks.find(id);
    if (task != nullptr && task->record.facts.key) lines.push_back(line_ref(task->record));
  }
  with_.tasks.lock_lines(std::move(lines));
}

void RunEffects::change_task(WorkingTask& task, const core::TaskChange& change,
                             const core::EventActor& actor) {
  const core::TaskStatus before = task.record.status;
  with_.tasks.change(task, change);
  if (!task.record.facts.run) return;
  const auto outcome = outcome_of(task.record, before, change);
  core::WorkingRun* run = outcome ? with_.runs.find(task.record.facts.run->run_id) : nullptr;
  if (run == nullptr) return;
  apply(task.record.facts.run->run_id, core::decide_task(*run, *outcome, context(run->run().facts, actor)));
}

const core::Lane& RunEffects::lane_for(const RunId& run, const core::TaskSpec& spec) {
  const core::RunFacts& facts = with_.runs.find(run)->run().facts;
  const core::Lane* lane = with_.store.find_lane(lane_key(facts.ns, spec, true));
  const SharedPlan plan = lane == nullptr ? with_.runs.plan_of(run) : nullptr;
  if (lane == nullptr) {
    auto missing =
        plan == nullptr ? std::vector<store::LaneKey>{} : lanes_of_definition(facts, plan->definition);
    // The definition's lanes do not include it if the task's type declares its own queue or priority.
    store::LaneKey own = lane_key(facts.ns, spec, true);
    if (!std::binary_search(missing.begin(), missing.end(), own)) missing.push_back(std::move(own));
    throw MissingLanes{std::move(missing)};
  }
  return *lane;
}

void RunEffects::perform(const RunId& run, const core::EnqueueNode& effect) {
  const core::Lane& lane = lane_for(run, effect.spec);
  core::TaskRecord record = core::new_task(effect.task_id, lane, effect.spec, with_.tx.now(), true);
  const core::RunFacts& facts = with_.runs.find(run)->run().facts;
  record.facts.run =
      core::TaskRun{.run_id = run,
                    .node = effect.node,
                    .node_id = effect.node_id,
                    .traceparent = core::traceparent_of(facts.trace_id, facts.span_id, facts.trace_flags)};
  record.facts.trace = core::task_trace_of(facts);
  // Earlier attempts stay counted, so that no execution key repeats, but do not use this budget.
  record.progress = {.attempt = effect.attempts_used, .budget_from = effect.attempts_used};
  with_.tasks.add_new(std::move(record));
}

void RunEffects::perform(const RunId& /*run*/, const core::StopTask& effect) {
  WorkingTask* task = with_.tasks.find(effect.task_id);
  if (task == nullptr) return;
  const core::TimePoint now = with_.tx.now();
  std::optional<core::TaskChange> change;
  if (effect.is_forced) {
    change = core::decide_revoke(task->record, now);
  } else if (auto cancelled = core::decide_cancel(task->record, now)) {
    change = std::move(*cancelled);
  }
  if (change) change_task(*task, *change, {});  // otherwise it has ended already
}

void RunEffects::perform(const RunId& /*run*/, const core::HoldTask& effect) {
  WorkingTask* task = with_.tasks.find(effect.task_id);
  if (task == nullptr) return;
  if (const auto change = core::decide_hold(task->record, with_.tx.now())) with_.tasks.change(*task, *change);
}

void RunEffects::perform(const RunId& /*run*/, const core::FreeTask& effect) {
  WorkingTask* task = with_.tasks.find(effect.task_id);
  if (task != nullptr && task->record.status == core::TaskStatus::blocked) with_.tasks.release(*task);
}

void RunEffects::perform(const RunId& /*run*/, const core::ReviveTask& effect) {
  WorkingTask* task = with_.tasks.find(effect.task_id);
  if (task == nullptr) return;
  if (const auto change = core::decide_revive(task->record, false, with_.tx.now()))
    with_.tasks.change(*task, *change);
}

void RunEffects::suspend_body(WorkingTask& body) {
  with_.tasks.change(body, core::decide_suspend(body.record, with_.tx.now()));
  if (const auto held = core::decide_hold(body.record, with_.tx.now())) with_.tasks.change(body, *held);
}

void RunEffects::reject_child(const RunId& run, const core::StartChild& effect, std::string code,
                              std::string why) {
  core::ChildOutcome outcome{
      .child_id = effect.child_id, .node = effect.node, .state = core::RunState::failed};
  outcome.error = core::TaskError{.code = std::move(code), .message = std::move(why), .retryable = false};
  perform(run, core::TellParent{.parent_id = run, .outcome = std::move(outcome)});
}

void RunEffects::perform(const RunId& run, const core::StartChild& effect) {
  const core::RunFacts parent = with_.runs.find(run)->run().facts;
  const SharedPlan plan = with_.runs.latest_plan(parent.ns, effect.workflow);
  if (plan == nullptr && !effect.may_be_code && !with_.runs.is_code(parent.ns, effect.workflow))
    return reject_child(run, effect, "no_such_workflow",
                        fmt::format("there is no workflow {}", effect.workflow));
  if (effect.run_key) {
    const store::RunKeyRef key{.ns = parent.ns, .workflow = effect.workflow, .key = *effect.run_key};
    with_.runs.load_keys({key});
    if (with_.runs.run_of(key))
      return reject_child(
          run, effect, "conflict",
          fmt::format("run_key: workflow {} has a run with the key '{}'", effect.workflow, *effect.run_key));
    with_.runs.give_key(key, effect.child_id);
  }
  core::RunFacts facts{
      .id = effect.child_id,
      .ns = parent.ns,
      .workflow = effect.workflow,
      .version = plan == nullptr ? 0 : plan->version,
      .kind = plan == nullptr ? core::RunKind::code : core::RunKind::graph,
      .run_key = effect.run_key,
      .input = effect.input,
      .queue = effect.queue,
      .priority = effect.priority,
      .on_failure = plan == nullptr ? core::OnFailure::compensate : plan->definition.on_failure,
      .deadline_at = effect.deadline_at,
      .parent = core::RunParent{.run_id = run, .node = effect.node, .node_id = effect.node_id},
      .depth = parent.depth + 1,
      .labels = effect.labels,
      .trace_id = parent.trace_id,
      .span_id = parent.span_id,
      .trace_flags = parent.trace_flags,
      .tracestate = parent.tracestate};
  if (!facts.deadline_at && plan != nullptr && plan->definition.deadline)
    facts.deadline_at = with_.tx.now() + *plan->definition.deadline;
  core::WorkingRun& child = with_.runs.add_new(facts.id, plan);
  apply(facts.id, core::start_run(child, facts, context(facts, {})));
}

void RunEffects::perform(const RunId& /*run*/, const core::StopChild& effect) {
  core::WorkingRun* child = with_.runs.find(effect.child_id);
  if (child == nullptr) return;
  const core::RunActionAsked request{
      .action = effect.is_forced ? core::RunAction::terminate : core::RunAction::cancel,
      .reason = effect.is_forced ? "its parent was terminated" : "its parent was stopped"};
  auto decision = core::decide_action(*child, request, context(child->run().facts, {}));
  if (decision) apply(effect.child_id, std::move(*decision));  // otherwise it is ending already
}

void RunEffects::perform(const RunId& /*run*/, const core::TellParent& effect) {
  core::WorkingRun* parent = with_.runs.find(effect.parent_id);
  if (parent == nullptr) return;
  apply(effect.parent_id, core::decide_child(*parent, effect.outcome, context(parent->run().facts, {})));
}

std::vector<core::Signal> RunEffects::unread_signals(const RunId& run) {
  const store::PeekRun peek{.id = run, .page = {.nodes = 1}};  // only its signals are needed
  const auto stored = with_.tx.peek_runs({&peek, 1});
  std::map<std::int64_t, core::Signal> unread;
  if (stored.front()) {
    for (const core::Signal& one : stored.front()->signals) unread.emplace(one.sequence, one);
  }
  for (const core::Signal* one : with_.runs.find(run)->changed_signals()) {
    if (one->consumed_by) {
      unread.erase(one->sequence);
    } else {
      unread.insert_or_assign(one->sequence, *one);
    }
  }
  std::vector<core::Signal> signals;
  for (auto& [sequence, one] : unread) signals.push_back(std::move(one));
  return signals;
}

void RunEffects::perform(const RunId& run, const core::ContinueRun& effect) {
  const core::RunFacts facts = core::continued_facts(with_.runs.find(run)->run(), effect, with_.tx.now());
  const std::vector<core::Signal> signals = unread_signals(run);
  if (facts.run_key) {
    const store::RunKeyRef key{.ns = facts.ns, .workflow = facts.workflow, .key = *facts.run_key};
    with_.runs.load_keys({key});
    if (with_.runs.run_of(key) == run) with_.runs.give_key(key, facts.id);
  }
  core::WorkingRun& next = with_.runs.add_new(facts.id, nullptr);
  apply(facts.id, core::start_run(next, facts, context(facts, {})));
  for (const core::Signal& one : signals) {
    auto received = core::decide_signal(
        next, {.name = one.name, .payload = one.payload, .idempotency_key = one.idempotency_key},
        context(facts, {}));
    if (received) apply(facts.id, std::move(*received));
  }
  if (!facts.parent) return;
  core::WorkingRun* parent = with_.runs.find(facts.parent->run_id);
  if (parent == nullptr) return;
  apply(facts.parent->run_id,
        core::replace_child(*parent, {.node = facts.parent->node, .from = run, .to = facts.id},
                            context(parent->run().facts, {})));
}

}  // namespace pawl::engine
