#include "core/task/task_machine.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/ensure.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, kTaskEventCount> kEventNames{
    "unblocked",   "claimed",   "started",  "renewed",   "cancel_requested", "completed",       "failed",
    "rescheduled", "exhausted", "released", "cancelled", "revived",          "revived_in_line", "held"};

// After this many losses within one budget a task is suspected of killing its workers: further attempts back
// off like failures, instead of going to the next worker immediately.
constexpr int kLossesBeforeBackoff = 2;

Place place_for(TaskStatus status, TimePoint available_at, TimePoint now) {
  switch (status) {
    case TaskStatus::blocked: return Place::waiting;
    case TaskStatus::pending:
      return available_at <= now || planted(Canary::due_time_ignored) ? Place::ready : Place::scheduled;
    case TaskStatus::claimed:
    case TaskStatus::running: return Place::leased;
    default: return Place::finished;
  }
}

// The record after `event`; the deciders below fill in the other changes.
TaskChange step(const TaskRecord& record, TaskEvent event, TimePoint available_at, TimePoint now) {
  const auto next = next_status(record.status, event);
  PAWL_ENSURE(next.has_value(), "deciders only take events that the table has");
  return TaskChange{.event = event,
                    .status = *next,
                    .place = place_for(*next, available_at, now),
                    .progress = record.progress,
                    .available_at = available_at};
}

Attempt attempt_of(const TaskRecord& record, AttemptOutcome outcome, TaskStatus status_after,
                   std::optional<TaskError> error, TimePoint now) {
  return Attempt{.attempt = record.progress.attempt,
                 .fence = record.progress.fence,
                 .worker_id = record.lease->worker_id,
                 .claimed_at = record.lease->acquired_at,
                 .started_at = record.lease->started_at,
                 .finished_at = now,
                 .outcome = outcome,
                 .status_after = status_after,
                 .error = std::move(error)};
}

TaskEnd end_of(const TaskRecord& record, std::optional<TaskError> error, TimePoint now) {
  TaskEnd end{.finished_at = now, .error = std::move(error)};
  if (record.lease) {
    end.worker_id = record.lease->worker_id;
    end.fence = record.progress.fence;
    end.claimed_at = record.lease->acquired_at;
    end.started_at = record.lease->started_at;
  }
  return end;
}

// Ends the attempt in progress with `event` and stores it.
TaskChange end_attempt(const TaskRecord& record, TaskEvent event, AttemptOutcome outcome,
                       const std::optional<TaskError>& error, TimePoint available_at, TimePoint now) {
  TaskChange change = step(record, event, available_at, now);
  change.attempt = attempt_of(record, outcome, change.status, error, now);
  if (is_terminal(change.status)) change.end = end_of(record, error, now);
  return change;
}

// Ends an attempt after any failure: cancelled if that was requested, rescheduled while attempts remain,
// otherwise exhausted or failed.
TaskChange fail_attempt(const TaskRecord& record, AttemptOutcome outcome, const TaskError& error,
                        Duration delay, TimePoint now) {
  if (record.lease->cancel_requested) {
    return end_attempt(record, TaskEvent::cancelled, AttemptOutcome::cancelled, error, record.available_at,
                       now);
  }
  if (!error.retryable || is_non_retryable(record.facts.retry, error.code)) {
    TaskError last = error;
    last.retryable = false;
    return end_attempt(record, TaskEvent::failed, outcome, last, record.available_at, now);
  }
  const int used = record.progress.attempt - record.progress.budget_from;
  if (is_used_up(record.facts.retry, used) && !planted(Canary::attempts_without_end)) {
    return end_attempt(record, TaskEvent::exhausted, outcome, error, record.available_at, now);
  }
  return end_attempt(record, TaskEvent::rescheduled, outcome, error, now + delay, now);
}

// Whether the lease has expired, not counting the time that the store's clock skipped since its last renewal.
bool is_expired(const Lease& lease, const Moment& moment) {
  return lease.expires_at <= moment.counted_from(last_sign_of(lease));
}

