#pragma once
// Events of a run: the append-only log from which the run can be rebuilt.
//
// Invariants: the sequences of a run begin at 1 and have no gap. A payload contains everything that `apply`
// needs besides the definition. It is written as JSON with the fields of its event, and parsing it returns
// the same data.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/boxed.hpp"
#include "core/base/result.hpp"
#include "core/run/run.hpp"

namespace pawl::core {

enum class RunEventType : std::uint8_t {
  workflow_created,
  workflow_started,
  workflow_sleeping,
  workflow_woken,
  workflow_paused,
  workflow_resumed,
  workflow_completed,
  workflow_failed,
  workflow_cancelled,
  workflow_retried,
  task_scheduled,
  task_started,
  task_completed,
  task_failed,
  task_retrying,
  task_timed_out,
  task_skipped,
  task_cancelled,
  step_started,
  step_completed,
  step_failed,
  step_retrying,
  signal_received,
  signal_consumed,
  timer_set,
  timer_fired,
  child_started,
  child_finished,
  lease_expired,
  recovery_started,
  deadline_exceeded,
  compensation_triggered,
  compensation_completed,
  compensation_failed,
  checkpoint_written,
};
inline constexpr int kRunEventTypeCount = 35;
[[nodiscard]] std::string_view to_string(RunEventType type);
[[nodiscard]] std::optional<RunEventType> run_event_type_from(std::string_view name);

// The fields of all payloads; each event has those that it needs.
struct RunEventData {
  Boxed<RunFacts> run = {};  // of workflow_created
  // The state of the run after an event that moves it, unless the event's type determines it.
  std::optional<RunState> state = {};
  std::optional<std::string> reason = {};  // given by an operator
  bool requested = false;  // of workflow_cancelled: it is cancelled once everything has ended; of
                           // task_retrying: the task or its run was retried by hand

  std::optional<NodeKey> node = {};
  std::string node_id = {};
  NodeState node_state = NodeState::pending;  // of task_scheduled
  std::optional<TaskId> task_id = {};
  std::optional<RunId> child_id = {};
  std::optional<RunId> continued_as = {};  // of workflow_completed: the run that continues this one
  std::optional<std::uint32_t> items = {};
  std::vector<NodeIndex> after = {};  // of a task of an open run
  std::optional<NodeKey> undoes = {};
  int attempt = 0;
  std::string worker_id = {};
  RawJson output = {};
  std::optional<TaskError> error = {};
  std::optional<TimePoint> until = {};  // when a timer fires, a retry is due, a sleep ends
  bool is_kept = false;                 // a result copied from the run that this one was rewound from
  bool nothing_to_undo = false;         // of timer_set: a stop of the run need not wake the body
  bool is_deferral = false;             // of timer_set: the node is unchanged, a later commit continues it
  RunCost cost = {};                    // of this event and those before it, if that is much
  // On any event caused by a write of a body: the undos that its code has registered since the last such
  // event. Present but empty: none since then.
  std::optional<std::vector<std::string>> undos = {};

  std::string signal = {};  // its name
  std::optional<std::string> idempotency_key = {};
  std::int64_t signal_sequence = 0;  // of signal_consumed
  std::optional<std::string> custom_status = {};
  std::optional<StepKind> kind = {};      // of the first event of a step
  std::optional<RetryPolicy> retry = {};  // the same
  RawJson input = {};                     // of a step: for display only
  RawJson detail = {};                    // evidence that changes no state: steps, checkpoints, recoveries

  bool operator==(const RunEventData&) const = default;
};

// The type is system, worker, user, recovery or schedule.
struct EventActor {
  std::string type = "system";
  std::string id = {};

  bool operator==(const EventActor&) const = default;
};

struct RunEvent {
  std::int64_t sequence = 0;
  RunEventType type = RunEventType::workflow_created;
  TimePoint at = {};
  RunEventData data = {};
  std::optional<std::int64_t> caused_by = {};  // the sequence of an earlier event of the run
  EventActor actor = {};
  std::string trace_id = {};
  std::string span_id = {};

  bool operator==(const RunEvent&) const = default;
};

// Derived, so that it needs no column: a run and a sequence identify one event permanently.
[[nodiscard]] std::string event_id(const RunId& run, const RunEvent& event);

// Computes the hash that an event must have. It covers the hash of the previous event, so that the log is a
// chain.
[[nodiscard]] std::string event_hash(const std::string& hash_before, const RunId& run, const RunEvent& event,
                                     const RawJson& payload);

[[nodiscard]] RawJson payload_of(const RunEventData& data);
// The text must be valid JSON; a payload with unknown or wrong fields is rejected by field.
[[nodiscard]] Result<RunEventData> parse_payload(std::string_view payload);

}  // namespace pawl::core
