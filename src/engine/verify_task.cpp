#include "engine/verify_task.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pawl::engine {

namespace {

using core::Attempt;
using core::Place;
using core::TaskRecord;
using core::TaskStatus;

class Findings {
 public:
  void expect(bool holds, const char* check, std::string message) {
    if (!holds) findings_.push_back({.check = check, .message = std::move(message)});
  }
  [[nodiscard]] std::vector<TaskFinding> take() { return std::move(findings_); }

 private:
  std::vector<TaskFinding> findings_;
};

// I04: one holder at a time. I05: fences rise.
void look_at_attempts(const store::StoredTask& task, Findings& findings) {
  const TaskRecord& record = task.record;
  const Attempt* last = nullptr;
  for (const Attempt& attempt : task.attempts) {
    if (last != nullptr) {
      findings.expect(
          attempt.claimed_at >= last->finished_at, "I04",
          fmt::format("the claim with fence {} began before the one before it had ended", attempt.fence));
      findings.expect(attempt.fence > last->fence, "I05",
                      fmt::format("fence {} follows fence {}", attempt.fence, last->fence));
    }
    last = &attempt;
  }
  if (last == nullptr) return;
  findings.expect(last->fence <= record.progress.fence, "I05",
                  fmt::format("an attempt has fence {}, the task {}", last->fence, record.progress.fence));
  if (!record.lease) return;
  findings.expect(record.lease->acquired_at >= last->finished_at, "I04",
                  "the lease began before the attempt before it had ended");
  findings.expect(last->fence < record.progress.fence, "I05",
                  fmt::format("the lease has the fence {} of an attempt that ended", last->fence));
}

// I01: the facts of the task are readable.
void look_at_facts(const TaskRecord& record, Findings& findings) {
  const auto unreadable = record.facts.labels.find(std::string{core::kUnreadableLabel});
  if (unreadable != record.facts.labels.end())
    findings.expect(false, "I01", fmt::format("its {} cannot be read", unreadable->second));
  findings.expect(record.facts.payload.empty() || !core::json_error(record.facts.payload.text), "I01",
                  "its payload is not JSON");
}

// I10: attempts are counted, and no more than were granted.
void look_at_counts(const store::StoredTask& task, Findings& findings) {
  const core::Progress& progress = task.record.progress;
  const auto spent = std::count_if(task.attempts.begin(), task.attempts.end(), [](const Attempt& attempt) {
    return attempt.outcome != core::AttemptOutcome::released;
  });
  findings.expect(spent <= progress.attempt, "I10",
                  fmt::format("{} attempts ended, {} are counted", spent, progress.attempt));
  // The current attempt and the one that completed have no row. Nor has one in which a body suspended;
  // `budget_from` counts those.
  const TaskStatus status = task.record.status;
  const int without_row = core::is_leased(status) || status == TaskStatus::completed ? 1 : 0;
  findings.expect(progress.budget_from > 0 || spent >= progress.attempt - without_row, "I10",
                  fmt::format("{} attempts are counted, and {} of them are stored", progress.attempt, spent));
  const int used = progress.attempt - progress.budget_from;
  const int granted = task.record.facts.retry.max_attempts;
  findings.expect(used >= 0 && (granted < 0 || used <= granted), "I10",
                  fmt::format("{} attempts of {} are used", used, granted));
}

// I14: exactly the leased tasks have a lease, and exactly the ended tasks have an end.
void look_at_place(const TaskRecord& record, Findings& findings) {
  const bool is_leased = core::is_leased(record.status);
  const bool has_ended = core::is_terminal(record.status);
  findings.expect(is_leased == record.lease.has_value() && is_leased == (record.place == Place::leased),
                  "I14",
                  fmt::format("the task is {} and {} a lease", core::to_string(record.status),
                              record.lease ? "has" : "has not"));
  findings.expect(has_ended == record.end.has_value() && has_ended == (record.place == Place::finished),
                  "I14",
                  fmt::format("the task is {} and {} an end", core::to_string(record.status),
                              record.end ? "has" : "has not"));
}

// I37: a failed task has an error, and a dead one has used all its attempts.
void look_at_end(const TaskRecord& record, Findings& findings) {
  if (record.status != TaskStatus::dead_letter && record.status != TaskStatus::failed) return;
  findings.expect(record.end && record.end->error, "I37", "the failed task has no error");
  if (record.status == TaskStatus::failed) return;
  const int used = record.progress.attempt - record.progress.budget_from;
  const int granted = record.facts.retry.max_attempts;
  findings.expect(granted >= 0 && used >= granted, "I37",
                  fmt::format("the task is a dead letter after {} of {} attempts", used, granted));
}

}  // namespace

std::vector<TaskFinding> findings_of(const store::StoredTask& task) {
  Findings findings;
  look_at_facts(task.record, findings);
  look_at_attempts(task, findings);
  look_at_counts(task, findings);
  look_at_place(task.record, findings);
  look_at_end(task.record, findings);
  return findings.take();
}

}  // namespace pawl::engine
