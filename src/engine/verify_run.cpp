#include "engine/verify_run.hpp"

#include <map>
#include <set>

#include <fmt/format.h>

#include "engine/run_check.hpp"

namespace pawl::engine {

namespace {

using core::NodeKey;
using core::RunEvent;
using core::RunEventType;

// Walks the log once, and knows of the run no more than the events and the graph say: what the run machine
// holds true is not asked.
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
        case RunEventType::task_skipped: note_ended(data, true); break;
        case RunEventType::task_failed: note_ended(data, continues(data)); break;
        case RunEventType::step_completed: note_step(stored.event); break;
        case RunEventType::compensation_completed: note_undone(stored.event); break;
        case RunEventType::signal_received: signals_[stored.event.sequence] = data.signal; break;
        case RunEventType::signal_consumed: note_consumed(stored.event); break;
        default: break;
      }
    }
    if (stored_.run.state == core::RunState::compensated && !to_undo_.empty())
      found("I28", fmt::format("it is compensated, and {} tasks are not undone", to_undo_.size()));
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
        found("I23", fmt::format("event {} begins '{}' before all that it comes after had ended",
                                 event.sequence, data.node_id));
    }
  }

  void note_ended(const core::RunEventData& data, bool lets_go_on) {
    if (data.node && data.node->item == core::kNoItem && lets_go_on) ended_.insert(data.node->index);
  }

  void note_completed(const RunEvent& event) {
    const core::RunEventData& data = event.data;
    if (!is_of_graph(data) || !plan_.graph->compensation_of(data.node->index)) return;
    const bool is_whole = data.node->item == core::kNoItem && with_items_.contains(data.node->index);
    if (!is_whole) to_undo_.push_back(*data.node);
  }

  void note_step(const RunEvent& event) {
    if (!steps_.insert(event.data.node_id).second)
      found("I25", fmt::format("event {} completes step '{}' again", event.sequence, event.data.node_id));
  }

  void note_undone(const RunEvent& event) {
    if (stored_.run.facts.kind == core::RunKind::code) return note_step(event);  // its code knows the order
    if (to_undo_.empty() || event.data.undoes != to_undo_.back()) {
      found("I27", fmt::format("event {} does not undo what was completed last", event.sequence));
    } else {
      to_undo_.pop_back();
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
        found("I35", fmt::format("event {} consumes a signal before an older one", event.sequence));
    }
    signals_.erase(signal);
  }

  const store::StoredRun& stored_;
  core::RunPlan plan_;
  std::vector<RunFinding>& findings_;
  std::set<core::NodeIndex> ended_;
  std::set<core::NodeIndex> with_items_;
  std::set<std::string> steps_;   // that have completed
  std::vector<NodeKey> to_undo_;  // in the order of completion
  std::map<NodeKey, core::TimePoint> timers_;
  std::map<std::int64_t, std::string> signals_;  // not consumed yet
};

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
  return findings;
}

}  // namespace pawl::engine
