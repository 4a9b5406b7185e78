#include "runtime/task_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/base/cursor.hpp"
#include "runtime/guarded.hpp"

namespace pawl::runtime {

using core::Result;
using core::TaskStatus;

store::TaskFilter filter_of(const core::TaskQuery& query) {
  return {.ns = query.ns,
          .statuses = query.statuses,
          .queue = query.queue,
          .type = query.type,
          .key = query.key,
          .worker_id = query.worker_id,
          .run = query.run_id,
          .label = query.label,
          .created_after = query.created_after,
          .created_before = query.created_before};
}

core::Status check_query(const core::TaskQuery& query) {
  if (const core::Status ns = core::check_namespace(query.ns); !ns) return ns;
  for (const auto& [field, value] : {std::pair{"queue", &query.queue}, std::pair{"type", &query.type},
                                     std::pair{"worker_id", &query.worker_id}}) {
    if (!*value) continue;
    if (const core::Status name = core::check_name(field, **value); !name) return name;
  }
  if (query.label) {
    const auto& [name, value] = *query.label;
    if (const core::Status label = core::check_name("label", name); !label) return label;
    if (const core::Status label = core::check_key("label", value); !value.empty() && !label) return label;
  }
  return query.key ? core::check_key("key", *query.key) : core::Status{core::Done{}};
}

Result<core::TaskWithAttempts> TaskReader::get(const std::string& ns, const core::TaskId& id) {
  if (const core::Status valid = core::check_namespace(ns); !valid) return valid.problem();
  return promised_.with_promised(id, [&] { return find(ns, id); });
}

Result<core::TaskWithAttempts> TaskReader::find(const std::string& ns, const core::TaskId& id) {
  return guarded([&]() -> Result<core::TaskWithAttempts> {
    auto stored = store_.find_task(id);
    if (!stored || stored->record.lane->ns != ns) {
      return core::Problem{.code = core::ProblemCode::not_found,
                           .detail = "there is no task " + to_string(id)};
    }
    run_inputs().fill_in(stored->record.facts);
    return core::TaskWithAttempts{.task = core::view_of(stored->record, stored->attempts),
                                  .attempts = core::attempts_of(stored->record, stored->attempts)};
  });
}

Result<core::Page<core::Task>> TaskReader::list(const core::ListTasks& list) {
  if (const core::Status valid = check_query(list.query); !valid) return valid.problem();
  if (const core::Status valid = core::check_page_limit(list.limit); !valid) return valid.problem();
  const auto after = core::task_from_cursor(list.cursor);
  if (!after) return after.problem();
  return guarded([&]() -> Result<core::Page<core::Task>> {
    const auto limit = static_cast<std::size_t>(list.limit);
    // One more than requested shows whether there is a next page.
    auto stored = store_.list_tasks({.filter = filter_of(list.query),
                                     .newest_first = list.newest_first,
                                     .after = *after,
                                     .limit = limit + 1});
    core::Page<core::Task> page;
    bool has_more = stored.size() > limit;
    if (has_more) stored.pop_back();
    engine::RunInputs inputs = run_inputs();
    std::size_t bytes = 0;
    for (store::StoredTask& task : stored) {
      has_more = has_more || bytes >= core::kPagePayloadBytesMax;
      if (bytes >= core::kPagePayloadBytesMax) break;
      inputs.fill_in(task.record.facts);
      bytes += task.record.facts.payload.text.size();
      page.items.push_back(core::view_of(task.record, task.attempts));
    }
    const bool is_one_short = page.items.size() > 1 && core::planted(core::Canary::page_repeats_its_last_row);
    if (has_more) page.next_cursor = core::cursor_after((page.items.rbegin() + (is_one_short ? 1 : 0))->id);
    return page;
  });
}

Result<std::vector<core::TaskId>> TaskReader::list_ids(store::TaskPage page, std::size_t limit) {
  return guarded([&]() -> Result<std::vector<core::TaskId>> {
    std::vector<core::TaskId> all;
    while (all.size() < limit) {
      page.limit = std::min<std::size_t>(core::kPageMax, limit - all.size());
      const auto ids = store_.list_task_ids(page);
      if (ids.empty()) break;
      page.after = ids.back();
      all.insert(all.end(), ids.begin(), ids.end());
    }
    return all;
  });
}

Result<TaskLease> TaskReader::lease_of(const std::string& ns, const core::TaskId& id) {
  return guarded([&]() -> Result<TaskLease> {
    const auto task = store_.find_task(id);
    if (!task || task->record.lane->ns != ns) return TaskLease{};
    return TaskLease{.fence = task->record.lease ? task->record.progress.fence : 0,
                     .queue = task->record.lane->queue};
  });
}

Result<std::vector<core::TaskId>> TaskReader::held_by(const std::string& ns, const std::string& worker_id) {
  return guarded([&]() -> Result<std::vector<core::TaskId>> {
    return store_.list_task_ids(
        {.filter = {.ns = ns, .statuses = {TaskStatus::claimed, TaskStatus::running}, .worker_id = worker_id},
         .newest_first = false,
         .limit = core::kGroupTasksMax});
  });
}

engine::RunInputs TaskReader::run_inputs() {
  return engine::RunInputs{[this](const core::RunId& id) -> std::optional<core::RawJson> {
    const auto stored = store_.find_run(id, {});
    if (!stored || !stored->misfit.empty()) return std::nullopt;
    return stored->run.facts.input;
  }};
}

}  // namespace pawl::runtime
