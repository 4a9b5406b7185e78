#pragma once
// The state machine of a task: one transition table, and the decisions that follow it. Pure: a decision reads
// a record and returns the change; only `apply` sets a record's status.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/result.hpp"
#include "core/base/store_clock.hpp"
#include "core/records/record.hpp"
#include "core/task/command.hpp"
#include "core/task/task.hpp"

namespace pawl::core {

// The error of an attempt that ran longer than its timeout, whether a sweep or its worker ended it.
inline constexpr std::string_view kTimeoutCode = "timeout";

enum class TaskEvent : std::uint8_t {
  unblocked,         // first in its key line now, or freed by its run
  claimed,           // leased to a worker
  started,           // the worker has started it
  renewed,           // heartbeat
  cancel_requested,  // the holder must stop
  completed,
  failed,       // and will not be retried
  rescheduled,  // failed, timed out or lost, and will be retried
  exhausted,    // failed, timed out or lost, and no attempt remains
  released,     // released without spending the attempt
  cancelled,
  revived,          // retried by hand, its key is free
  revived_in_line,  // retried by hand, other tasks of its key or of its run come first
  held,             // by its run, which is paused or starts others first
};
inline constexpr int kTaskEventCount = 14;

[[nodiscard]] std::string_view to_string(TaskEvent event);

struct TaskTransition {
  TaskStatus from;
  TaskEvent event;
  TaskStatus to;
};

inline constexpr std::array kTaskTransitions{
    TaskTransition{TaskStatus::blocked, TaskEvent::unblocked, TaskStatus::pending},
    TaskTransition{TaskStatus::blocked, TaskEvent::cancelled, TaskStatus::cancelled},
    TaskTransition{TaskStatus::pending, TaskEvent::claimed, TaskStatus::claimed},
    TaskTransition{TaskStatus::pending, TaskEvent::cancelled, TaskStatus::cancelled},
    TaskTransition{TaskStatus::pending, TaskEvent::held, TaskStatus::blocked},
    TaskTransition{TaskStatus::claimed, TaskEvent::started, TaskStatus::running},
    TaskTransition{TaskStatus::claimed, TaskEvent::renewed, TaskStatus::claimed},
    TaskTransition{TaskStatus::claimed, TaskEvent::cancel_requested, TaskStatus::claimed},
    TaskTransition{TaskStatus::claimed, TaskEvent::completed, TaskStatus::completed},
    TaskTransition{TaskStatus::claimed, TaskEvent::failed, TaskStatus::failed},
    TaskTransition{TaskStatus::claimed, TaskEvent::rescheduled, TaskStatus::pending},
    TaskTransition{TaskStatus::claimed, TaskEvent::exhausted, TaskStatus::dead_letter},
    TaskTransition{TaskStatus::claimed, TaskEvent::released, TaskStatus::pending},
    TaskTransition{TaskStatus::claimed, TaskEvent::cancelled, TaskStatus::cancelled},
    TaskTransition{TaskStatus::running, TaskEvent::started, TaskStatus::running},
    TaskTransition{TaskStatus::running, TaskEvent::renewed, TaskStatus::running},
    TaskTransition{TaskStatus::running, TaskEvent::cancel_requested, TaskStatus::running},
    TaskTransition{TaskStatus::running, TaskEvent::completed, TaskStatus::completed},
    TaskTransition{TaskStatus::running, TaskEvent::failed, TaskStatus::failed},
    TaskTransition{TaskStatus::running, TaskEvent::rescheduled, TaskStatus::pending},
    TaskTransition{TaskStatus::running, TaskEvent::exhausted, TaskStatus::dead_letter},
    TaskTransition{TaskStatus::running, TaskEvent::released, TaskStatus::pending},
    TaskTransition{TaskStatus::running, TaskEvent::cancelled, TaskStatus::cancelled},
    TaskTransition{TaskStatus::failed, TaskEvent::revived, TaskStatus::pending},
    TaskTransition{TaskStatus::failed, TaskEvent::revived_in_line, TaskStatus::blocked},
    TaskTransition{TaskStatus::dead_letter, TaskEvent::revived, TaskStatus::pending},
    TaskTransition{TaskStatus::dead_letter, TaskEvent::revived_in_line, TaskStatus::blocked},
    TaskTransition{TaskStatus::cancelled, TaskEvent::revived_in_line, TaskStatus::blocked},  // with its run
};

constexpr bool is_deterministic(const auto& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = i + 1; j < table.size(); ++j) {
      if (table[i].from == table[j].from && table[i].event == table[j].event) return false;
    }
  }
  return true;
}
static_assert(is_deterministic(kTaskTransitions));