Problem stale(const TaskRecord& record, const Report& report, const std::string& worker_id,
              const Moment& moment) {
  const std::string id = to_string(record.id);
  std::string detail;
  if (report.fence != record.progress.fence) {
    detail = fmt::format("task {} is at fence {}, the request carried {}", id, record.progress.fence,
                         report.fence);
  } else if (record.lease && record.lease->worker_id != worker_id) {
    detail = fmt::format("task {} is not held by worker {}", id, worker_id);
  } else if (record.lease && is_expired(*record.lease, moment)) {
    detail = fmt::format("the lease on task {} ended at {}", id, format_time(record.lease->expires_at));
  } else {
    detail = fmt::format("task {} is {} and not leased", id, to_string(record.status));
  }
  return Problem{.code = ProblemCode::stale_lease, .detail = std::move(detail)};
}

// Whether `report` ended the attempt `past`. A requested cancel takes effect on a failure or a release; only
// the failure leaves an error.
bool report_led_to(const Report& report, const Attempt& past) {
  const bool is_cancelled = past.outcome == AttemptOutcome::cancelled;
  const bool is_timeout = past.outcome == AttemptOutcome::timed_out && report.error.code == kTimeoutCode;
  switch (report.action) {
    case ReportAction::complete: return past.outcome == AttemptOutcome::completed;
    case ReportAction::fail:
      return past.outcome == AttemptOutcome::failed || is_timeout || (is_cancelled && past.error);
    case ReportAction::release:
      return past.outcome == AttemptOutcome::released || (is_cancelled && !past.error);
    default: return false;
  }
}

// Answers a report about an ended attempt: with the same answer again if this report ended it.
Result<ReportDecision> decide_repeat(const TaskRecord& record, const std::string& worker_id,
                                     const Report& report, const Attempt* past, const Moment& moment) {
  const auto again = [&](TaskStatus status) {
    return ReportDecision{.answer = {.task_id = record.id, .status = status}, .change = std::nullopt};
  };
  // A forced end raised the fence: no report caused it, so none can be a repetition.
  const bool is_forced =
      record.end && record.end->fence == report.fence && record.progress.fence != report.fence;
  if (is_forced) return stale(record, report, worker_id, moment);
  if (past != nullptr && past->worker_id == worker_id && report_led_to(report, *past)) {
    return again(past->status_after);
  }
  if (record.end && record.end->worker_id == worker_id && record.end->fence == report.fence) {
    if (report.action == ReportAction::complete && record.status == TaskStatus::completed)
      return again(record.status);
    return Problem{
        .code = ProblemCode::already_completed,
        .detail = fmt::format("task {} is {} already", to_string(record.id), to_string(record.status))};
  }
  return stale(record, report, worker_id, moment);
}

Duration lease_length(const Lease& lease) {
  return lease.expires_at - lease.heartbeat_at.value_or(lease.acquired_at);
}

TaskChange decide_heartbeat(const TaskRecord& record, const Report& report, TimePoint now) {
  TaskChange change = step(record, TaskEvent::renewed, record.available_at, now);
  change.lease = record.lease;
  const Duration length = report.lease.value_or(lease_length(*record.lease));
  change.lease->expires_at = now + length;
  change.lease->heartbeat_at = now;
  ++change.lease->renewals;
  if (planted(Canary::cancel_forgotten)) change.lease->cancel_requested = false;
  return change;
}

TaskChange decide_start(const TaskRecord& record, TimePoint now) {
  TaskChange change = step(record, TaskEvent::started, record.available_at, now);
  change.lease = record.lease;
  if (!change.lease->started_at) {
    change.lease->started_at = now;
    // A worker may claim more tasks than it runs: the attempt's timeout counts from the start that the worker
    // reports.
    if (change.lease->timeout) change.lease->timeout_at = now + *change.lease->timeout;
  }
  return change;
}

TaskChange decide_complete(const TaskRecord& record, const Report& report, TimePoint now) {
  TaskChange change = step(record, TaskEvent::completed, record.available_at, now);
  change.end = end_of(record, std::nullopt, now);
  change.end->output = report.output;
  return change;
}

