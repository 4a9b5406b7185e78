#include "tests/sim/checker.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pawl::sim {

using core::Answer;
using core::Place;
using core::Result;

Operation operation_of(core::ReportAction action) {
  switch (action) {
    case core::ReportAction::heartbeat: return Operation::heartbeat;
    case core::ReportAction::start: return Operation::start;
    case core::ReportAction::complete: return Operation::complete;
    case core::ReportAction::fail: return Operation::fail;
    case core::ReportAction::release: break;
  }
  return Operation::release;
}

void Checker::begin_execution(int node, std::span<const CallPtr> calls) {
  ++tally_.groups;
  node_ = node;
  group_.assign(calls.begin(), calls.end());
  faults_in_execution_ = 0;
  is_reply_lost_ = false;
}

TrueTime Checker::true_time() const { return {.now = scheduler_.now(), .small_steps = clock_.small_steps()}; }

// Calls that are already answered are not part of the new transaction.
void Checker::on_begin(const StoreTime& time) {
  begun_ = time;
  for (const CallPtr& call : group_) call->is_done = call->has_answer;
}

void Checker::on_fault(bool is_lost_reply) {
  ++faults_in_execution_;
  is_reply_lost_ = is_reply_lost_ || is_lost_reply;
}

void Checker::on_commit(const store::WriteSet& writes, const StoreTime& time) {
  ++tally_.commits;
  model_.begin(time, true_time());
  Model::Created created;
  for (const store::TaskWrite& write : writes.tasks) {
    if (!write.is_new) continue;
    i02_was_asked_for(*write.record);
    created.emplace_back(*Model::number_in(write.record->facts.payload), write.record->id);
  }
  for (const CallPtr& call : group_) {
    if (call->is_done || call->is_claim()) continue;  // claims are served last
    call->expected = model_.apply(call->command, created);
    call->is_committed = true;
  }
  for (const auto& [number, id] : created) {
    if (model_.submission(number)->task != id)
      broken(Invariant::i03, "a second task was made for one enqueue", id);
  }
  model_.advance_lines();
  i04_leases_last();
  i13_found_in_time();

  std::vector<ModelTask*> written = model_.touched();
  for (const store::TaskWrite& write : writes.tasks) {
    ModelTask* task = model_.find(write.record->id);
    if (task == nullptr) broken(Invariant::i02, "a row that no enqueue of the group made", write.record->id);
    if (task->touched_in != model_.transaction()) written.push_back(task);
  }
  for (ModelTask* task : written) {
    const auto row = store_.find_task(task->id);
    if (!row) broken(Invariant::i01, "a stored task is gone", task->id);
    if (row->record.status == TaskStatus::claimed && task->status == TaskStatus::pending)
      check_claim(*task, row->record);
    compare_row(*task, *row);
    model_.settle(*task);
    history_.mix(task->id);
    history_.mix(static_cast<std::uint64_t>(row->record.status) +
                 static_cast<std::uint64_t>(row->record.progress.fence) * 16);
    tell_task(*task, "stored");
  }
  for (const auto& [name, queue] : model_.queues()) {
    if (queue.claimed_in == model_.transaction()) i15_limits_hold(name, queue);
  }
}

void Checker::check_claim(ModelTask& task, const core::TaskRecord& record) {
  i04_one_holder(task);
  i11_may_be_claimed(task);
  i16_is_first_of_its_key(task);
  find_claim_for(task, record);
}

// A worker must have sent this node a claim for such a task, with this lease.
void Checker::find_claim_for(const ModelTask& task, const core::TaskRecord& record) {
  const std::string& worker = record.lease->worker_id;
  const Duration length = record.lease->expires_at - record.lease->acquired_at;
  const auto is_it = [&](const CallPtr& call) {
    const auto& claim = std::get<core::ClaimTasks>(call->command);
    const auto names = [](const std::vector<std::string>& list, const std::string& name) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    return call->node == node_ && claim.lease == length && names(claim.queues, record.lane->queue) &&
           (claim.types.empty() || names(claim.types, record.lane->type));
  };
  const auto open = open_claims_.find(worker);
  if (open == open_claims_.end() || std::none_of(open->second.begin(), open->second.end(), is_it)) {
    broken(Invariant::i04, "leased to " + worker + ", who did not ask for it", task.id);
  }
  model_.claim(*model_.find(task.id), worker, length);
}

