// BatchRuns' part that performs the effects of run decisions on tasks and other runs.

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/task/task_machine.hpp"
#include "engine/batch_runs.hpp"

namespace pawl::engine {

using core::RunId;

namespace {

store::LaneKey lane_key(const std::string& ns, const core::TaskSpec& spec) {
  const core::LanePlace place = core::lane_place(spec.priority, spec.fairness_key.has_value());
  return {.ns = ns,
          .queue = spec.queue,
          .type = spec.type,
          .priority = place.priority,
          .of_runs = true,
          .fair = place.fair};
}

// The lanes of all tasks that the run may ever have. They are created together: each missing lane costs a
// try.
std::vector<store::LaneKey> lanes_of(const core::RunFacts& facts, const core::Definition& definition) {
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
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

const core::Lane& BatchRuns::lane_for(const RunId& run, const core::TaskSpec& spec) {
  const core::RunFacts& facts = runs_.find(run)->run().facts;
  const core::Lane* lane = around_.store.find_lane(lane_key(facts.ns, spec));
  const SharedPlan plan = lane == nullptr ? runs_.plan_of(run) : nullptr;
  if (lane == nullptr) {
    auto missing = plan == nullptr ? std::vector<store::LaneKey>{} : lanes_of(facts, plan->definition);
    // The definition's lanes do not include it if the task's type declares its own queue or priority.
    store::LaneKey own = lane_key(facts.ns, spec);
    if (!std::binary_search(missing.begin(), missing.end(), own)) missing.push_back(std::move(own));
    throw MissingLanes{std::move(missing)};
  }
  return *lane;
}

void BatchRuns::perform(const RunId& run, const core::EnqueueNode& effect) {
  const core::Lane& lane = lane_for(run, effect.spec);
  core::TaskRecord record = core::new_task(effect.task_id, lane, effect.spec, around_.tx.now(), true);
  const core::RunFacts& facts = runs_.find(run)->run().facts;
  record.facts.run =
      core::TaskRun{.run_id = run,
                    .node = effect.node,
                    .node_id = effect.node_id,
                    .traceparent = core::traceparent_of(facts.trace_id, facts.span_id, facts.trace_flags)};
  record.facts.trace = core::task_trace_of(facts);
  // Earlier attempts stay counted, so that no execution key repeats, but do not use this budget.
  record.progress = {.attempt = effect.attempts_used, .budget_from = effect.attempts_used};
  around_.set.add_new(std::move(record));
}

void BatchRuns::perform(const RunId& /*run*/, const core::StopTask& effect) {
  WorkingTask* task = around_.set.find(effect.task_id);
  if (task == nullptr) return;
  const core::TaskStatus before = task->record.status;
  const core::TimePoint now = around_.tx.now();
  std::optional<core::TaskChange> change;
  if (effect.is_forced) {
    change = core::decide_revoke(task->record, now);
  } else if (auto cancelled = core::decide_cancel(task->record, now)) {
    change = std::move(*cancelled);
  }
  if (!change) return;  // it has ended already
  around_.set.change(*task, *change);
  changed(*task, before, *change, {});
}

void BatchRuns::perform(const RunId& /*run*/, const core::HoldTask& effect) {
  WorkingTask* task = around_.set.find(effect.task_id);
  if (task == nullptr) return;
  if (const auto change = core::decide_hold(task->record, around_.tx.now()))
    around_.set.change(*task, *change);
}

void BatchRuns::perform(const RunId& /*run*/, const core::FreeTask& effect) {
  WorkingTask* task = around_.set.find(effect.task_id);
  if (task != nullptr && task->record.status == core::TaskStatus::blocked) around_.set.release(*task);
}

void BatchRuns::perform(const RunId& /*run*/, const core::ReviveTask& effect) {
  WorkingTask* task = around_.set.find(effect.task_id);
  if (task == nullptr) return;
  if (const auto change = core::decide_revive(task->record, false, around_.tx.now()))
    around_.set.change(*task, *change);
}

void BatchRuns::give_back(WorkingTask& body) {
  around_.set.change(body, core::decide_suspend(body.record, around_.tx.now()));
  if (const auto held = core::decide_hold(body.record, around_.tx.now())) around_.set.change(body, *held);
}

void BatchRuns::refuse_child(const RunId& run, const core::StartChild& effect, std::string code,
                             std::string why) {
  core::ChildOutcome outcome{
      .child_id = effect.child_id, .node = effect.node, .state = core::RunState::failed};
  outcome.error = core::TaskError{.code = std::move(code), .message = std::move(why), .retryable = false};
  perform(run, core::TellParent{.parent_id = run, .outcome = std::move(outcome)});
}

void BatchRuns::perform(const RunId& run, const core::StartChild& effect) {
  const core::RunFacts parent = runs_.find(run)->run().facts;
  const SharedPlan plan = runs_.latest_plan(parent.ns, effect.workflow);
  if (plan == nullptr && !effect.may_be_code && !is_code(parent.ns, effect.workflow))
    return refuse_child(run, effect, "no_such_workflow",
                        fmt::format("there is no workflow {}", effect.workflow));
  if (effect.run_key) {
    const store::RunKeyRef key{.ns = parent.ns, .workflow = effect.workflow, .key = *effect.run_key};
    runs_.load_keys({key});
    if (runs_.run_of(key))
      return refuse_child(
          run, effect, "conflict",
          fmt::format("run_key: workflow {} has a run with the key '{}'", effect.workflow, *effect.run_key));
    runs_.give_key(key, effect.child_id);
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
    facts.deadline_at = around_.tx.now() + *plan->definition.deadline;
  core::WorkingRun& child = runs_.add_new(facts.id, plan);
  take(facts.id, core::start_run(child, facts, context(facts, {})));
}

void BatchRuns::perform(const RunId& /*run*/, const core::StopChild& effect) {
  core::WorkingRun* child = runs_.find(effect.child_id);
  if (child == nullptr) return;
  const core::RunActionAsked asked{
      .action = effect.is_forced ? core::RunAction::terminate : core::RunAction::cancel,
      .reason = effect.is_forced ? "its parent was terminated" : "its parent was stopped"};
  auto decision = core::decide_action(*child, asked, context(child->run().facts, {}));
  if (decision) take(effect.child_id, std::move(*decision));  // otherwise it is ending already
}

void BatchRuns::perform(const RunId& /*run*/, const core::TellParent& effect) {
  core::WorkingRun* parent = runs_.find(effect.parent_id);
  if (parent == nullptr) return;
  take(effect.parent_id, core::decide_child(*parent, effect.outcome, context(parent->run().facts, {})));
}

std::vector<core::Signal> BatchRuns::unread_signals(const RunId& run) {
  const store::PeekRun peek{.id = run, .page = {.nodes = 1}};  // only its signals are needed
  const auto stored = around_.tx.peek_runs({&peek, 1});
  std::map<std::int64_t, core::Signal> unread;
  if (stored.front()) {
    for (const core::Signal& one : stored.front()->signals) unread.emplace(one.sequence, one);
  }
  for (const core::Signal* one : runs_.find(run)->changed_signals()) {
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

void BatchRuns::perform(const RunId& run, const core::ContinueRun& effect) {
  const core::RunFacts facts = core::continued_facts(runs_.find(run)->run(), effect, around_.tx.now());
  const std::vector<core::Signal> signals = unread_signals(run);
  if (facts.run_key) {
    const store::RunKeyRef key{.ns = facts.ns, .workflow = facts.workflow, .key = *facts.run_key};
    runs_.load_keys({key});
    if (runs_.run_of(key) == run) runs_.give_key(key, facts.id);
  }
  core::WorkingRun& next = runs_.add_new(facts.id, nullptr);
  take(facts.id, core::start_run(next, facts, context(facts, {})));
  for (const core::Signal& one : signals) {
    auto received = core::decide_signal(
        next, {.name = one.name, .payload = one.payload, .idempotency_key = one.idempotency_key},
        context(facts, {}));
    if (received) take(facts.id, std::move(*received));
  }
  if (!facts.parent) return;
  core::WorkingRun* parent = runs_.find(facts.parent->run_id);
  if (parent == nullptr) return;
  take(facts.parent->run_id,
       core::replace_child(*parent, {.node = facts.parent->node, .from = run, .to = facts.id},
                           context(parent->run().facts, {})));
}

}  // namespace pawl::engine