TaskChange decide_fail(const TaskRecord& record, const Report& report, const Moment& moment) {
  const int used = record.progress.attempt - record.progress.budget_from;
  const Duration delay = report.retry_after.value_or(retry_delay(record.facts.retry, used, moment.chance));
  // A worker that ends an attempt at its timeout does so shortly before the sweep would.
  const bool is_timeout = record.lease->timeout && report.error.code == kTimeoutCode;
  return fail_attempt(record, is_timeout ? AttemptOutcome::timed_out : AttemptOutcome::failed, report.error,
                      delay, moment.now);
}

TaskChange decide_release(const TaskRecord& record, TimePoint now) {
  if (record.lease->cancel_requested) {
    return end_attempt(record, TaskEvent::cancelled, AttemptOutcome::cancelled, std::nullopt,
                       record.available_at, now);
  }
  TaskChange change =
      end_attempt(record, TaskEvent::released, AttemptOutcome::released, std::nullopt, now, now);
  if (!planted(Canary::release_spends_attempt)) --change.progress.attempt;  // the attempt is not spent
  return change;
}

RawJson boundary_snapshot(const TaskRecord& record, const TaskError& error) {
  return RawJson{fmt::format(R"({{"error":{},"code":{},"retry":{},"worker_id":{},"fence":{}}})",
                             json_quote(error.message), json_quote(error.code),
                             record.progress.attempt - record.progress.budget_from,
                             json_quote(record.lease->worker_id), record.progress.fence)};
}

// Ends an attempt by force: with evidence, and with a higher fence, so that a late report is rejected.
TaskChange force_end(const TaskRecord& record, AttemptOutcome outcome, const TaskError& error, Duration delay,
                     TimePoint now) {
  TaskChange change = fail_attempt(record, outcome, error, delay, now);
  change.error_boundary = boundary_snapshot(record, error);
  if (!planted(Canary::fence_not_raised)) ++change.progress.fence;  // a forced release
  return change;
}

TaskChange lose_attempt(const TaskRecord& record, std::string why, const Moment& moment) {
  const int used = record.progress.attempt - record.progress.budget_from;
  Duration delay = retry_delay(record.facts.retry, used, moment.chance);
  if (used <= kLossesBeforeBackoff) delay = Duration{0};
  const TaskError error{.code = "worker_lost", .message = std::move(why)};
  return force_end(record, AttemptOutcome::lease_expired, error, delay, moment.now);
}

TaskChange time_out(const TaskRecord& record, const Moment& moment) {
  const int used = record.progress.attempt - record.progress.budget_from;
  const TaskError error{.code = std::string{kTimeoutCode},
                        .message = "The attempt ran longer than its timeout"};
  return force_end(record, AttemptOutcome::timed_out, error,
                   retry_delay(record.facts.retry, used, moment.chance), moment.now);
}

}  // namespace

std::string_view to_string(TaskEvent event) { return kEventNames.at(static_cast<std::size_t>(event)); }

std::optional<TaskStatus> next_status(TaskStatus from, TaskEvent event) {
  for (const TaskTransition& row : kTaskTransitions) {
    if (row.from == from && row.event == event) return row.to;
  }
  return std::nullopt;
}

void apply(TaskRecord& record, const TaskChange& change) {
  record.status = change.status;
  record.place = change.place;
  record.progress = change.progress;
  record.available_at = change.available_at;
  record.lease = change.lease;
  record.end = change.end;
  if (record.place != Place::ready) record.turn.reset();
}

