#include "runtime/local_task_api.hpp"

#include <algorithm>
#include <utility>

#include "runtime/guarded.hpp"

namespace pawl::runtime {

using core::Result;
using core::TaskStatus;

Result<core::EnqueuedTask> LocalTaskApi::enqueue(const std::string& ns, core::TaskSpec spec) {
  core::EnqueueTasks command{.ns = ns, .wants_tasks = true};
  command.tasks.push_back(std::move(spec));
  auto enqueued = enqueue_batch(std::move(command));
  if (!enqueued) return enqueued.problem();
  if (const auto& made = enqueued->front().task) return core::EnqueuedTask{.created = true, .task = *made};
  auto stored = get_task(ns, enqueued->front().id);
  if (!stored) return stored.problem();
  return core::EnqueuedTask{.created = enqueued->front().created, .task = std::move(stored->task)};
}

Result<std::vector<core::Enqueued>> LocalTaskApi::enqueue_batch(core::EnqueueTasks command) {
  if (const core::Status fits = admission_.admit(command); !fits) return fits.problem();
  return caller_.call_for<std::vector<core::Enqueued>>(std::move(command));
}

Result<std::vector<core::ClaimedTask>> LocalTaskApi::claim(core::ClaimTasks command) {
  if (const core::Status valid = core::check(core::Command{command}); !valid) return valid.problem();
  const auto is_admitted = admission_.admit(command);
  if (!is_admitted) return is_admitted.problem();
  if (!*is_admitted) return std::vector<core::ClaimedTask>{};
  return caller_.call_for<std::vector<core::ClaimedTask>>(std::move(command));
}

Result<std::vector<Result<core::ReportAnswer>>> LocalTaskApi::report(core::ReportTasks command) {
  return caller_.call_for<std::vector<Result<core::ReportAnswer>>>(std::move(command));
}

template <typename Command>
Result<core::Task> LocalTaskApi::move_one(Command command) {
  const std::string ns = command.ns;
  const auto move = [&]() -> Result<core::TaskMoved> {
    auto moved = caller_.call_for<std::vector<Result<core::TaskMoved>>>(Command{command});
    if (!moved) return moved.problem();
    return std::move(moved->front());
  };
  const auto first = promised_.with_promised(command.ids.front(), move);
  if (!first) return first.problem();
  auto stored = get_task(ns, first->task_id);
  if (!stored) return stored.problem();
  return std::move(stored->task);
}

Result<core::Task> LocalTaskApi::cancel_task(const core::MoveTask& request) {
  return move_one(core::CancelTasks{.ns = request.ns, .ids = {request.id}, .by = request.by});
}

Result<core::Task> LocalTaskApi::retry_task(const core::MoveTask& request) {
  return move_one(core::RetryTasks{.ns = request.ns, .ids = {request.id}, .by = request.by});
}

// Finds all tasks before it changes the first: canceling the head of a line makes the next one match. Then
// each page is a command of its own, so that a bulk change delays other commands only briefly.
template <typename Command>
Result<core::BulkResult> LocalTaskApi::move_many(const core::BulkTasks& bulk,
                                                 std::vector<TaskStatus> default_statuses) {
  if (const core::Status valid = check_query(bulk.query); !valid) return valid.problem();
  if (const core::Status valid = core::check_bulk_limit(bulk.limit); !valid) return valid.problem();
  store::TaskPage page{.filter = filter_of(bulk.query), .newest_first = false};
  if (page.filter.statuses.empty()) page.filter.statuses = std::move(default_statuses);
  const auto ids = tasks_.list_ids(std::move(page), static_cast<std::size_t>(bulk.limit));
  if (!ids) return ids.problem();
  core::BulkResult result{.matched = static_cast<int>(ids->size())};
  if (bulk.dry_run) return result;
  for (auto first = ids->begin(); first != ids->end();) {
    const auto last = first + std::min<std::ptrdiff_t>(core::kPageMax, ids->end() - first);
    auto moved = caller_.call_for<std::vector<Result<core::TaskMoved>>>(
        Command{.ns = bulk.query.ns, .ids = {first, last}, .by = bulk.by});
    if (!moved) return moved.problem();
    result.changed += static_cast<int>(
        std::count_if(moved->begin(), moved->end(), [](const auto& one) { return one.ok(); }));
    first = last;
  }
  return result;
}

Result<core::BulkResult> LocalTaskApi::cancel_tasks(const core::BulkTasks& bulk) {
  return move_many<core::CancelTasks>(
      bulk, {TaskStatus::blocked, TaskStatus::pending, TaskStatus::claimed, TaskStatus::running});
}

Result<core::BulkResult> LocalTaskApi::retry_tasks(const core::BulkTasks& bulk) {
  return move_many<core::RetryTasks>(bulk, {TaskStatus::failed, TaskStatus::dead_letter});
}

Result<core::TaskWithAttempts> LocalTaskApi::get_task(const std::string& ns, const core::TaskId& id) {
  return tasks_.get(ns, id);
}

Result<core::Page<core::Task>> LocalTaskApi::list_tasks(const core::ListTasks& list) {
  return tasks_.list(list);
}

Result<std::vector<core::Queue>> LocalTaskApi::list_queues(const std::string& ns) {
  if (const core::Status valid = core::check_namespace(ns); !valid) return valid.problem();
  return guarded([&]() -> Result<std::vector<core::Queue>> { return store_.list_queues(ns); });
}

Result<core::Done> LocalTaskApi::set_queue(core::SetQueue command) {
  return caller_.call_for<core::Done>(std::move(command));
}

}  // namespace pawl::runtime
