#include "store/sqlite/lists.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "store/sqlite/sql.hpp"

namespace pawl::store::sqlite {

namespace {

using core::TaskId;
using core::TaskStatus;

constexpr std::array kEveryStatus{TaskStatus::blocked,     TaskStatus::pending,   TaskStatus::claimed,
                                  TaskStatus::running,     TaskStatus::completed, TaskStatus::failed,
                                  TaskStatus::dead_letter, TaskStatus::cancelled};
static_assert(kEveryStatus.size() == core::kTaskStatusCount);

struct Source {
  std::string_view query;
  std::optional<bool> is_running = {};     // leased_ids
  std::optional<std::string> status = {};  // not_completed_ids; a JSON array for keyed_, labeled_ and run_ids
  std::optional<core::Uuid> run = {};      // run_ids
};

std::string names_of(const std::vector<TaskStatus>& statuses) {
  std::string names;
  for (const TaskStatus status : statuses) {
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ",", core::to_string(status));
  }
  return "[" + names + "]";
}

void add_sources(TaskStatus status, std::vector<Source>& sources) {
  switch (status) {
    case TaskStatus::pending:
      sources.push_back({.query = sql::ready_ids});
      sources.push_back({.query = sql::scheduled_ids});
      return;
    case TaskStatus::blocked: sources.push_back({.query = sql::waiting_ids}); return;
    case TaskStatus::claimed:
    case TaskStatus::running:
      sources.push_back({.query = sql::leased_ids, .is_running = status == TaskStatus::running});
      return;
    case TaskStatus::completed: sources.push_back({.query = sql::completed_ids}); return;
    case TaskStatus::failed:
    case TaskStatus::dead_letter:
    case TaskStatus::cancelled:
      sources.push_back({.query = sql::not_completed_ids, .status = std::string{core::to_string(status)}});
      return;
  }
}

// Whether one of the statuses may have too many tasks to scan for a label.
bool has_large_place(const std::vector<TaskStatus>& statuses) {
  return std::any_of(statuses.begin(), statuses.end(), [](TaskStatus status) {
    return status == TaskStatus::pending || status == TaskStatus::blocked || status == TaskStatus::completed;
  });
}

std::vector<Source> sources_of(const TaskFilter& filter) {
  std::vector<TaskStatus> statuses = filter.statuses;
  if (statuses.empty() && filter.worker_id) statuses = {TaskStatus::claimed, TaskStatus::running};
  if (statuses.empty() && !filter.key && !filter.run && !filter.label) return {{.query = sql::task_ids}};
  if (statuses.empty()) statuses.assign(kEveryStatus.begin(), kEveryStatus.end());
  std::sort(statuses.begin(), statuses.end());
  statuses.erase(std::unique(statuses.begin(), statuses.end()), statuses.end());
  // Only a leased task has a worker.
  if (filter.worker_id) std::erase_if(statuses, [](TaskStatus status) { return !core::is_leased(status); });
  if (filter.run)
    return {{.query = sql::run_ids, .status = names_of(statuses), .run = core::Uuid{*filter.run}}};
  if (filter.key && !filter.worker_id) return {{.query = sql::keyed_ids, .status = names_of(statuses)}};
  if (filter.label && has_large_place(statuses))
    return {{.query = sql::labeled_ids, .status = names_of(statuses)}};

  std::vector<Source> sources;
  for (const TaskStatus status : statuses) add_sources(status, sources);
  return sources;
}

// Ids strictly between these, in either page order.
struct Bounds {
  core::Uuid low = {};
  core::Uuid high = {};
};
Bounds bounds_of(const TaskPage& page) {
  Bounds bounds;
  bounds.high.bytes.fill(0xff);
  if (page.after) (page.newest_first ? bounds.high : bounds.low) = *page.after;
  return bounds;
}

void read_source(Connection& connection, const Source& source, const TaskPage& page,
                 std::vector<TaskId>& ids) {
  const TaskFilter& filter = page.filter;
  const Bounds bounds = bounds_of(page);
  std::optional<std::string_view> label;
  std::optional<std::string_view> label_value;
  if (filter.label) {
    label = filter.label->first;
    label_value = filter.label->second;
  }
  std::string text{source.query};
  text.append("\n").append(sql::filter_ids).append("\n");
  text.append(page.newest_first ? sql::newest_ids : sql::oldest_ids);
  Statement statement = connection.prepare(text);
  const auto collect = [&](const auto&... more) {
    Rows row =
        statement.rows(bounds.low, bounds.high, filter.ns, filter.queue, filter.type, filter.key, label,
                       label_value, filter.created_after, filter.created_before, page.limit, more...);
    while (row.next()) ids.push_back(row.task_id());
  };
  if (source.run) {
    collect(source.status, source.run, filter.worker_id);
  } else if (source.is_running) {
    collect(source.is_running, filter.worker_id);
  } else if (source.status) {
    collect(source.status);
  } else {
    collect();
  }
}

}  // namespace

std::vector<TaskId> list_task_ids(Connection& connection, const TaskPage& page) {
  std::vector<TaskId> ids;
  for (const Source& source : sources_of(page.filter)) read_source(connection, source, page, ids);
  if (page.newest_first) {
    std::sort(ids.begin(), ids.end(), std::greater<>{});
  } else {
    std::sort(ids.begin(), ids.end());
  }
  if (ids.size() > page.limit) ids.resize(page.limit);
  return ids;
}

}  // namespace pawl::store::sqlite