TaskRecord new_task(const TaskId& id, const Lane& lane, const TaskSpec& spec, TimePoint now,
                    bool first_in_line) {
  TaskRecord record;
  record.id = id;
  record.lane = &lane;
  record.available_at = spec.run_at ? std::max(*spec.run_at, now) : now + spec.delay.value_or(Duration{0});
  record.facts = TaskFacts{.key = spec.key,
                           .idempotency_key = spec.idempotency_key,
                           .payload = spec.payload,
                           .takes_run_input = spec.takes_run_input,
                           .retry = spec.retry,
                           .timeout = spec.timeout,
                           .labels = spec.labels,
                           .created_at = now};
  if (spec.fairness_key)
    record.facts.fairness = Fairness{.key = *spec.fairness_key, .weight = spec.fairness_weight.value_or(1)};
  if (lane.is_ranked())
    record.facts.fairness = Fairness{.key = "", .weight = static_cast<double>(spec.priority)};
  record.has_facts = true;
  record.status = first_in_line ? TaskStatus::pending : TaskStatus::blocked;
  record.place = place_for(record.status, record.available_at, now);
  return record;
}

namespace {

// A group has one time. It may then wait for a lock and claim a task that another group has released
// meanwhile. Such a claim begins when the task became available, not before the end of the previous attempt.
// The bound is longer than any wait of a group: a clock that was set back by more does not lengthen leases.
TimePoint claim_time(const TaskRecord& record, TimePoint now) {
  constexpr Duration kGroupMax = std::chrono::seconds{15};
  const bool is_behind = now < record.available_at && record.available_at - now <= kGroupMax;
  return is_behind ? record.available_at : now;
}

}  // namespace

TaskChange decide_claim(const TaskRecord& record, const std::string& worker_id, Duration lease,
                        TimePoint now) {
  TaskChange change = step(record, TaskEvent::claimed, record.available_at, now);
  // Counted here and not at the end, so that a crash spends the attempt.
  if (!planted(Canary::attempt_not_counted)) ++change.progress.attempt;
  ++change.progress.fence;  // makes a late report of the last holder recognizable
  const TimePoint from = claim_time(record, now);
  change.lease = Lease{.worker_id = worker_id,
                       .acquired_at = from,
                       .expires_at = from + lease,
                       .timeout = record.facts.timeout};
  if (record.facts.timeout) change.lease->timeout_at = from + *record.facts.timeout;
  return change;
}

Result<ReportDecision> decide_report(const TaskRecord& record, const std::string& worker_id,
                                     const Report& report, const Attempt* past, const Moment& moment) {
  const bool is_its_fence = record.progress.fence == report.fence || planted(Canary::fence_not_checked);
  const bool is_holder = record.lease && record.lease->worker_id == worker_id && is_its_fence &&
                         (!is_expired(*record.lease, moment) || planted(Canary::expiry_not_checked));
  if (!is_holder) return decide_repeat(record, worker_id, report, past, moment);

  std::optional<TaskChange> change;
  switch (report.action) {
    case ReportAction::heartbeat: change = decide_heartbeat(record, report, moment.now); break;
    case ReportAction::start: change = decide_start(record, moment.now); break;
    case ReportAction::complete: change = decide_complete(record, report, moment.now); break;
    case ReportAction::fail: change = decide_fail(record, report, moment); break;
    case ReportAction::release: change = decide_release(record, moment.now); break;
  }
  ReportAnswer answer{.task_id = record.id, .status = change->status};
  if (change->lease) {
    answer.lease_expires_at = change->lease->expires_at;
    answer.cancel_requested = change->lease->cancel_requested;
  }
  return ReportDecision{.answer = answer, .change = std::move(change)};
}

Status check_fence(const TaskRecord& record, std::int64_t fence, const Moment& moment) {
  const bool is_holder = record.lease && record.progress.fence == fence && !is_expired(*record.lease, moment);
  if (is_holder) return Done{};
  return stale(record, {.fence = fence}, record.lease ? record.lease->worker_id : std::string{}, moment);
}

TaskChange decide_suspend(const TaskRecord& record, TimePoint now) {
  TaskChange change = step(record, TaskEvent::released, now, now);
  ++change.progress.budget_from;  // the attempt is not spent, and its number is not reused
  return change;
}

Result<TaskChange> decide_cancel(const TaskRecord& record, TimePoint now) {
  if (is_terminal(record.status)) {
    return Problem{
        .code = ProblemCode::already_completed,
        .detail = fmt::format("task {} is {} already", to_string(record.id), to_string(record.status))};
  }
  if (is_leased(record.status)) {
    TaskChange change = step(record, TaskEvent::cancel_requested, record.available_at, now);
    change.lease = record.lease;
    change.lease->cancel_requested = true;
    return change;
  }
  TaskChange change = step(record, TaskEvent::cancelled, record.available_at, now);
  change.end = end_of(record, std::nullopt, now);
  return change;
}

