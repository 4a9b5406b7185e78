#include "core/task/task.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/ensure.hpp"
#include "core/base/enum_names.hpp"
#include "core/run/run.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, kTaskStatusCount> kTaskStatusNames{
    "blocked", "pending", "claimed", "running", "completed", "failed", "dead_letter", "cancelled"};
constexpr std::array<std::string_view, 6> kOutcomeNames{"completed",     "failed",   "timed_out",
                                                        "lease_expired", "released", "cancelled"};

// The first start of all attempts, stored or in progress.
std::optional<TimePoint> first_start(const TaskRecord& record, const std::vector<Attempt>& attempts) {
  for (const Attempt& attempt : attempts) {
    if (attempt.started_at) return attempt.started_at;
  }
  if (record.lease) return record.lease->started_at;
  return record.end ? record.end->started_at : std::nullopt;
}

TimePoint last_change(const TaskRecord& record, const std::vector<Attempt>& attempts) {
  TimePoint latest = record.facts.created_at;
  const auto consider = [&latest](std::optional<TimePoint> time) {
    if (time) latest = std::max(latest, *time);
  };
  if (!attempts.empty()) consider(attempts.back().finished_at);
  if (record.place == Place::ready) consider(record.available_at);
  if (record.lease) {
    consider(record.lease->acquired_at);
    consider(record.lease->started_at);
    consider(record.lease->heartbeat_at);
  }
  if (record.end) consider(record.end->finished_at);
  return latest;
}

}  // namespace

std::string_view to_string(TaskStatus status) {
  return kTaskStatusNames.at(static_cast<std::size_t>(status));
}

std::optional<TaskStatus> task_status_from(std::string_view name) {
  return enum_from<TaskStatus>(kTaskStatusNames, name);
}

std::string_view to_string(AttemptOutcome outcome) {
  return kOutcomeNames.at(static_cast<std::size_t>(outcome));
}

std::optional<AttemptOutcome> attempt_outcome_from(std::string_view name) {
  return enum_from<AttemptOutcome>(kOutcomeNames, name);
}

std::string operation_key(const Task& task) {
  if (!task.run_id) return to_string(task.id);
  return operation_key(*task.run_id, task.node_id.value_or(""));
}

std::string execution_key(const TaskId& id, int attempt) {
  return to_string(id) + ":" + std::to_string(attempt);
}

std::string execution_key(const Task& task, int attempt) {
  if (!task.run_id) return execution_key(task.id, attempt);
  return execution_key(*task.run_id, task.node_id.value_or(""), attempt);
}

LanePlace lane_place(std::int32_t priority, bool has_fairness_key) {
  // The defaults of a type are applied after the check of the task, so the priority may be out of range here.
  if (has_fairness_key)
    return {.priority = std::clamp(priority, kRankedBelow + 1, kRankedAbove - 1), .fair = true};
  if (priority > kLanePriorityMax) return {.priority = kRankedAbove, .fair = true};
  if (priority < -kLanePriorityMax) return {.priority = kRankedBelow, .fair = true};
  return {.priority = priority};
}

std::int64_t claim_rank(const Lane& lane) {
  constexpr std::int64_t kBeyond = 2 * std::int64_t{kLanePriorityMax} + 1;
  if (!lane.is_ranked()) return 2 * std::int64_t{lane.priority};
  return lane.priority == kRankedAbove ? kBeyond : -kBeyond;
}

Turn turn_of_rank(std::int32_t priority, TimePoint available_at) {
  constexpr int kSecondsBits = 31;
  constexpr std::int64_t kSecondsMax = (std::int64_t{1} << kSecondsBits) - 1;
  const std::int64_t from_highest = std::int64_t{std::numeric_limits<std::int32_t>::max()} - priority;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(available_at.time_since_epoch()).count();
  return (from_highest << kSecondsBits) + std::clamp<std::int64_t>(seconds, 0, kSecondsMax);
}

std::int32_t priority_of(const TaskRecord& record) {
  if (!record.lane->is_ranked()) return record.lane->priority;
  return record.facts.fairness ? static_cast<std::int32_t>(record.facts.fairness->weight) : 0;
}

