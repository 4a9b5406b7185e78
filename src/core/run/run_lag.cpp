#include "core/run/run_lag.hpp"

#include <algorithm>

#include "core/base/limits.hpp"

namespace pawl::core {

namespace {

// The body, or a step that no timer and no task refers to.
bool is_plain(WorkingRun& working, const RunEventData& data) {
  if (!data.node) return true;
  if (data.node == kBodyKey) return true;
  const Node& step = working.node(*data.node);
  return step.kind == StepKind::function || step.kind == StepKind::marker;
}

bool is_plain(WorkingRun& working, const RunEvent& event) {
  switch (event.type) {
    case RunEventType::task_started:
    case RunEventType::step_started:
    case RunEventType::step_completed:
    case RunEventType::step_failed:
    case RunEventType::checkpoint_written: return is_plain(working, event.data);
    default: return false;
  }
}

}  // namespace

RunRowMark mark_of(const Run& run) {
  return {.sequence = run.sequence, .updated_at = run.updated_at, .is_retrying = is_retrying(run)};
}

bool may_lag(const RunRowMark& row, WorkingRun& working, std::span<const RunEvent> events) {
  const Run& run = working.run();
  if (row.sequence == 0 || run.facts.kind != RunKind::code || run.state != RunState::running) return false;
  if (row.is_retrying != is_retrying(run)) return false;
  if (run.sequence - row.sequence > kLagEventsMax || run.updated_at - row.updated_at > kLagMax) return false;
  if (!working.changed_signals().empty()) return false;
  const Node* body = working.find(kBodyKey);
  if (body == nullptr || body->state == NodeState::waiting) return false;
  return std::all_of(events.begin(), events.end(),
                     [&](const RunEvent& event) { return is_plain(working, event); });
}

bool may_be_bare(const RunRowMark& row, const WorkingRun& working) {
  const Run& run = working.run();
  if (run.facts.kind != RunKind::code || run.sequence > kLagEventsMax) return false;
  if (working.earliest_changed_timer()) return false;
  return row.sequence > 0 ? row.is_bare && is_closed(run.state) : run.state == RunState::running;
}

}  // namespace pawl::core