std::optional<TaskChange> decide_revoke(const TaskRecord& record, TimePoint now) {
  if (is_terminal(record.status)) return std::nullopt;
  if (!is_leased(record.status)) return *decide_cancel(record, now);
  const TaskError error{.code = "terminated", .message = "The run was terminated", .retryable = false};
  TaskChange change =
      end_attempt(record, TaskEvent::cancelled, AttemptOutcome::cancelled, error, record.available_at, now);
  ++change.progress.fence;
  return change;
}

Result<TaskChange> decide_revive(const TaskRecord& record, bool first_in_line, TimePoint now) {
  const TaskEvent event = first_in_line ? TaskEvent::revived : TaskEvent::revived_in_line;
  if (!next_status(record.status, event)) {
    return Problem{
        .code = ProblemCode::invalid_state,
        .detail = fmt::format("task {} is {}: only failed and dead_letter tasks go back to pending",
                              to_string(record.id), to_string(record.status))};
  }
  TaskChange change = step(record, event, now, now);
  if (!planted(Canary::dead_letter_keeps_its_budget)) change.progress.budget_from = change.progress.attempt;
  return change;
}

TaskChange decide_unblock(const TaskRecord& record, TimePoint now) {
  return step(record, TaskEvent::unblocked, std::max(record.available_at, now), now);
}

std::optional<TaskChange> decide_hold(const TaskRecord& record, TimePoint now) {
  if (!next_status(record.status, TaskEvent::held)) return std::nullopt;
  return step(record, TaskEvent::held, record.available_at, now);
}

std::optional<TaskChange> decide_sweep(const TaskRecord& record, std::int64_t fence, const Moment& moment) {
  if (!record.lease) return std::nullopt;
  if (record.progress.fence != fence && !planted(Canary::rescue_without_compare)) return std::nullopt;
  const Lease& lease = *record.lease;
  const bool is_timed_out =
      lease.timeout_at &&
      *lease.timeout_at <= moment.counted_from(lease.started_at.value_or(lease.acquired_at));
  const bool is_trusted = planted(Canary::rescue_without_compare) && !is_timed_out;
  const bool is_over = is_expired(lease, moment) || is_trusted;
  if (!is_over && !is_timed_out) return std::nullopt;

  return is_over ? lose_attempt(record, "Lease expired - no heartbeat received", moment)
                 : time_out(record, moment);
}

std::optional<TaskChange> decide_evict(const TaskRecord& record, const EvictFrom& from,
                                       const Moment& moment) {
  const bool is_held = record.lease && record.lease->worker_id == from.worker_id;
  if (!is_held || from.eviction == Eviction::none) return std::nullopt;
  const TimePoint last_sign = last_sign_of(*record.lease);
  const Duration skipped = moment.now - moment.counted_from(last_sign);
  if (last_sign + skipped > from.spared_after) return std::nullopt;
  if (from.eviction == Eviction::recover) return lose_attempt(record, "The worker is offline", moment);
  TaskChange change = decide_release(record, moment.now);
  ++change.progress.fence;
  return change;
}

TaskChange decide_set_aside(const TaskRecord& record, TimePoint now) {
  return TaskChange{.event = TaskEvent::unblocked,
                    .status = record.status,
                    .place = Place::scheduled,
                    .progress = record.progress,
                    .available_at = now + kSetAsideFor};
}

std::optional<TaskChange> decide_promote(const TaskRecord& record, TimePoint now) {
  if (record.place != Place::scheduled || record.available_at > now) return std::nullopt;
  return TaskChange{.event = TaskEvent::unblocked,
                    .status = record.status,
                    .place = Place::ready,
                    .progress = record.progress,
                    .available_at = record.available_at};
}

}  // namespace pawl::core
