#include "engine/verify_run.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/run_check.hpp"

namespace pawl::engine {

namespace {

using core::NodeKey;
using core::RunEvent;
using core::RunEventType;

// Walks the log once. Uses only the events and the graph, and does not rely on invariants of the run machine.
class LogReader {
 public:
  LogReader(const store::StoredRun& stored, core::RunPlan plan, std::vector<RunFinding>& findings)
      : stored_(stored), plan_(plan), findings_(findings) {}

  void read() {
    for (const store::StoredEvent& stored : stored_.events) {
      const core::RunEventData& data = stored.event.data;
      note_items(data);
      switch (stored.event.type) {
        case RunEventType::task_scheduled:
        case RunEventType::child_started: note_begun(stored.event); break;
        case RunEventType::timer_set:
          note_begun(stored.event);
          if (data.node && data.until) timers_[*data.node] = *data.until;
          break;
        case RunEventType::timer_fired: note_fired(stored.event); break;
        case RunEventType::task_completed:
          note_completed(stored.event);
          note_ended(data, true);
          break;
        case RunEventType::task_skipped:
          if (data.state == core::RunState::compensating) {
            note_given_up(data);
          } else {
            note_ended(data, true);
          }
          break;
        case RunEventType::task_failed: note_ended(data, continues(data)); break;
        case RunEventType::step_completed: note_step(stored.event); break;
        case RunEventType::compensation_completed: note_undone(stored.event); break;
        case RunEventType::compensation_failed: note_not_undone(data); break;
        case RunEventType::workflow_retried: owe_again(); break;
        case RunEventType::signal_received: signals_[stored.event.sequence] = data.signal; break;
        case RunEventType::signal_consumed: note_consumed(stored.event); break;
        default: break;
      }
    }
    const std::size_t owed = to_undo_.size() + not_undone_.size();
    if (stored_.run.state == core::RunState::compensated && owed > 0)
      found("I28", fmt::format("it is compensated, and {} tasks are not undone", owed));
    check_owed_undos();
  }

 private:
  void found(const char* check, std::string message) {
    findings_.push_back({.check = check, .message = std::move(message)});
  }

  [[nodiscard]] bool is_of_graph(const core::RunEventData& data) const {
    return plan_.graph != nullptr && data.node && data.node->index < plan_.graph->size();
  }

  [[nodiscard]] bool continues(const core::RunEventData& data) const {
    return is_of_graph(data) && plan_.graph->continues_on_error(data.node->index);
  }

  void note_items(const core::RunEventData& data) {
    if (data.node && data.items) with_items_.insert(data.node->index);
  }

  void note_begun(const RunEvent& event) {
    const core::RunEventData& data = event.data;
    if (!is_of_graph(data) || data.node->item != core::kNoItem || data.is_kept) return;
    for (const core::NodeIndex before : plan_.graph->predecessors(data.node->index)) {
      if (!ended_.contains(before))
        found("I23", fmt::format("event {} starts '{}' before its predecessors have ended", event.sequence,
                                 data.node_id));
    }
  }

  void note_ended(const core::RunEventData& data, bool lets_go_on) {
    if (data.node && data.node->item == core::kNoItem && lets_go_on) ended_.insert(data.node->index);
  }

  void note_completed(const RunEvent& event) {
    const core::RunEventData& data = event.data;
    if (!is_of_graph(data) || !plan_.graph->compensation_of(data.node->index)) return;
    const bool is_whole = data.node->item == core::kNoItem && with_items_.contains(data.node->index);
    if (is_whole) return;
    to_undo_.push_back(*data.node);
    completed_.push_back(*data.node);
  }

  void note_step(const RunEvent& event) {
    if (!steps_.insert(event.data.node_id).second)
      found("I25", fmt::format("event {} completes step '{}' again", event.sequence, event.data.node_id));
  }

  void note_undone(const RunEvent& event) {
    if (stored_.run.facts.kind == core::RunKind::code) return note_step(event);  // its code defines the order
    if (to_undo_.empty() || event.data.undoes != to_undo_.back()) {
      found("I27", fmt::format("event {} does not compensate the task that completed last", event.sequence));
    } else {
      to_undo_.pop_back();
    }
  }

  // A compensation failed; the compensations of earlier tasks still run.
  void note_not_undone(const core::RunEventData& data) {
    if (to_undo_.empty() || data.undoes != to_undo_.back()) return;
    not_undone_.push_back(to_undo_.back());
    to_undo_.pop_back();
  }

  // A person skipped the compensation.
  void note_given_up(const core::RunEventData& data) {
    if (plan_.graph == nullptr) return;
    const auto is_given_up = [&](const NodeKey& key) {
      return plan_.graph->compensation_of(key.index) == data.node->index && key.item == data.node->item;
    };
    std::erase_if(not_undone_, is_given_up);
    std::erase_if(to_undo_, is_given_up);
  }

  // Retries the compensation: the task that completed last is undone first again.
  void owe_again() {
    to_undo_.insert(to_undo_.end(), not_undone_.begin(), not_undone_.end());
    not_undone_.clear();
    const auto place = [this](const NodeKey& key) {
      return std::find(completed_.begin(), completed_.end(), key) - completed_.begin();
    };
    std::sort(to_undo_.begin(), to_undo_.end(),
              [&](const NodeKey& a, const NodeKey& b) { return place(a) < place(b); });
  }

