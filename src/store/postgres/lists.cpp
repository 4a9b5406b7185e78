#include <algorithm>

#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"

namespace pawl::store::postgres {

namespace {

using core::TaskStatus;

// The places that the filter selects.
struct Switches {
  bool pending = false;
  bool blocked = false;
  bool claimed = false;
  bool running = false;
  bool completed = false;
  std::vector<std::string_view> other_ends = {};

  explicit Switches(const TaskFilter& filter) {
    const auto wants = [&](TaskStatus status) {
      if (filter.worker_id && !core::is_leased(status)) return false;  // only a lease has a worker
      const auto& statuses = filter.statuses;
      return statuses.empty() || std::find(statuses.begin(), statuses.end(), status) != statuses.end();
    };
    pending = wants(TaskStatus::pending);
    blocked = wants(TaskStatus::blocked);
    claimed = wants(TaskStatus::claimed);
    running = wants(TaskStatus::running);
    completed = wants(TaskStatus::completed);
    for (const TaskStatus status : {TaskStatus::failed, TaskStatus::dead_letter, TaskStatus::cancelled}) {
      if (wants(status)) other_ends.push_back(core::to_string(status));
    }
  }

  // One that may be too large to scan for a label.
  [[nodiscard]] bool has_large_place() const { return pending || blocked || completed; }

  [[nodiscard]] bool are_all_on() const {
    return pending && blocked && claimed && running && completed && other_ends.size() == 3;
  }
};

struct ListQuery {
  std::string_view newest_first;
  std::string_view oldest_first;
};
constexpr ListQuery kAll{sql::list_all_ids_newest_first, sql::list_all_ids_oldest_first};
constexpr ListQuery kPlaced{sql::list_placed_ids_newest_first, sql::list_placed_ids_oldest_first};
constexpr ListQuery kOfRun{sql::list_run_ids_newest_first, sql::list_run_ids_oldest_first};
constexpr ListQuery kKeyed{sql::list_keyed_ids_newest_first, sql::list_keyed_ids_oldest_first};

constexpr ListQuery kLabeled{sql::list_labeled_ids_newest_first, sql::list_labeled_ids_oldest_first};

void add_switches(Params& params, const Switches& switches, const TaskFilter& filter) {
  params.value(switches.pending);
  params.value(switches.blocked);
  params.value(switches.claimed);
  params.value(switches.running);
  params.value(switches.completed);
  params.column(switches.other_ends, [](std::string_view status) { return status; });
  params.value(filter.worker_id);
}

void send_list(Connection& connection, const TaskPage& page, const std::vector<const core::Lane*>& lanes) {
  const TaskFilter& filter = page.filter;
  const Switches switches{filter};
  using Text = std::optional<std::string>;
  Params params;
  params.column(lanes, [](const core::Lane* lane) { return lane->id; });
  params.value(filter.created_after);
  params.value(filter.created_before);
  params.value(filter.label ? Text{filter.label->first} : Text{});
  params.value(filter.label ? Text{filter.label->second} : Text{});
  params.value(page.after);
  params.value(static_cast<std::int64_t>(page.limit));
  const ListQuery* query = &kAll;
  if (filter.run) {
    query = &kOfRun;
    add_switches(params, switches, filter);
    params.value(filter.run);
    params.value(filter.key);
  } else if (filter.key) {
    query = &kKeyed;
    add_switches(params, switches, filter);
    params.value(filter.key);
  } else if (filter.label && switches.has_large_place()) {
    query = &kLabeled;
    add_switches(params, switches, filter);
    params.value(filter.ns);
  } else if (!switches.are_all_on()) {
    query = &kPlaced;
    add_switches(params, switches, filter);
  }
  connection.send(page.newest_first ? query->newest_first : query->oldest_first, params);
}

}  // namespace

std::vector<core::TaskId> PostgresStore::list_ids(Connection& connection, const TaskPage& page) {
  read_lanes(connection);
  std::vector<const core::Lane*> lanes;
  for (const core::Lane* lane : shared_.lanes.of_namespace(page.filter.ns)) {
    const bool is_wanted = (!page.filter.queue || *page.filter.queue == lane->queue) &&
                           (!page.filter.type || *page.filter.type == lane->type);
    if (is_wanted) lanes.push_back(lane);
  }
  if (lanes.empty()) return {};
  const auto answers = read(connection, [&](Connection& used) { send_list(used, page, lanes); });
  expect_life_of(lanes, connection);
  std::vector<core::TaskId> ids;
  for (int row = 0; row < answers.front().count(); ++row) ids.push_back(answers.front().id(row, 0));
  return ids;
}

std::vector<core::TaskId> PostgresStore::list_task_ids(const TaskPage& page) {
  const Pool::Loan connection = readers_.borrow();
  return list_ids(*connection, page);
}

}  // namespace pawl::store::postgres
