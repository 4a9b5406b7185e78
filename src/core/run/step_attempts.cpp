// Derives the attempts at steps from the event log of a run.
#include <charconv>
#include <map>
#include <string_view>

#include "core/run/step.hpp"

namespace pawl::core {

namespace {

// When the attempt of the event began: the event may have been written later.
TimePoint began_at(const RunEvent& event) {
  constexpr std::string_view kTook = R"({"took_us":)";
  const std::string_view detail = event.data.detail.text;
  if (!detail.starts_with(kTook)) return event.at;
  std::int64_t took = 0;
  std::from_chars(detail.data() + kTook.size(), detail.data() + detail.size(), took);
  return event.at - Duration{took};
}

class AttemptsOf {
 public:
  void take(const RunEvent& event) {
    const RunEventData& data = event.data;
    if (!data.node || *data.node == kBodyKey) return;
    switch (event.type) {
      case RunEventType::step_started:
      case RunEventType::timer_set:
      case RunEventType::child_started:
      case RunEventType::task_scheduled: begin(event); return;
      case RunEventType::step_completed:
      case RunEventType::task_completed:
      case RunEventType::compensation_completed: end(event, NodeState::completed); return;
      case RunEventType::step_failed:
      case RunEventType::step_retrying:
      case RunEventType::task_failed:
      case RunEventType::compensation_failed: end(event, NodeState::failed); return;
      case RunEventType::task_cancelled: end(event, NodeState::cancelled); return;
      default: return;
    }
  }

  [[nodiscard]] std::vector<StepAttempt> all() && { return std::move(attempts_); }

 private:
  StepAttempt& add(const RunEvent& event) {
    const RunEventData& data = event.data;
    StepAttempt attempt{.step_id = data.node_id, .attempt = 1, .started_at = began_at(event)};
    if (data.kind) attempt.kind = *data.kind;
    if (const auto last = latest_.find(data.node_id); last != latest_.end()) {
      StepAttempt& before = attempts_[last->second];
      before.is_latest = false;
      attempt.kind = before.kind;
      attempt.attempt = before.attempt + 1;
    }
    if (data.attempt > 0) attempt.attempt = data.attempt;
    latest_[data.node_id] = attempts_.size();
    attempts_.push_back(std::move(attempt));
    return attempts_.back();
  }

  // The attempt in progress, or a new one.
  StepAttempt& open(const RunEvent& event) {
    const auto last = latest_.find(event.data.node_id);
    if (last == latest_.end() || has_ended(attempts_[last->second].state)) return add(event);
    return attempts_[last->second];
  }

  void begin(const RunEvent& event) {
    const bool starts_anew = event.type == RunEventType::step_started;
    StepAttempt& attempt = starts_anew ? add(event) : open(event);
    const bool waits =
        event.type != RunEventType::step_started || event.data.node_state == NodeState::waiting;
    attempt.state = waits ? NodeState::waiting : NodeState::running;
    if (!event.data.input.empty()) attempt.input = event.data.input;
    if (event.data.child_id) attempt.child_id = event.data.child_id;
  }

  void end(const RunEvent& event, NodeState state) {
    StepAttempt& attempt = open(event);
    attempt.state = state;
    attempt.output = event.data.output;
    attempt.error = event.data.error;
    attempt.finished_at = event.at;
    if (event.type == RunEventType::step_retrying) attempt.retry_at = event.data.until;
  }

  std::vector<StepAttempt> attempts_;
  std::map<std::string, std::size_t> latest_;
};

}  // namespace

std::vector<StepAttempt> step_attempts(std::span<const RunEvent> events) {
  AttemptsOf attempts;
  for (const RunEvent& event : events) attempts.take(event);
  return std::move(attempts).all();
}

}  // namespace pawl::core
