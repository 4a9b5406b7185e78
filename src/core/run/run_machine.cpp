// Begins a run, applies the outcomes of its tasks, and ends it.
#include "core/run/run_machine.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/json/json_value.hpp"
#include "core/json/json_writer.hpp"
#include "core/run/run_steps.hpp"

namespace pawl::core {

RunDecision RunSteps::finish() {
  drain();
  settle_run();
  if (!was_closed_ && is_closed(run().state) && run().facts.parent && !run().continued_as) {
    const RunParent& parent = *run().facts.parent;
    effect(TellParent{.parent_id = parent.run_id,
                      .outcome = {.child_id = run().facts.id,
                                  .node = parent.node,
                                  .state = run().state,
                                  .output = run().output,
                                  .error = run().error}});
  }
  return std::move(decision_);
}

void RunSteps::settle_run() {
  if (is_code()) return settle_code();
  if (is_stopping(run())) {
    if (run().counts.live() == 0) conclude();
    return;
  }
  if (run().state != RunState::running && run().state != RunState::sleeping) return;
  if (run().facts.kind == RunKind::open) return settle_open();
  if (run().remaining == 0) return complete_run();
  sleep_if_only_waiting();
}

// While the body of a code run waits, of its steps only tasks and children make progress. They are examined
// when the body begins to wait, and not again for each of many steps that end meanwhile.
bool RunSteps::only_waits() {
  const RunCounts& counts = run().counts;
  if (counts.waiting == 0) return false;
  if (counts.pending + counts.running == 0) return true;
  const auto& events = decision_.events;
  const bool begins = std::any_of(events.begin(), events.end(), [](const RunEvent& event) {
    return event.type == RunEventType::timer_set && event.data.node == kBodyKey;
  });
  if (!is_code() || !begins || working_.node(kBodyKey).state != NodeState::waiting) return false;
  const std::vector<NodeKey> keys = working_.live_keys();
  return std::none_of(keys.begin(), keys.end(), [&](NodeKey key) {
    const Node& node = working_.node(key);
    return node.task_id && (node.state == NodeState::pending || node.state == NodeState::running);
  });
}

void RunSteps::sleep_if_only_waiting() {
  if (run().state == RunState::running && only_waits())
    emit(RunEventType::workflow_sleeping, {.until = working_.earliest_timer()});
}

void RunSteps::settle_open() {
  const RunCounts& counts = run().counts;
  const std::int64_t not_completed = counts.failed + counts.cancelled;
  if (!run().facts.auto_complete || run().remaining > 0 || counts.completed + not_completed == 0) return;
  if (not_completed == 0) return complete_run();
  const TaskError error{.code = "task_failed",
                        .message = fmt::format("{} of {} tasks did not complete", not_completed,
                                               counts.completed + not_completed),
                        .retryable = false};
  emit(RunEventType::workflow_failed, {.error = error});
}

void RunSteps::complete_run() {
  wake();
  RunEventData data;
  const Evaluated<RawJson> output = output_of_run();
  if (output) {
    data.output = *output;
  } else {
    data.error = output.problem();  // all work is done: an output that cannot be rendered undoes nothing
  }
  if (next_) data.continued_as = next_->next_id;
  emit(RunEventType::workflow_completed, std::move(data));
  if (next_) effect(*std::exchange(next_, std::nullopt));
}

Evaluated<RawJson> RunSteps::output_of_run() {
  const Definition* definition = working_.plan().definition;
  if (is_code()) return working_.node(kBodyKey).output;
  if (definition == nullptr) return RawJson{};
  if (definition->output.empty()) return default_output();
  return render(definition->output, lookup({}), Missing::is_null);
}

// Null if it would exceed the size or the depth of a payload: no template requests it.
RawJson RunSteps::default_output() {
  const Graph& graph = *working_.plan().graph;
  Writer out;
  out.begin_object();
  std::size_t bytes = 0;
  for (NodeIndex index = 0; index < graph.size(); ++index) {
    if (graph.is_compensation(index) || !graph.successors(index).empty()) continue;
    const Node& node = working_.node({.index = index});
    const bool has_some = node.state == NodeState::failed && !node.output.empty();  // of a for_each
    if (node.state != NodeState::completed && !has_some) continue;
    out.field(definition_of(node.key).id, node.output);
    bytes += node.output.text.size() + definition_of(node.key).id.size();
    if (bytes > kPayloadBytesMax) return {};
  }
  out.end_object();
  RawJson output{out.take()};
  return depth_of(output.text) > kJsonDepthMax ? RawJson{} : output;
}

RunDecision start_run(WorkingRun& working, const RunFacts& facts, const RunContext& context) {
  RunSteps steps{working, context};
  steps.emit(RunEventType::workflow_created, {.run = facts});
  steps.emit(RunEventType::workflow_started);
  steps.start_first();
  return steps.finish();
}

RunDecision note_evidence(WorkingRun& working, RunEventType type, const RawJson& detail,
                          const RunContext& context) {
  RunSteps steps{working, context};
  steps.emit(type, {.detail = detail});
  return steps.finish();
}

namespace {

TaskError error_of(const TaskOutcome& outcome) {
  if (outcome.error) return *outcome.error;
  if (outcome.kind == TaskOutcomeKind::cancelled)
    return {.code = "cancelled", .message = "the task was cancelled", .retryable = false};
  return {.code = std::string{to_string(outcome.cause)}, .message = "the attempt did not complete"};
}

class OutcomeOfTask {
 public:
  OutcomeOfTask(RunSteps& steps, const TaskOutcome& outcome, bool was_asked_to_stop)
      : steps_(steps), outcome_(outcome), was_asked_to_stop_(was_asked_to_stop) {}

