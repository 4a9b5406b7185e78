#include "engine/task_outcome.hpp"

namespace pawl::engine {

std::optional<core::TaskOutcome> outcome_of(const core::TaskRecord& record, core::TaskStatus before,
                                            const core::TaskChange& change) {
  core::TaskOutcome outcome{.node = record.facts.run->node,
                            .task_id = record.id,
                            .attempt = change.attempt ? change.attempt->attempt : change.progress.attempt};
  if (change.attempt) {
    outcome.cause = change.attempt->outcome;
    outcome.worker_id = change.attempt->worker_id;
    outcome.error = change.attempt->error;
  } else if (change.end) {
    outcome.worker_id = change.end->worker_id;
    outcome.error = change.end->error;
  }
  switch (change.event) {
    case core::TaskEvent::started:
      if (before == core::TaskStatus::running) return std::nullopt;
      outcome.kind = core::TaskOutcomeKind::started;
      outcome.worker_id = change.lease->worker_id;
      return outcome;
    case core::TaskEvent::completed:
      outcome.kind = core::TaskOutcomeKind::completed;
      outcome.output = change.end->output;
      outcome.continue_as_new = change.continue_as_new;
      return outcome;
    case core::TaskEvent::failed:
    case core::TaskEvent::exhausted: outcome.kind = core::TaskOutcomeKind::failed; return outcome;
    case core::TaskEvent::rescheduled:
    case core::TaskEvent::released:
      outcome.kind = change.event == core::TaskEvent::released && before != core::TaskStatus::running
                         ? core::TaskOutcomeKind::given_back
                         : core::TaskOutcomeKind::retrying;
      outcome.retry_at = change.available_at;
      return outcome;
    case core::TaskEvent::cancelled: outcome.kind = core::TaskOutcomeKind::cancelled; return outcome;
    default: return std::nullopt;
  }
}

}  // namespace pawl::engine
