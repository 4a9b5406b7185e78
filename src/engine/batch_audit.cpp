// Batch's part for the audit log and for idempotent commands (DoOnce).

#include <algorithm>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/records/idempotency.hpp"
#include "core/records/token.hpp"
#include "engine/batch.hpp"

namespace pawl::engine {

using core::Result;

// Writes one entry for the whole batch. A single enqueue gets none: docs/adr/0010-the-audit-is-a-chain.md.
void Batch::note_batch(const core::EnqueueTasks& command, const std::vector<core::Enqueued>& results) {
  const auto count =
      std::count_if(results.begin(), results.end(), [](const core::Enqueued& one) { return one.created; });
  core::AuditEntry entry =
      core::audit_of(command.by, command.ns, "task.enqueue", to_string(results.front().id));
  entry.detail = {fmt::format(R"({{"count":{}}})", count)};
  records_.note(std::move(entry));
}

// Records a single task with its id and outcome, and a page of a bulk change with its counts.
void Batch::note_moved(std::string_view action, const core::Actor& by, const std::string& ns,
                       const std::vector<core::TaskId>& ids,
                       const std::vector<Result<core::TaskMoved>>& results) {
  if (ids.empty()) return;
  const bool is_one = ids.size() == 1;
  core::AuditEntry entry =
      core::audit_of(by, ns, std::string{action}, is_one ? to_string(ids.front()) : std::string{});
  if (is_one && !results.front()) entry.outcome = core::kind_of(results.front().problem().code).name;
  if (!is_one) {
    const auto changed =
        std::count_if(results.begin(), results.end(), [](const auto& one) { return one.ok(); });
    entry.detail = {fmt::format(R"({{"matched":{},"changed":{}}})", ids.size(), changed)};
  }
  records_.note(std::move(entry));
}

// The queue of a task is known only under lock.
core::Status Batch::check_queue(const core::ReportTasks& command, const WorkingTask& task) {
  if (core::planted(core::Canary::token_queue_not_compared)) return core::Done{};
  core::Status allowed = core::check_queue(command.queues, task.record.lane->queue);
  if (!allowed) records_.note_denial(command.by, command.ns, to_string(task.record.id), allowed.problem());
  return allowed;
}

void Batch::lock_keys(const std::vector<const core::DoOnce*>& onces) {
  std::vector<core::RecordRef> refs;
  for (const core::DoOnce* once : onces) {
    if (once == nullptr) continue;
    if (once->takes.empty()) refs.push_back(core::idempotency_ref(once->ns, once->key));
    refs.insert(refs.end(), once->takes.begin(), once->takes.end());
  }
  records_.lock(std::move(refs));
}

// A deferred record is rejected in the same way as a record that no longer exists.
Result<std::optional<core::Replayed>> Batch::look_up_taken(const core::DoOnce& once) {
  const auto record = records_.find({once.takes.front()}).front();
  const bool is_due = record && record->expires_at && *record->expires_at <= tx_.now();
  if (is_due && once_.insert(once.takes.front()).second) return std::optional<core::Replayed>{};
  return core::Problem{.code = core::ProblemCode::already_completed,
                       .detail = "another node has executed this call"};
}

Result<std::optional<core::Replayed>> Batch::look_up(const core::DoOnce& once) {
  if (!once.takes.empty()) return look_up_taken(once);
  const core::RecordRef ref = core::idempotency_ref(once.ns, once.key);
  auto found = core::look_up(once, records_.find({ref}).front(), tx_.now());
  if (!found) return found.problem();
  if (*found) return std::optional{core::Replayed{std::move(**found)}};
  if (!once_.insert(ref).second) {
    return core::Problem{.code = core::ProblemCode::conflict,
                         .detail = "the first request with this idempotency key is still running"};
  }
  return std::optional<core::Replayed>{};
}

void Batch::keep(const core::DoOnce& once, const Result<core::Answer>& answer) {
  if (!answer || std::holds_alternative<core::Replayed>(*answer)) return;
  const auto response = once.keep(*answer);
  if (!response) return;
  if (once.takes.empty()) records_.change(core::kept(once, *response, tx_.now()));
  for (const core::RecordRef& ref : once.takes) records_.change({.ref = ref});
}

}  // namespace pawl::engine
