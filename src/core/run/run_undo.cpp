// Undoes what a run has done, and decides whether everything is undone.
#include <algorithm>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/damage.hpp"
#include "core/run/run_steps.hpp"
#include "core/run/step.hpp"

namespace pawl::core {

namespace {

constexpr std::size_t kOwedShownMax = 20;  // compensations that an error names

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kOwedShownMax; ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kOwedShownMax ? text + ", …" : text;
}

// The body ended before its code reached the point that the run had reached.
bool ended_early(const Node& body) {
  return body.error && (body.error->code == kCodeChanged || body.error->code == "worker_lost");
}

}  // namespace

void RunSteps::begin_undoing(const std::optional<std::string>& reason) {
  emit(RunEventType::compensation_triggered, {.state = RunState::compensating, .reason = reason});
  if (is_code()) return enqueue_body();
  undo_next();
}

void RunSteps::undo_next() {
  if (!run().undo_top) return conclude_undoing();
  const Node& done = working_.node(*run().undo_top);
  const auto compensation = working_.plan().graph->compensation_of(done.key.index);
  // Only tasks with a compensation are in the undo chain.
  if (!compensation) throw DamagedRun{"run " + to_string(run().facts.id) + " undoes what cannot be undone"};
  const NodeKey key{.index = *compensation, .item = done.key.item};
  schedule(key, definition_of(key).activity, done.output);
}

// A failed compensation does not prevent the remaining ones from running.
void RunSteps::fail_undoing(NodeKey key, const TaskError& error, int attempt) {
  RunEventData data = about(key);
  data.state = RunState::compensating;
  data.attempt = attempt;
  data.error = error;
  data.undoes = run().undo_top;
  emit(RunEventType::compensation_failed, data);
  undo_next();
}

// In a code run, the compensations that were registered or begun and did not complete; in a graph run, the
// failed compensations. The next one to run is first.
std::vector<NodeKey> RunSteps::owed_undos() {
  std::vector<NodeKey> owed;
  for (const NodeKey key : working_.all_keys()) {
    if (!working_.is_compensation(key)) continue;
    const NodeState state = working_.node(key).state;
    const bool is_done = state == NodeState::completed || state == NodeState::skipped;
    if (state == NodeState::failed || (is_code() && !is_done)) owed.push_back(key);
  }
  std::sort(owed.begin(), owed.end(),
            [&](NodeKey a, NodeKey b) { return working_.node(a).since > working_.node(b).since; });
  return owed;
}

// Whether steps have completed whose undos, if the code has any, were never recorded.
bool RunSteps::may_owe_unknown_undos() {
  const Node& body = working_.node(kBodyKey);
  if (!ended_early(body)) return false;
  const std::vector<NodeKey> keys = working_.all_keys();
  return std::any_of(keys.begin(), keys.end(), [&](NodeKey key) {
    const Node& node = working_.node(key);
    return node.kind == StepKind::function && node.state == NodeState::completed &&
           node.since > body.undos_declared_at;
  });
}

std::vector<std::string> RunSteps::ids_of(const std::vector<NodeKey>& keys) {
  std::vector<std::string> ids;
  for (const NodeKey key : keys) ids.push_back(working_.node_id(key));
  return ids;
}

void RunSteps::fail_compensation(const std::vector<NodeKey>& owed) {
  std::string message;
  const Node* body = is_code() ? working_.find(kBodyKey) : nullptr;
  if (body != nullptr && ended_early(*body)) message = fmt::format("{}. ", body->error->message);
  std::size_t shown = 0;
  for (const NodeKey key : owed) {
    const Node& node = working_.node(key);
    if (node.state != NodeState::failed || !node.error || ++shown > kOwedShownMax) continue;
    message +=
        fmt::format("'{}' failed: {} ({}). ", working_.node_id(key), node.error->message, node.error->code);
  }
  if (owed.empty()) {
    message += "Completed steps whose undos are not recorded may not be undone";
  } else {
    message += fmt::format("Not undone ({}): {}", owed.size(), joined(ids_of(owed)));
  }
  const TaskError error{.code = "compensation_failed", .message = std::move(message), .retryable = false};
  emit(RunEventType::workflow_failed, {.state = RunState::compensation_failed, .error = error});
}

// Called when nothing more can be undone.
void RunSteps::conclude_undoing() {
  if (const std::vector<NodeKey> owed = owed_undos(); !owed.empty() && !planted(Canary::owed_undo_forgotten))
    return fail_compensation(owed);
  emit(RunEventType::workflow_failed, {.state = RunState::compensated, .error = run().error});
}

// Called when the body and everything that it began have ended.
void RunSteps::conclude_code() {
  std::optional<TaskError> error = run().error ? run().error : working_.node(kBodyKey).error;
  const std::vector<NodeKey> owed = owed_undos();
  const bool is_compensating = run().state == RunState::compensating;
  const bool was_stopped = run().cancel_requested || (error && error->code == "deadline_exceeded");
  const bool owes = !owed.empty() || (was_stopped && may_owe_unknown_undos());
  if ((is_compensating || was_stopped) && owes) return fail_compensation(owed);
  if (is_compensating) {
    emit(RunEventType::workflow_failed, {.state = RunState::compensated, .error = error});
  } else if (run().cancel_requested) {
    emit(RunEventType::workflow_cancelled, {.error = error});
  } else {
    if (error && owes) error->message += "; not undone: " + joined(ids_of(owed));
    emit(RunEventType::workflow_failed, {.error = error});
  }
}

}  // namespace pawl::core