TimePoint lane_time(const TaskRecord& record) {
  return record.turn ? time_from_micros(*record.turn) : record.available_at;
}

bool stands_before(const TaskRecord& a, const TaskRecord& b) {
  const TimePoint left = lane_time(a);
  const TimePoint right = lane_time(b);
  return left != right ? left < right : a.id < b.id;
}

bool overtakes(const TaskRecord& joining, const TaskRecord& waiting) {
  if (!has_had_turn(joining)) return false;
  return !has_had_turn(waiting) || joining.id < waiting.id;
}

Task view_of(const TaskRecord& record, const std::vector<Attempt>& attempts) {
  PAWL_ENSURE(record.has_facts && record.lane != nullptr, "a task is shown with all its facts");
  Task task{.id = record.id,
            .ns = record.lane->ns,
            .queue = record.lane->queue,
            .type = record.lane->type,
            .status = record.status,
            .priority = priority_of(record),
            .key = record.facts.key,
            .idempotency_key = record.facts.idempotency_key,
            .payload = record.facts.payload,
            .attempt = record.progress.attempt,
            .retry = record.facts.retry,
            .timeout = record.facts.timeout,
            .labels = record.facts.labels,
            .available_at = record.available_at,
            .created_at = record.facts.created_at,
            .started_at = first_start(record, attempts),
            .updated_at = last_change(record, attempts)};
  if (record.lane->is_shared()) task.fairness = record.facts.fairness;
  if (record.facts.run) {
    task.run_id = record.facts.run->run_id;
    task.node_id = record.facts.run->node_id;
    task.traceparent = record.facts.run->traceparent;
  }
  if (record.facts.trace) {
    task.traceparent = record.facts.trace->traceparent;
    task.tracestate = record.facts.trace->tracestate;
  }
  if (!attempts.empty()) {
    task.claimed_at = attempts.back().claimed_at;
    task.error = attempts.back().error;
  }
  if (record.lease) {
    task.claimed_at = record.lease->acquired_at;
    task.cancel_requested = record.lease->cancel_requested;
    task.lease = LeaseView{.worker_id = record.lease->worker_id,
                           .fence = record.progress.fence,
                           .acquired_at = record.lease->acquired_at,
                           .expires_at = record.lease->expires_at,
                           .heartbeat_at = last_sign_of(*record.lease),
                           .renewals = record.lease->renewals};
  }
  if (record.end) {
    if (record.end->claimed_at) task.claimed_at = record.end->claimed_at;
    task.finished_at = record.end->finished_at;
    task.output = record.end->output;
    task.error = record.end->error;
  }
  return task;
}

std::vector<AttemptView> attempts_of(const TaskRecord& record, const std::vector<Attempt>& stored) {
  std::vector<AttemptView> attempts;
  attempts.reserve(stored.size() + 1);
  for (const Attempt& attempt : stored) {
    attempts.push_back({.attempt = attempt.attempt,
                        .fence = attempt.fence,
                        .worker_id = attempt.worker_id,
                        .claimed_at = attempt.claimed_at,
                        .started_at = attempt.started_at,
                        .finished_at = attempt.finished_at,
                        .outcome = attempt.outcome,
                        .status_after = attempt.status_after,
                        .error = attempt.error});
  }
  if (record.lease) {
    attempts.push_back({.attempt = record.progress.attempt,
                        .fence = record.progress.fence,
                        .worker_id = record.lease->worker_id,
                        .claimed_at = record.lease->acquired_at,
                        .started_at = record.lease->started_at});
  } else if (record.status == TaskStatus::completed && record.end && record.end->claimed_at) {
    attempts.push_back({.attempt = record.progress.attempt,
                        .fence = record.end->fence,
                        .worker_id = record.end->worker_id,
                        .claimed_at = *record.end->claimed_at,
                        .started_at = record.end->started_at,
                        .finished_at = record.end->finished_at,
                        .outcome = AttemptOutcome::completed,
                        .status_after = TaskStatus::completed});
  }
  return attempts;
}

}  // namespace pawl::core
