#include "engine/commands/report_tasks.hpp"

#include "core/base/canary.hpp"
#include "core/records/token.hpp"
#include "engine/commands/shared.hpp"

namespace pawl::engine {

using core::Result;

namespace {

bool may_end_lease(const core::Report& report) {
  return report.action != core::ReportAction::heartbeat && report.action != core::ReportAction::start;
}

// Checks the queues of the token. The queue of a task is known only under lock.
core::Status check_reported_queue(const core::ReportTasks& command, const WorkingTask& task,
                                  WorkingRecords& records) {
  if (core::planted(core::Canary::token_queue_not_compared)) return core::Done{};
  core::Status allowed = core::check_queue(command.queues, task.record.lane->queue);
  if (!allowed) records.note_denial(command.by, command.ns, to_string(task.record.id), allowed.problem());
  return allowed;
}

Result<core::ReportAnswer> execute_one(const core::ReportTasks& command, std::size_t index,
                                       GroupContext& group) {
  const core::Report& report = command.reports[index];
  if (const core::Status valid = core::check(report, index); !valid) return valid.problem();
  WorkingTask* task = group.tasks.find(command.ns, report.task_id);
  if (task == nullptr) return no_such_task(report.task_id);
  if (const core::Status allowed = check_reported_queue(command, *task, group.records); !allowed)
    return allowed.problem();
  // Only the retry after a failure is spread by chance.
  const core::Moment moment =
      report.action == core::ReportAction::fail ? group.moment() : group.moment_without_chance();
  auto decision = core::decide_report(task->record, command.worker_id, report,
                                      group.tasks.past_attempt(*task, report.fence), moment);
  if (!decision) return decision.problem();
  if (report.continue_as_new && report.action == core::ReportAction::complete) {
    if (!task->record.facts.run || !core::is_body_type(task->record.lane->type))
      return core::invalid_field("continue_as_new", "is for the body of a code run only");
    if (decision->change) decision->change->continue_as_new = report.continue_as_new;
  }
  if (decision->change)
    group.effects.change_task(*task, *decision->change, {.type = "worker", .id = command.worker_id});
  return decision->answer;
}

void count_one(core::ReportAction action, core::TaskStatus status, EngineStats& stats) {
  using core::TaskStatus;
  if (status == TaskStatus::completed) ++stats.tasks_completed;
  if (status == TaskStatus::failed || status == TaskStatus::dead_letter) ++stats.tasks_failed;
  if (status == TaskStatus::pending && action == core::ReportAction::fail) ++stats.tasks_retried;
}

}  // namespace

void needs(const core::ReportTasks& command, Needs& rows) {
  for (const core::Report& report : command.reports) {
    // Only a failure needs the retry policy; the lease alone decides the other reports.
    TaskNeed need{
        .task = {.id = report.task_id, .facts = report.action == core::ReportAction::fail},
        .line = may_end_lease(report),
        .run = report.action != core::ReportAction::heartbeat,
        .attempt = report.fence,
    };
    if (report.action == core::ReportAction::complete)
      need.task.hints.ended_lease = {.fence = report.fence, .worker_id = command.worker_id};
    rows.tasks.push_back(need);
  }
}

Result<core::Answer> execute(const core::ReportTasks& command, GroupContext& group) {
  std::vector<Result<core::ReportAnswer>> results;
  results.reserve(command.reports.size());
  for (std::size_t i = 0; i < command.reports.size(); ++i) results.push_back(execute_one(command, i, group));
  return core::Answer{std::move(results)};
}

void count_effects(const core::ReportTasks& command, const core::Answer& answer, EngineStats& stats) {
  const auto* const results = std::get_if<std::vector<Result<core::ReportAnswer>>>(&answer);
  if (results == nullptr) return;  // a replayed answer, counted the first time
  for (std::size_t i = 0; i < results->size(); ++i) {
    if ((*results)[i]) count_one(command.reports[i].action, (*results)[i]->status, stats);
  }
}

}  // namespace pawl::engine
