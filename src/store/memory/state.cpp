#include "store/memory/state.hpp"

#include <algorithm>

#include "store/run_codec.hpp"

namespace pawl::store::memory {

using core::Place;

core::TimePoint check_at(const core::Lease& lease) {
  return std::min(lease.expires_at, lease.timeout_at.value_or(lease.expires_at));
}

LineRef line_of(const Row& row) {
  const core::TaskRecord& record = row.record;
  const bool is_held = row.line_position == kHeldByRun;
  return {.ns = record.lane->ns,
          .queue = record.lane->queue,
          .key = is_held ? held_line(record.id) : record.facts.key.value_or("")};
}

void State::enter_place(const Row& row) {
  const core::TaskRecord& record = row.record;
  switch (record.place) {
    case Place::ready: ready[record.lane->id].emplace(core::lane_time(record), record.id); break;
    case Place::scheduled: scheduled.emplace(record.available_at, record.id); break;
    case Place::waiting: waiting[line_of(row)].emplace(row.line_position, record.id); break;
    case Place::leased: leases.emplace(check_at(*record.lease), record.id); break;
    case Place::finished:
    case Place::nowhere: break;
  }
}

void State::leave_place(const Row& row) {
  const core::TaskRecord& record = row.record;
  switch (record.place) {
    case Place::ready: ready[record.lane->id].erase({core::lane_time(record), record.id}); break;
    case Place::scheduled: scheduled.erase({record.available_at, record.id}); break;
    case Place::waiting: {
      const auto line = waiting.find(line_of(row));
      line->second.erase({row.line_position, record.id});
      if (line->second.empty()) waiting.erase(line);
      break;
    }
    case Place::leased: leases.erase({check_at(*record.lease), record.id}); break;
    case Place::finished:
    case Place::nowhere: break;
  }
}

bool matches(const Row& row, const TaskFilter& filter) {
  const core::TaskRecord& record = row.record;
  const auto is_or_any = [](const auto& wanted, const auto& actual) { return !wanted || *wanted == actual; };
  if (record.lane->ns != filter.ns || !is_or_any(filter.queue, record.lane->queue) ||
      !is_or_any(filter.type, record.lane->type)) {
    return false;
  }
  if (!filter.statuses.empty() &&
      std::find(filter.statuses.begin(), filter.statuses.end(), record.status) == filter.statuses.end()) {
    return false;
  }
  if (filter.key && record.facts.key != filter.key) return false;
  if (filter.run && (!record.facts.run || record.facts.run->run_id != *filter.run)) return false;
  if (filter.worker_id && (!record.lease || record.lease->worker_id != *filter.worker_id)) return false;
  if (filter.label) {
    const auto label = record.facts.labels.find(filter.label->first);
    if (label == record.facts.labels.end() || label->second != filter.label->second) return false;
  }
  if (filter.created_after && record.facts.created_at <= *filter.created_after) return false;
  return !filter.created_before || record.facts.created_at < *filter.created_before;
}

}  // namespace pawl::store::memory