  // A code run that ended without its registered compensations must be compensation_failed or terminated.
  void check_owed_undos() {
    const core::Run& run = stored_.run;
    const bool has_stopped =
        run.state == core::RunState::compensated || run.state == core::RunState::cancelled;
    const bool is_late =
        run.state == core::RunState::failed && run.error && run.error->code == "deadline_exceeded";
    const bool is_terminated = run.error && run.error->code == "terminated";
    if ((!has_stopped && !is_late) || is_terminated) return;
    for (const core::Node& node : stored_.nodes) {
      const bool is_done = node.state == core::NodeState::completed || node.state == core::NodeState::skipped;
      if (node.kind == core::StepKind::compensation && !is_done)
        found("I28", fmt::format("it is {}, and '{}' did not run", to_string(run.state), node.name));
    }
  }

  void note_fired(const RunEvent& event) {
    const auto timer = event.data.node ? timers_.find(*event.data.node) : timers_.end();
    if (timer == timers_.end()) return found("I36", fmt::format("event {} fires no timer", event.sequence));
    if (event.at < timer->second)
      found("I36", fmt::format("event {} fires a timer that was not due", event.sequence));
    timers_.erase(timer);
  }

  void note_consumed(const RunEvent& event) {
    const auto signal = signals_.find(event.data.signal_sequence);
    if (signal == signals_.end())
      return found("I35", fmt::format("event {} consumes a signal twice, or none", event.sequence));
    for (const auto& [sequence, name] : signals_) {
      if (sequence < signal->first && name == signal->second)
        found("I35", fmt::format("event {} consumes a signal before one created earlier", event.sequence));
    }
    signals_.erase(signal);
  }

  const store::StoredRun& stored_;
  core::RunPlan plan_;
  std::vector<RunFinding>& findings_;
  std::set<core::NodeIndex> ended_;
  std::set<core::NodeIndex> with_items_;
  std::set<std::string> steps_;      // completed ones
  std::vector<NodeKey> to_undo_;     // in the order of completion
  std::vector<NodeKey> not_undone_;  // their compensations failed
  std::vector<NodeKey> completed_;   // all tasks with a compensation, in the order of completion
  std::map<NodeKey, core::TimePoint> timers_;
  std::map<std::int64_t, std::string> signals_;  // not consumed yet
};

bool can_end(const core::Node& node) {
  if (core::has_ended(node.state)) return false;
  return node.task_id || node.child_id || node.timer_at || !node.awaits.empty();
}

// Whether something can wake a body that waits: a timer, a signal, or as many live steps as it needs.
bool can_wake(const core::Node& body, const std::vector<core::Node>& nodes) {
  if (body.timer_at || !body.awaits.empty()) return true;
  if (!body.has_lead || body.unmet == 0) return false;
  const auto live = std::count_if(nodes.begin(), nodes.end(), [](const core::Node& node) {
    return node.key != core::kBodyKey && can_end(node);
  });
  return live >= std::int64_t{body.unmet};
}

// I46: something must be able to advance an unfinished run: a timer, a lease, a signal, a child or a person.
std::optional<std::string> stuck_because(const store::StoredRun& stored) {
  const core::Run& run = stored.run;
  if (core::is_closed(run.state) || run.state == core::RunState::paused) return std::nullopt;
  if (run.facts.kind == core::RunKind::open || run.state == core::RunState::created) return std::nullopt;
  if (run.facts.kind == core::RunKind::graph) {
    const bool moves = std::any_of(stored.nodes.begin(), stored.nodes.end(), [](const core::Node& node) {
      return !core::has_ended(node.state) && (node.state != core::NodeState::blocked || node.timer_at);
    });
    return moves ? std::nullopt : std::optional<std::string>{"none of its tasks is under way"};
  }
  const auto body = std::find_if(stored.nodes.begin(), stored.nodes.end(),
                                 [](const core::Node& node) { return node.key == core::kBodyKey; });
  if (body == stored.nodes.end() || !body->task_id) return "its body has no task";
  const bool cannot_wake = body->state == core::NodeState::waiting && !can_wake(*body, stored.nodes);
  return cannot_wake ? std::optional<std::string>{"no timer, signal or step can wake its body"}
                     : std::nullopt;
}

}  // namespace

std::vector<RunFinding> findings_of(const store::StoredRun& stored, core::RunPlan plan) {
  const RunFindings seen = look_at_run(stored, plan);
  std::vector<RunFinding> findings;
  const auto add = [&findings](const char* check, const std::vector<std::string>& messages) {
    for (const std::string& message : messages) findings.push_back({.check = check, .message = message});
  };
  add("I19", seen.gaps);
  add("I20", seen.replay);
  add("I21", seen.chain);
  add("I24", seen.standing);
  LogReader{stored, plan, findings}.read();
  if (const auto why = stuck_because(stored))
    findings.push_back(
        {.check = "I46", .message = fmt::format("it is {}, and {}", to_string(stored.run.state), *why)});
  return findings;
}

}  // namespace pawl::engine