// The status after `event`; nullopt if the table has no such row.
[[nodiscard]] std::optional<TaskStatus> next_status(TaskStatus from, TaskEvent event);

// The inputs of a decision that are not in the record: store time, one draw in [0, 1) for jitter, and the
// steps of the store's clock.
struct Moment {
  TimePoint now;
  double chance = 0.5;
  const ClockState* clock = nullptr;  // null: it has not stepped

  // Store time minus the time skipped since `time`: a lease renewed at `time` is compared with it.
  [[nodiscard]] TimePoint counted_from(TimePoint time) const {
    return clock == nullptr ? now : now - jumped_since(*clock, time);
  }
};

// The change of one task that a decision requests. Data, not calls.
struct TaskChange {
  TaskEvent event = TaskEvent::renewed;
  TaskStatus status = TaskStatus::pending;
  Place place = Place::ready;
  Progress progress = {};
  TimePoint available_at = {};
  std::optional<Lease> lease = {};
  std::optional<TaskEnd> end = {};
  std::optional<Attempt> attempt = {};          // to store
  std::optional<RawJson> error_boundary = {};   // snapshot of a checkpoint to store
  std::optional<RawJson> continue_as_new = {};  // for the run of a completed body
};

// Applies `change` to `record`. The caller stores the attempt and the checkpoint.
void apply(TaskRecord& record, const TaskChange& change);

// A task as it is first stored. `first_in_line`: it has no key, or no task of its key comes before it; and no
// run holds it.
[[nodiscard]] TaskRecord new_task(const TaskId& id, const Lane& lane, const TaskSpec& spec, TimePoint now,
                                  bool first_in_line);

[[nodiscard]] TaskChange decide_claim(const TaskRecord& record, const std::string& worker_id, Duration lease,
                                      TimePoint now);

struct ReportDecision {
  ReportAnswer answer;
  std::optional<TaskChange> change;  // absent if the report repeats an earlier one
};
// `past`: the stored attempt with the report's fence, if the task's current fence is another one.
[[nodiscard]] Result<ReportDecision> decide_report(const TaskRecord& record, const std::string& worker_id,
                                                   const Report& report, const Attempt* past,
                                                   const Moment& moment);

// Whether the task is leased with this fence.
[[nodiscard]] Status check_fence(const TaskRecord& record, std::int64_t fence, const Moment& moment);
// Releases the lease without spending the attempt, for a holder that continues later. No attempt is stored.
[[nodiscard]] TaskChange decide_suspend(const TaskRecord& record, TimePoint now);

[[nodiscard]] Result<TaskChange> decide_cancel(const TaskRecord& record, TimePoint now);
// Cancels a task, held or not. The fence rises, so that a late report of the holder is rejected. Returns
// nullopt for an ended task.
[[nodiscard]] std::optional<TaskChange> decide_revoke(const TaskRecord& record, TimePoint now);
[[nodiscard]] Result<TaskChange> decide_revive(const TaskRecord& record, bool first_in_line, TimePoint now);
[[nodiscard]] TaskChange decide_unblock(const TaskRecord& record, TimePoint now);
// nullopt if the task is not pending.
[[nodiscard]] std::optional<TaskChange> decide_hold(const TaskRecord& record, TimePoint now);

// Ends an attempt whose lease has expired or that ran too long; nullopt if neither is true of the lease at
// `fence`.
[[nodiscard]] std::optional<TaskChange> decide_sweep(const TaskRecord& record, std::int64_t fence,
                                                     const Moment& moment);

struct EvictFrom {
  std::string worker_id = {};
  Eviction eviction = Eviction::none;
  TimePoint spared_after = TimePoint::max();  // a lease that was claimed or renewed later is spared
};
// Takes a leased task from its holder, whether the lease has expired or not; nullopt if that worker does not
// hold it or is spared. The fence rises, so that a late report of the worker is rejected.
[[nodiscard]] std::optional<TaskChange> decide_evict(const TaskRecord& record, const EvictFrom& from,
                                                     const Moment& moment);

// Sets a claimable task that is damaged (`is_damaged`) aside: it is kept, and retried after a while, when its
// row may have been repaired.
inline constexpr Duration kSetAsideFor = std::chrono::hours{1};
[[nodiscard]] TaskChange decide_set_aside(const TaskRecord& record, TimePoint now);

// Makes a scheduled task ready if its time has come; nullopt otherwise.
[[nodiscard]] std::optional<TaskChange> decide_promote(const TaskRecord& record, TimePoint now);

}  // namespace pawl::core
