#include "store/sqlite/queues.hpp"

#include <algorithm>
#include <map>

#include "store/codec.hpp"
#include "store/sqlite/sql.hpp"
#include "store/sqlite/task_rows.hpp"
#include "store/sqlite/transaction.hpp"

namespace pawl::store::sqlite {

namespace {

void write_queue(Connection& connection, const QueueWrite& write) {
  const core::QueueSettings& settings = write.settings;
  std::optional<std::int64_t> limit;
  std::optional<core::Duration> per;
  if (settings.rate) {
    limit = settings.rate->limit;
    per = settings.rate->per;
  }
  connection.statement(sql::put_queue)
      .run(write.ref.ns, write.ref.name, settings.paused, settings.max_concurrency,
           Copied{encode_type_limits(settings.type_concurrency)}, limit, per, settings.rate_spent_until);
}

}  // namespace

std::vector<core::Queue> list_queues(Connection& connection, const std::string& ns, core::TimePoint now) {
  std::map<std::string, core::Queue> by_name;
  Rows set = connection.statement(sql::list_queues).rows(ns);
  while (set.next()) {
    std::string name = set.string();
    by_name[std::move(name)].settings = read_settings(set);
  }
  Rows lane = connection.statement(sql::list_lane_counts).rows(ns);
  while (lane.next()) {
    core::Queue& queue = by_name[lane.string()];
    queue.counts += core::QueueCounts{.pending = lane.int64(),
                                      .scheduled = lane.int64(),
                                      .blocked = lane.int64(),
                                      .claimed = lane.int64(),
                                      .running = lane.int64(),
                                      .dead_letter = lane.int64()};
    if (const auto oldest = lane.optional_time()) {
      const core::Duration age = now - *oldest;
      queue.oldest_pending_age = std::max(queue.oldest_pending_age.value_or(age), age);
    }
  }
  std::vector<core::Queue> queues;
  for (auto& [name, queue] : by_name) {
    queue.name = name;
    queues.push_back(std::move(queue));
  }
  return queues;
}

core::QueueSettings SqliteTransaction::find_settings(const QueueRef& ref) {
  Rows row = connection_.statement(sql::find_queue).rows(ref.ns, ref.name);
  return row.next() ? read_settings(row) : core::QueueSettings{};
}

std::vector<LockedQueue> SqliteTransaction::lock_queues(std::span<const QueueRef> refs) {
  std::vector<LockedQueue> locked;
  for (const QueueRef& ref : refs) {
    LockedQueue& queue = locked.emplace_back();
    queue.settings = find_settings(ref);
    for (const core::Lane* lane : lanes_.of(ref)) {
      Rows row = connection_.statement(sql::find_held).rows(lane->id);
      queue.held.push_back({.lane = lane, .held = row.next() ? row.int64() : 0});
    }
  }
  return locked;
}

std::vector<std::int64_t> SqliteTransaction::count_held(std::span<const HolderRef> holders) {
  std::vector<std::int64_t> counts;
  for (const HolderRef& holder : holders) {
    counts.push_back(remembered_.count_held(holder, [&] {
      Rows row = connection_.statement(sql::count_held).rows(holder.ns, holder.worker_id);
      return row.next() ? row.int64() : 0;
    }));
  }
  return counts;
}

void write_queues(Connection& connection, const std::vector<QueueWrite>& writes) {
  for (const QueueWrite& write : writes) write_queue(connection, write);
}

void write_counts(Connection& connection, const std::vector<CountsWrite>& writes) {
  Statement& add_counts = connection.statement(sql::add_lane_counts);
  for (const auto& [lane, delta] : writes) {
    add_counts.run(lane->id, delta.pending, delta.scheduled, delta.blocked, delta.claimed, delta.running,
                   delta.dead_letter);
  }
}

}  // namespace pawl::store::sqlite
