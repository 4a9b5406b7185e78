// Rewinds a run: a new run keeps the results from before a point.
#include <algorithm>

#include <fmt/format.h>

#include "core/run/run_steps.hpp"

namespace pawl::core {

namespace {

std::vector<bool> from_there_on(const Graph& graph, NodeIndex to) {
  std::vector<bool> is_dropped(graph.size(), false);
  std::vector<NodeIndex> behind{to};
  is_dropped[to] = true;
  for (std::size_t i = 0; i < behind.size(); ++i) {
    for (const NodeIndex next : graph.successors(behind[i])) {
      if (is_dropped[next]) continue;
      is_dropped[next] = true;
      behind.push_back(next);
    }
  }
  return is_dropped;
}

bool is_result(WorkingRun& source, NodeKey key) {
  const NodeState state = source.node(key).state;
  return state == NodeState::completed || state == NodeState::skipped ||
         (state == NodeState::failed && source.continues_on_error(key.index));
}

// In the order in which they ended, so that the new run undoes them in the same order as the source would.
std::vector<NodeKey> results_of(WorkingRun& source, const std::vector<bool>& is_dropped) {
  std::vector<NodeKey> keys;
  for (const NodeKey key : source.all_keys()) {
    if (is_dropped[key.index] || source.is_compensation(key)) continue;
    if (is_result(source, key) && is_result(source, {.index = key.index})) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end(),
            [&](NodeKey one, NodeKey other) { return source.node(one).since < source.node(other).since; });
  return keys;
}

RunEventType end_of(NodeState state) {
  if (state == NodeState::completed) return RunEventType::task_completed;
  return state == NodeState::skipped ? RunEventType::task_skipped : RunEventType::task_failed;
}

void keep(RunSteps& steps, const Node& node) {
  RunEventData data = steps.about(node.key);
  data.is_kept = true;
  data.output = node.output;
  data.error = node.error;
  steps.emit(end_of(node.state), data);
}

}  // namespace

namespace {

// Keeps all steps that ended before the step `to` began.
Result<RunDecision> rewind_code(WorkingRun& source, const std::string& to, WorkingRun& fork,
                                const RunFacts& facts, const RunContext& context) {
  const Node* point = source.find_step(to);
  if (point == nullptr || source.is_compensation(point->key))
    return invalid_field("to", fmt::format("there is no step '{}' that the run could go back to", to));
  std::vector<const Node*> kept;
  for (const NodeKey key : source.all_keys()) {
    const Node& node = source.node(key);
    const bool is_result = node.state == NodeState::completed || node.state == NodeState::failed;
    if (key != kBodyKey && is_result && node.since < point->since && !source.is_compensation(key))
      kept.push_back(&node);
  }
  std::sort(kept.begin(), kept.end(), [](const Node* a, const Node* b) { return a->since < b->since; });
  RunSteps steps{fork, context};
  steps.emit(RunEventType::workflow_created, {.run = facts});
  steps.emit(RunEventType::workflow_started);
  steps.enqueue_body();
  for (const Node* node : kept) {
    RunEventData data{.node = node->key, .node_id = node->name};
    data.is_kept = true;
    data.kind = node->kind;
    data.retry = node->retry;
    data.attempt = node->attempt;
    data.output = node->output;
    data.error = node->error;
    const bool is_done = node->state == NodeState::completed;
    steps.emit(is_done ? RunEventType::step_completed : RunEventType::step_failed, data);
  }
  return steps.finish();
}

}  // namespace

Result<RunDecision> rewind_run(WorkingRun& source, const std::string& to, WorkingRun& fork,
                               const RunFacts& facts, const RunContext& context) {
  const RunState state = source.run().state;
  if (state == RunState::compensating || state == RunState::compensated ||
      state == RunState::compensation_failed)
    return Problem{ProblemCode::invalid_state,
                   fmt::format("run {} is {}: its results were undone and cannot be kept",
                               to_string(source.run().facts.id), to_string(state))};
  if (source.run().facts.kind == RunKind::open)
    return Problem{ProblemCode::invalid_state,
                   fmt::format("run {} is open and has no plan to go back in: retry the task",
                               to_string(source.run().facts.id))};
  if (source.run().facts.kind == RunKind::code) return rewind_code(source, to, fork, facts, context);
  const Graph* graph = source.plan().graph;
  const auto point = graph == nullptr ? std::nullopt : graph->find(to);
  if (!point || graph->is_compensation(*point))
    return invalid_field("to", fmt::format("there is no task '{}' that the run could go back to", to));

  RunSteps steps{fork, context};
  steps.emit(RunEventType::workflow_created, {.run = facts});
  steps.emit(RunEventType::workflow_started);
  const std::vector<NodeKey> results = results_of(source, from_there_on(*graph, *point));
  for (const NodeKey key : results) {
    if (!source.node(key).items) continue;
    RunEventData data = steps.about(key);
    data.is_kept = true;
    data.items = source.node(key).items;
    data.node_state = NodeState::waiting;
    steps.emit(RunEventType::task_scheduled, data);
  }
  for (const NodeKey key : results) keep(steps, source.node(key));
  steps.start_held();
  return steps.finish();
}

}  // namespace pawl::core