  void note() {
    switch (outcome_.kind) {
      case TaskOutcomeKind::started: return step(RunEventType::task_started);
      case TaskOutcomeKind::given_back: return hold_if_paused();
      case TaskOutcomeKind::retrying: return retry();
      case TaskOutcomeKind::completed: return complete();
      case TaskOutcomeKind::failed: note_cause(); return fail();
      case TaskOutcomeKind::cancelled: return cancel();
    }
  }

 private:
  [[nodiscard]] bool is_body() { return steps_.is_code() && outcome_.node == kBodyKey; }
  [[nodiscard]] bool is_compensation() { return steps_.working().is_compensation(outcome_.node); }

  RunEventData data() {
    RunEventData data = steps_.about(outcome_.node);
    data.task_id = outcome_.task_id;
    data.attempt = outcome_.attempt;
    data.worker_id = outcome_.worker_id;
    data.error = outcome_.error;
    data.until = outcome_.retry_at;
    return data;
  }

  void step(RunEventType type) { steps_.emit(type, data()); }

  void note_cause() {
    if (outcome_.cause == AttemptOutcome::lease_expired) step(RunEventType::lease_expired);
    if (outcome_.cause == AttemptOutcome::timed_out) step(RunEventType::task_timed_out);
  }

  void retry() {
    note_cause();
    step(RunEventType::task_retrying);
    hold_if_paused();
  }

  void hold_if_paused() {
    if (steps_.run().state == RunState::paused) steps_.effect(HoldTask{outcome_.task_id});
  }

  void complete() {
    // The body did not notice the stop: it runs again to undo.
    const bool is_failing = steps_.run().state == RunState::failing;
    if (is_body() && is_failing && was_asked_to_stop_) return steps_.enqueue_body();
    if (is_body() && outcome_.continue_as_new)
      return steps_.continue_as_new(*outcome_.continue_as_new, outcome_.attempt);
    if (!is_compensation()) return steps_.complete_node(outcome_.node, outcome_.output, outcome_.attempt);
    RunEventData undone = data();
    undone.output = outcome_.output;
    undone.undoes = steps_.run().undo_top;
    const bool is_last = steps_.run().undoable == 1;
    const bool is_undone = is_last && steps_.owed_undos().empty();
    if (is_undone) undone.state = RunState::compensated;
    steps_.emit(RunEventType::compensation_completed, undone);
    if (!is_undone) steps_.undo_next();
  }

  void fail() {
    if (is_body() && outcome_.cause == AttemptOutcome::lease_expired)
      return steps_.lose_body(error_of(outcome_), outcome_.attempt);
    if (is_compensation()) return steps_.fail_undoing(outcome_.node, error_of(outcome_), outcome_.attempt);
    steps_.fail_node(outcome_.node, error_of(outcome_), outcome_.attempt);
  }

  // Cancelled by the run, or by another caller: then it counts as a failure.
  void cancel() {
    if (is_compensation()) return fail();
    if (is_body() && (is_stopping(steps_.run()) || was_asked_to_stop_)) {
      // A body that was released has spent no attempt.
      const bool has_begun = outcome_.attempt > 0 || steps_.has_steps();
      const bool has_nothing_to_do = !has_begun || steps_.may_drop_body();
      if (has_nothing_to_do && is_stopping(steps_.run())) return steps_.cancel_node(outcome_.node);
      // A body that was claimed and lost, or that waited, unwinds by its own code. An error other than
      // worker_lost shows that it has done so.
      const bool has_unwound = outcome_.error && outcome_.error->code != "worker_lost";
      if (has_unwound && is_stopping(steps_.run())) return steps_.fail_node(outcome_.node, *outcome_.error);
      return steps_.enqueue_body();
    }
    if (steps_.is_code() && was_asked_to_stop_ && !is_stopping(steps_.run())) return fail();
    if (is_stopping(steps_.run())) return steps_.cancel_node(outcome_.node);
    if (!was_asked_to_stop_) return fail();
    // The run was retried meanwhile.
    if (steps_.run().facts.kind == RunKind::open) return steps_.take_back(outcome_.node);
    steps_.begin(outcome_.node);
  }

  RunSteps& steps_;
  const TaskOutcome& outcome_;
  bool was_asked_to_stop_;
};

}  // namespace

RunDecision decide_task(WorkingRun& working, const TaskOutcome& outcome, const RunContext& context) {
  RunSteps steps{working, context};
  const Node* node = working.find(outcome.node);
  if (node == nullptr || node->task_id != outcome.task_id || has_ended(node->state)) return steps.finish();
  const bool is_terminated = working.run().state == RunState::cancelled;
  if (is_terminated) return steps.finish();
  OutcomeOfTask{steps, outcome, node->since < working.run().stopped_at}.note();
  return steps.finish();
}

}  // namespace pawl::core
