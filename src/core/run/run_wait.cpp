// Waits of a run: for timers, signals and children.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/run/run_steps.hpp"

namespace pawl::core {

void RunSteps::wake() {
  if (run().state == RunState::sleeping) emit(RunEventType::workflow_woken);
}

void RunSteps::begin_wait(NodeKey key) {
  const DefinitionTask& task = definition_of(key);
  RunEventData timer = about(key);
  if (task.type == NodeType::sleep) {
    timer.until = context_.now + task.duration.value_or(Duration{0});
    emit(RunEventType::timer_set, timer);
    return;
  }
  RunEventData data = about(key);
  data.node_state = NodeState::waiting;
  data.signal = task.signal;
  emit(RunEventType::task_scheduled, data);
  if (const auto signal = working_.next_signal(task.signal)) return consume(key, *signal);
  if (!task.timeout) return;
  timer.until = context_.now + *task.timeout;
  emit(RunEventType::timer_set, timer);
}

void RunSteps::consume(NodeKey key, const Signal& signal) {
  RunEventData data = about(key);
  data.signal = signal.name;
  data.signal_sequence = signal.sequence;
  emit(RunEventType::signal_consumed, data);
  complete_node(key, signal.payload);
}

std::optional<TaskError> RunSteps::too_deep() const {
  const int depth = run().facts.depth + 1;
  if (depth <= context_.bounds.child_depth_max) return std::nullopt;
  return TaskError{.code = "limit_exceeded",
                   .message = fmt::format("a child of this run is {} runs deep, limits.child_depth allows {}",
                                          depth, context_.bounds.child_depth_max),
                   .retryable = false};
}

void RunSteps::note_child() {
  if (context_.budget != nullptr) --context_.budget->children;
}

void RunSteps::start_child(NodeKey key, const RawJson& input) {
  const DefinitionTask& task = definition_of(key);
  note_child();
  StartChild child{.child_id = RunId{context_.next_id()},
                   .node = key,
                   .node_id = working_.node_id(key),
                   .workflow = task.workflow,
                   .input = input,
                   .queue = task.queue.value_or(run().facts.queue),
                   .priority = task.priority.value_or(run().facts.priority),
                   .labels = task.labels};
  if (task.timeout) child.deadline_at = context_.now + *task.timeout;
  RunEventData data = about(key);
  data.child_id = child.child_id;
  emit(RunEventType::child_started, data);
  effect(std::move(child));
  if (planted(Canary::child_not_awaited)) complete_node(key, {});
}

namespace {

// The node that has waited longest for the signal.
std::optional<NodeKey> waiter_for(WorkingRun& working, const std::string& name) {
  std::optional<NodeKey> first;
  if (working.run().facts.kind == RunKind::code) {
    for (const NodeKey key : working.live_keys()) {
      const Node& node = working.node(key);
      if (key == kBodyKey || node.state != NodeState::waiting || node.awaits != name) continue;
      if (!first || node.since < working.node(*first).since) first = key;
    }
    return first;
  }
  const Definition* definition = working.plan().definition;
  if (definition == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < definition->tasks.size(); ++i) {
    if (definition->tasks[i].type != NodeType::signal || definition->tasks[i].signal != name) continue;
    const NodeKey key{.index = static_cast<NodeIndex>(i)};
    const Node& node = working.node(key);
    const bool is_first = !first || node.since < working.node(*first).since;
    if (node.state == NodeState::waiting && is_first) first = key;
  }
  return first;
}

TaskError error_of_child(const ChildOutcome& outcome) {
  return {
      .code = outcome.error ? outcome.error->code : fmt::format("child_{}", to_string(outcome.state)),
      .message = fmt::format("child run {} ended as {}{}", to_string(outcome.child_id),
                             to_string(outcome.state), outcome.error ? ": " + outcome.error->message : ""),
      .retryable = false};
}

}  // namespace

Result<RunDecision> decide_signal(WorkingRun& working, const SignalSent& signal, const RunContext& context) {
  const Run& run = working.run();
  RunSteps steps{working, context};
  if (signal.idempotency_key && working.has_signal(*signal.idempotency_key) &&
      !planted(Canary::signal_taken_twice))
    return steps.finish();
  if (const Status current = check_sequence(run, signal.expected_sequence); !current)
    return current.problem();
  if (is_closed(run.state))
    return Problem{ProblemCode::already_completed,
                   fmt::format("the run is {}: it accepts no more signals", to_string(run.state))};
  if (is_stopping(run) || run.state == RunState::compensating)
    return Problem{ProblemCode::invalid_state,
                   fmt::format("the run is {}: nothing in it waits for signals", to_string(run.state))};
  RunEventData data{
      .output = signal.payload, .signal = signal.name, .idempotency_key = signal.idempotency_key};
  steps.emit(RunEventType::signal_received, data);
  if (const auto key = waiter_for(working, signal.name)) {
    const auto next = working.next_signal(signal.name);
    steps.wake();
    if (next) steps.consume(*key, *next);
  }
  if (steps.is_code()) {  // also if a step has consumed the signal that the body waits for by name
    const Node& body = working.node(kBodyKey);
    const bool is_awaited = body.awaits == signal.name || body.awaits == "*";
    if (body.state == NodeState::waiting && is_awaited) steps.wake_body();
  }
  return steps.finish();
}

namespace {

TaskError signal_timeout(const std::string& signal) {
  return {.code = "timeout",
          .message = fmt::format("signal '{}' did not arrive in time", signal),
          .retryable = false};
}

// Whether the timer is for work that an earlier commit has left to begin or to stop. A task or a child has no
// other timer, except for the body.
bool is_deferral(const Run& run, const Node& node) {
  if (run.deferred == node.key) return true;
  const bool is_body = run.facts.kind == RunKind::code && node.key == kBodyKey;
  return !is_body && (node.task_id || node.child_id);
}

void fire_in_code(RunSteps& steps, const Node& node) {
  if (node.key == kBodyKey) return steps.wake_body();
  if (node.kind == StepKind::sleep) return steps.complete_node(node.key, {});
  if (node.kind == StepKind::signal) return steps.fail_node(node.key, signal_timeout(node.awaits));
}

}  // namespace

RunDecision decide_timer(WorkingRun& working, NodeKey key, const RunContext& context) {
  RunSteps steps{working, context};
  const Node* node = working.find(key);
  if (node == nullptr || !node->timer_at ||
      (*node->timer_at > context.now && !planted(Canary::timer_fires_early)))
    return steps.finish();
  if (is_deferral(working.run(), *node)) {
    steps.go_on(*node);
    return steps.finish();
  }
  steps.wake();
  steps.emit(RunEventType::timer_fired, steps.about(key));
  if (steps.is_code()) {
    fire_in_code(steps, *node);
    return steps.finish();
  }
  const DefinitionTask& task = working.plan().definition->tasks[key.index];
  if (task.type == NodeType::sleep) {
    steps.complete_node(key, {});
  } else {
    steps.emit(RunEventType::task_timed_out, steps.about(key));
    steps.fail_node(key, {.code = "timeout",
                          .message = fmt::format("signal '{}' did not arrive within {}", task.signal,
                                                 format_duration(task.timeout.value_or(Duration{0}))),
                          .retryable = false});
  }
  return steps.finish();
}

RunDecision decide_child(WorkingRun& working, const ChildOutcome& outcome, const RunContext& context) {
  RunSteps steps{working, context};
  const Node* node = working.find(outcome.node);
  if (node == nullptr ||
      (node->child_id != outcome.child_id && !planted(Canary::child_of_another_believed)) ||
      has_ended(node->state))
    return steps.finish();
  const bool was_asked_to_stop = node->since < working.run().stopped_at;
  steps.wake();
  RunEventData data = steps.about(outcome.node);
  data.child_id = outcome.child_id;
  data.output = outcome.output;
  data.error = outcome.error;
  data.detail = {fmt::format(R"({{"state":"{}"}})", to_string(outcome.state))};
  steps.emit(RunEventType::child_finished, data);
  if (outcome.state == RunState::completed) {
    steps.complete_node(outcome.node, outcome.output);
  } else if (is_stopping(working.run()) && outcome.state == RunState::cancelled) {
    steps.cancel_node(outcome.node);
  } else if (!is_stopping(working.run()) && was_asked_to_stop && !steps.is_code()) {
    steps.begin(outcome.node);  // the run was retried meanwhile
  } else {
    steps.fail_node(outcome.node, error_of_child(outcome));
  }
  return steps.finish();
}

}  // namespace pawl::core
