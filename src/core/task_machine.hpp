#pragma once
// The life of a task as one table, and the decisions that walk it. Pure: a decision looks at a record and
// returns the change; `apply` is the only place where a record's status is set.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/command.hpp"
#include "core/record.hpp"
#include "core/result.hpp"
#include "core/store_clock.hpp"
#include "core/task.hpp"

namespace pawl::core {

// The error of an attempt that ran longer than its timeout, whether a sweep or its worker ended it.
inline constexpr std::string_view kTimeoutCode = "timeout";

enum class TaskEvent : std::uint8_t {
  unblocked,         // first in its key's line now, or its run lets it go
  claimed,           // leased to a worker
  started,           // the worker began
  renewed,           // heartbeat
  cancel_requested,  // the holder is asked to stop
  completed,
  failed,       // and is not to be retried
  rescheduled,  // failed, timed out or lost, and tried again
  exhausted,    // failed, timed out or lost, and no attempt is left
  released,     // given back unspent
  cancelled,
  revived,          // retried by hand, its key is free
  revived_in_line,  // retried by hand, others of its key or of its run stand before it
  held,             // by its run, which is paused or lets others go first
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

// The status after `event`; nothing if the table has no such row.
[[nodiscard]] std::optional<TaskStatus> next_status(TaskStatus from, TaskEvent event);

// The inputs of a decision that are not in the record: store time, one draw in [0, 1) for jitter, and the
// steps of the store's clock.
struct Moment {
  TimePoint now;
  double chance = 0.5;
  const ClockState* clock = nullptr;  // none: it has not stepped

  // Store time less what was skipped since `time`, by which a lease that was renewed then is judged.
  [[nodiscard]] TimePoint counted_from(TimePoint time) const {
    return clock == nullptr ? now : now - jumped_since(*clock, time);
  }
};

// What a decision wants done to one task. Data, not calls.
struct TaskChange {
  TaskEvent event = TaskEvent::renewed;
  TaskStatus status = TaskStatus::pending;
  Place place = Place::ready;
  Progress progress = {};
  TimePoint available_at = {};
  std::optional<Lease> lease = {};
  std::optional<TaskEnd> end = {};
  std::optional<Attempt> attempt = {};          // to be stored
  std::optional<RawJson> error_boundary = {};   // snapshot of a checkpoint to be stored
  std::optional<RawJson> continue_as_new = {};  // for the run of a completed body
};

// Moves `record` to where `change` says. The attempt and the checkpoint are the caller's to store.
void apply(TaskRecord& record, const TaskChange& change);

// A task as it is first stored. `first_in_line`: it has no key, or nobody of its key stands before it; and no
// run holds it.
[[nodiscard]] TaskRecord new_task(const TaskId& id, const Lane& lane, TaskSpec spec, TimePoint now,
                                  bool first_in_line);

[[nodiscard]] TaskChange decide_claim(const TaskRecord& record, const std::string& worker_id, Duration lease,
                                      TimePoint now);

struct ReportDecision {
  ReportAnswer answer;
  std::optional<TaskChange> change;  // none for a report that repeats an earlier one
};
// `past`: the stored attempt of the report's fence, if the task's present fence is another one.
[[nodiscard]] Result<ReportDecision> decide_report(const TaskRecord& record, const std::string& worker_id,
                                                   const Report& report, const Attempt* past,
                                                   const Moment& moment);

// Whether the task is leased under this fence.
[[nodiscard]] Status check_fence(const TaskRecord& record, std::int64_t fence, const Moment& moment);
// Given back unspent, by one who holds it and goes on later: nothing to be stored of the attempt.
[[nodiscard]] TaskChange decide_suspend(const TaskRecord& record, TimePoint now);

[[nodiscard]] Result<TaskChange> decide_cancel(const TaskRecord& record, TimePoint now);
// Cancels a task, held or not. The fence rises, so that a late report of the holder is refused. Returns
// nothing for an ended task.
[[nodiscard]] std::optional<TaskChange> decide_revoke(const TaskRecord& record, TimePoint now);
[[nodiscard]] Result<TaskChange> decide_revive(const TaskRecord& record, bool first_in_line, TimePoint now);
[[nodiscard]] TaskChange decide_unblock(const TaskRecord& record, TimePoint now);
// Nothing for what is not pending.
[[nodiscard]] std::optional<TaskChange> decide_hold(const TaskRecord& record, TimePoint now);

// A lease that is over or an attempt that ran too long; nothing when the lease at `fence` is neither.
[[nodiscard]] std::optional<TaskChange> decide_sweep(const TaskRecord& record, std::int64_t fence,
                                                     const Moment& moment);

struct EvictFrom {
  std::string worker_id = {};
  Eviction eviction = Eviction::none;
  TimePoint spared_after = TimePoint::max();  // when it was claimed or renewed
};
// A leased task that is taken from its holder, whatever its lease says; nothing when that worker does not
// hold it, or is spared. A late report of the worker is refused: the fence rises.
[[nodiscard]] std::optional<TaskChange> decide_evict(const TaskRecord& record, const EvictFrom& from,
                                                     const Moment& moment);

// A task that is claimable and damaged (`is_damaged`) is set aside: it stays, and is tried again after a
// while, when its row may have been repaired.
inline constexpr Duration kSetAsideFor = std::chrono::hours{1};
[[nodiscard]] TaskChange decide_set_aside(const TaskRecord& record, TimePoint now);

// A scheduled task whose time has come; nothing otherwise.
[[nodiscard]] std::optional<TaskChange> decide_promote(const TaskRecord& record, TimePoint now);

}  // namespace pawl::core
