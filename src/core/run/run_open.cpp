// The tasks of an open run: they are added one by one, and may be retried once they have ended.
#include <algorithm>
#include <deque>
#include <set>

#include <fmt/format.h>

#include "core/run/run_steps.hpp"

namespace pawl::core {

// The successors of a task that did not complete do not start, unless that task is retried.
void RunSteps::cancel_followers(NodeIndex index) {
  std::deque<NodeIndex> behind{index};
  while (!behind.empty()) {
    const std::vector<NodeIndex> followers = working_.successors(behind.front());
    behind.pop_front();
    for (const NodeIndex next : followers) {
      const Node& node = working_.node({.index = next});
      if (node.state != NodeState::blocked) continue;
      stop_outside(node);
      emit(RunEventType::task_cancelled, about(node.key));
      behind.push_back(next);
    }
  }
}

void RunSteps::take_back(NodeKey key) {
  RunEventData data = about(key);
  data.requested = true;
  emit(RunEventType::task_retrying, data);
  effect(ReviveTask{*working_.node(key).task_id});
  ready_.push_back(key);
}

void RunSteps::revive_ended() {
  for (const NodeKey key : working_.all_keys()) {
    const Node& node = working_.node(key);
    if (node.state == NodeState::failed || node.state == NodeState::cancelled)
      effect(ReviveTask{*node.task_id});
  }
}

namespace {

Result<std::vector<NodeIndex>> places_of(WorkingRun& working, const std::vector<TaskId>& after) {
  std::vector<NodeIndex> places;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::string field = fmt::format("after[{}]", i);
    const auto key = working.key_of(after[i]);
    if (!key) return invalid_field(field, fmt::format("the run has no task {}", to_string(after[i])));
    const NodeState state = working.node(*key).state;
    if (state == NodeState::failed || state == NodeState::cancelled)
      return invalid_field(field, fmt::format("task {} is {}: nothing can come after it", to_string(after[i]),
                                              to_string(state)));
    places.push_back(key->index);
  }
  return places;
}

std::int64_t total(const RunCounts& counts) {
  return counts.blocked + counts.live() + counts.completed + counts.failed + counts.skipped +
         counts.cancelled;
}

}  // namespace

Status check_added(WorkingRun& working, const std::vector<TaskId>& after) {
  const Run& run = working.run();
  if (run.facts.kind != RunKind::open)
    return invalid_field("run_id",
                         fmt::format("is a {} run: its tasks are those of its definition or its code",
                                     to_string(run.facts.kind)));
  if (is_stopping(run) || is_closed(run.state))
    return Problem{ProblemCode::invalid_state,
                   fmt::format("the run is {} and takes no tasks", to_string(run.state))};
  const auto places = places_of(working, after);
  if (!places) return places.problem();
  return Done{};
}

Result<AddedNode> add_task(WorkingRun& working, const TaskAdded& task, const RunContext& context) {
  if (const Status allowed = check_added(working, task.after); !allowed) return allowed.problem();
  const Run& run = working.run();
  const auto after = places_of(working, task.after);
  const bool is_ready = std::all_of(after->begin(), after->end(), [&](NodeIndex index) {
    return working.node({.index = index}).state == NodeState::completed;
  });
  RunSteps steps{working, context};
  AddedNode added{.node = {.index = static_cast<NodeIndex>(total(run.counts))}};
  added.state = is_ready && run.state != RunState::paused ? NodeState::pending : NodeState::blocked;
  RunEventData data{.node = added.node, .node_id = to_string(task.task_id), .node_state = added.state};
  data.task_id = task.task_id;
  data.after = *after;
  steps.emit(RunEventType::task_scheduled, data);
  added.decision = steps.finish();
  return added;
}

namespace {

// The direct and indirect successors that were cancelled because these tasks did not complete.
std::set<NodeIndex> cancelled_behind(WorkingRun& working, std::deque<NodeIndex> ended) {
  std::set<NodeIndex> found;
  while (!ended.empty()) {
    for (const NodeIndex next : working.successors(ended.front())) {
      if (working.node({.index = next}).state == NodeState::cancelled && found.insert(next).second)
        ended.push_back(next);
    }
    ended.pop_front();
  }
  return found;
}

std::vector<NodeIndex> cancelled_for_it_alone(WorkingRun& working, NodeIndex failed) {
  const std::set<NodeIndex> of_it = cancelled_behind(working, {failed});
  std::deque<NodeIndex> others;
  for (const NodeKey key : working.all_keys()) {
    const NodeState state = working.node(key).state;
    const bool is_other = state == NodeState::failed ? key.index != failed : !of_it.contains(key.index);
    if (is_other && (state == NodeState::failed || state == NodeState::cancelled))
      others.push_back(key.index);
  }
  const std::set<NodeIndex> of_others = cancelled_behind(working, std::move(others));
  std::vector<NodeIndex> alone;
  std::set_difference(of_it.begin(), of_it.end(), of_others.begin(), of_others.end(),
                      std::back_inserter(alone));
  return alone;
}

Status check_retried(WorkingRun& working, NodeKey key) {
  const Run& run = working.run();
  if (run.facts.kind != RunKind::open)
    return Problem{ProblemCode::invalid_state,
                   fmt::format("the task is part of run {}, which has recorded its end: retry the run",
                               to_string(run.facts.id))};
  const std::string names =
      fmt::format("task {} is part of run {}", working.node_id(key), to_string(run.facts.id));
  const bool may_go_on = run.state == RunState::failed || !(is_closed(run.state) || is_stopping(run));
  if (!may_go_on)
    return Problem{ProblemCode::invalid_state, fmt::format("{}, which is {}: none of its tasks can continue",
                                                           names, to_string(run.state))};
  return Done{};
}

}  // namespace

Result<RunDecision> retry_task(WorkingRun& working, NodeKey key, const RunContext& context) {
  if (const Status allowed = check_retried(working, key); !allowed) return allowed.problem();
  const std::vector<NodeIndex> behind = cancelled_for_it_alone(working, key.index);
  RunSteps steps{working, context};
  if (working.run().state == RunState::failed) steps.emit(RunEventType::workflow_retried, steps.about(key));
  steps.take_back(key);
  for (const NodeIndex index : behind) steps.take_back({.index = index});
  return steps.finish();
}

}  // namespace pawl::core