void Checker::compare_row(ModelTask& task, const store::StoredTask& row) {
  const core::TaskRecord& record = row.record;
  i06_stale_had_no_effect(task, row);
  i07_i09_status(task, record.status);
  i05_fence_rises(task, record.progress.fence);
  i10_attempts(task, row);
  i14_leased_iff_running(task, record);
  i08_one_end(task, record);
  const bool is_straddling = task.available_from <= model_.now() && model_.now() < task.available_to;
  i12_waits_as_policy_says(task, record);
  if (is_straddling && task.status == TaskStatus::pending) task.place = record.place;
  if (record.place != task.place) {
    const bool is_early = record.place == Place::ready && task.place == Place::scheduled;
    broken(is_early ? Invariant::i11 : Invariant::i09, "it stands in the wrong place", task.id);
  }
}

void Checker::claim_arrived(const CallPtr& call) {
  open_claims_[std::get<core::ClaimTasks>(call->command).worker_id].push_back(call);
}

void Checker::claim_left(const Call& call) {
  auto& open = open_claims_[std::get<core::ClaimTasks>(call.command).worker_id];
  std::erase_if(open, [&](const CallPtr& one) { return one->number == call.number; });
}

void Checker::on_refusal(const Call& call, const core::Problem& problem) {
  history_.mix(call.number);
  if (problem.code == core::ProblemCode::unavailable) return;  // the node is down
  if (const auto* enqueue = std::get_if<core::EnqueueTasks>(&call.command)) {
    tally_.did(Operation::enqueue, false);
    for (const core::TaskSpec& spec : enqueue->tasks)
      model_.submission(*Model::number_in(spec.payload))->is_refused = true;
  }
  if (call.is_claim()) tally_.did(Operation::claim, false);
  if (std::holds_alternative<core::SetQueue>(call.command)) tally_.did(Operation::set_queue, false);
}

void Checker::on_answer(Call& call, const Result<Answer>& answer) {
  history_.mix(call.number);
  history_.mix(static_cast<std::uint64_t>(scheduler_.now().count()));
  history_.mix(static_cast<std::uint64_t>(answer.ok() ? 0 : 1 + static_cast<int>(answer.problem().code)));
  tell(call, answer);
  if (!answer) {
    const bool is_explained =
        answer.problem().code == core::ProblemCode::unavailable && faults_in_execution_ > 0;
    if (!is_explained)
      throw Violation{Invariant::i09, "refused without a reason: " + answer.problem().detail};
    if (call.is_committed && !is_reply_lost_) {
      throw Violation{Invariant::i01, "committed, but reported to the caller as not committed"};
    }
    return;
  }
  if (call.is_claim()) {
    return check_claimed(std::get<core::ClaimTasks>(call.command),
                         std::get<std::vector<core::ClaimedTask>>(*answer));
  }
  if (!call.is_committed) {  // the transaction had nothing to write
    model_.begin(begun_, true_time());
    call.expected = model_.apply(call.command, {});
    if (!model_.touched().empty()) {
      broken(Invariant::i01, "a change was acknowledged and is not in the store",
             model_.touched().front()->id);
    }
  }
  compare_answer(call, *answer);
}

void Checker::compare_answer(const Call& call, const Answer& actual) {
  const Answer& expected = *call.expected;
  if (const auto* enqueue = std::get_if<core::EnqueueTasks>(&call.command)) {
    compare_enqueued(*enqueue, expected, actual);
  } else if (const auto* reports = std::get_if<core::ReportTasks>(&call.command)) {
    compare_reports(*reports, expected, actual);
  } else if (std::holds_alternative<core::SetQueue>(call.command)) {
    tally_.did(Operation::set_queue, true);
  } else if (const auto* swept = std::get_if<core::Swept>(&actual)) {
    const int found = static_cast<int>(core::weight_of(call.command));
    const bool is_sweep = std::holds_alternative<core::SweepLeases>(call.command);
    const Operation operation = is_sweep ? Operation::sweep : Operation::promote;
    if (swept->changed > 0) tally_.did(operation, true);
    if (swept->changed < found) tally_.did(operation, false);
    if (swept->changed != std::get<core::Swept>(expected).changed) {
      throw Violation{Invariant::i09, fmt::format("a sweep changed {} and should have changed {}",
                                                  swept->changed, std::get<core::Swept>(expected).changed)};
    }
  } else {
    compare_moves(call, expected, actual);
  }
}

void Checker::compare_enqueued(const core::EnqueueTasks& command, const Answer& expected,
                               const Answer& actual) {
  const auto& wanted = std::get<std::vector<core::Enqueued>>(expected);
  const auto& told = std::get<std::vector<core::Enqueued>>(actual);
  tally_.did(Operation::enqueue, true);
  for (std::size_t i = 0; i < command.tasks.size(); ++i) {
    Submission& asked = *model_.submission(*Model::number_in(command.tasks[i].payload));
    if (i >= told.size()) throw Violation{Invariant::i01, "an enqueue got no answer"};
    if (told[i] != wanted[i]) {
      const bool is_second = !wanted[i].created;
      broken(is_second ? Invariant::i03 : Invariant::i01, "an enqueue returned the id of another task",
             told[i].id);
    }
    asked.is_acknowledged = true;
    history_.mix(told[i].id);
    i01_is_kept(asked);
  }
}

void Checker::compare_reports(const core::ReportTasks& command, const Answer& expected,
                              const Answer& actual) {
  const auto& wanted = std::get<std::vector<Result<core::ReportAnswer>>>(expected);
  const auto& told = std::get<std::vector<Result<core::ReportAnswer>>>(actual);
  for (std::size_t i = 0; i < command.reports.size(); ++i) {
    const core::Report& report = command.reports[i];
    tally_.did(operation_of(report.action), told[i].ok());
    if (!wanted[i].ok()) i06_stale_changed_nothing(report, !told[i].ok());
    if (wanted[i].ok() != told[i].ok())
      broken(Invariant::i09, "a report of the holder was refused", report.task_id);
    const bool is_same =
        told[i].ok() ? *told[i] == *wanted[i] : told[i].problem().code == wanted[i].problem().code;
    if (!is_same)
      broken(Invariant::i09, "a report was answered with something else than what happened", report.task_id);
  }
}

void Checker::compare_moves(const Call& call, const Answer& expected, const Answer& actual) {
  const auto& wanted = std::get<std::vector<Result<core::TaskMoved>>>(expected);
  const auto& told = std::get<std::vector<Result<core::TaskMoved>>>(actual);
  const auto* cancels = std::get_if<core::CancelTasks>(&call.command);
  const auto& ids = cancels != nullptr ? cancels->ids : std::get<core::RetryTasks>(call.command).ids;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    tally_.did(cancels != nullptr ? Operation::cancel : Operation::retry, told[i].ok());
    bool is_same = told[i].ok() == wanted[i].ok();
    if (is_same && !told[i].ok()) is_same = told[i].problem().code == wanted[i].problem().code;
    if (is_same && told[i].ok()) {
      const ModelTask* task = model_.find(ids[i]);
      is_same = told[i]->cancel_requested == wanted[i]->cancel_requested &&
                (told[i]->status == wanted[i]->status || task->may_be_either);
    }
    if (!is_same)
      broken(Invariant::i09, "a cancel or retry was answered with something else than what happened", ids[i]);
  }
}

void Checker::check_claimed(const core::ClaimTasks& command, const std::vector<core::ClaimedTask>& claimed) {
  if (claimed.empty()) return;
  tally_.did(Operation::claim, true);
  if (claimed.size() > static_cast<std::size_t>(command.max))
    throw Violation{Invariant::i15, "a claim got more than it asked for"};
  for (const core::ClaimedTask& one : claimed) {
    ModelTask* task = model_.find(one.task.id);
    if (task == nullptr) broken(Invariant::i02, "a claim got a task that is not in the store", one.task.id);
    const bool is_leased = task->lease && one.task.lease && task->lease->worker == command.worker_id &&
                           task->fence == one.task.lease->fence;
    if (!is_leased) broken(Invariant::i04, "a claim returned a lease that is not in the store", one.task.id);
    if (task->fence_answered >= task->fence)
      broken(Invariant::i05, "one fence was given to two claims", one.task.id);
    task->fence_answered = task->fence;
    if (one.task.attempt != task->attempt)
      broken(Invariant::i10, "a claim returned another attempt", one.task.id);
    history_.mix(one.task.id);
  }
}

void Checker::on_execution(const core::ClaimedTask& claimed, const std::string& worker) {
  ++tally_.executions;
  ModelTask* task = model_.find(claimed.task.id);
  for (const auto& [fence, holder] : task->executions) {
    if (fence == claimed.task.lease->fence)
      broken(Invariant::i05, "two handlers ran with one fence", task->id);
  }
  task->executions.emplace_back(claimed.task.lease->fence, worker);
  tell_task(*task, "in the hands of its worker");
}

}  // namespace pawl::sim
