#include "store/memory/transaction.hpp"

#include <algorithm>
#include <utility>

#include "core/base/ensure.hpp"

namespace pawl::store::memory {

using core::Place;
using core::TaskRecord;

Loaded MemoryTransaction::load(const LoadRequest& request) {
  Loaded loaded;
  for (const LoadTask& wanted : request.tasks) {
    const auto row = state_.tasks.find(wanted.id);
    if (row == state_.tasks.end()) {
      loaded.tasks.emplace_back(std::nullopt);
    } else {
      loaded.tasks.emplace_back(row->second.record);
    }
  }
  for (const IdempotencyRef& ref : request.idempotency) {
    const auto found = state_.idempotency.find(ref);
    loaded.idempotency.push_back(found == state_.idempotency.end() ? std::nullopt
                                                                   : std::optional{found->second});
  }
  for (const QueueRef& ref : request.queues) {
    const auto found = state_.queues.find(ref);
    loaded.queues.push_back(found == state_.queues.end() ? core::QueueSettings{} : found->second);
  }
  loaded.attempts = read_attempts(request.attempts);
  loaded.run_keys = read_run_keys(request.run_keys);
  loaded.last_checkpoints = read_last_checkpoints(request.checkpoint_owners);
  loaded.records = lock_records(request.records);
  return loaded;
}

std::vector<std::optional<core::Attempt>> MemoryTransaction::read_attempts(
    std::span<const core::LeaseRef> refs) {
  std::vector<std::optional<core::Attempt>> found;
  for (const core::LeaseRef& ref : refs) {
    std::optional<core::Attempt>& attempt = found.emplace_back();
    const auto row = state_.tasks.find(ref.task_id);
    if (row == state_.tasks.end()) continue;
    for (const core::Attempt& stored : row->second.attempts) {
      if (stored.fence == ref.fence) attempt = stored;
    }
  }
  return found;
}

std::vector<Line> MemoryTransaction::lock_lines(std::span<const LineRef> refs) {
  std::vector<Line> lines;
  for (const LineRef& ref : refs) {
    const auto found = state_.lines.find(ref);
    lines.push_back(found == state_.lines.end() ? Line{} : found->second);
  }
  return lines;
}

std::vector<TaskRecord> MemoryTransaction::first_waiting(const LineRef& ref, std::size_t count) {
  std::vector<TaskRecord> records;
  const auto line = state_.waiting.find(ref);
  if (line == state_.waiting.end()) return records;
  for (const auto& [position, id] : line->second) {
    if (records.size() == count) break;
    records.push_back(state_.tasks.at(id).record);
  }
  return records;
}

std::vector<core::LaneTurns> MemoryTransaction::lock_turns(std::span<const TurnsRef> refs) {
  std::vector<core::LaneTurns> locked;
  for (const TurnsRef& ref : refs) {
    const FairLane& lane = state_.fair_lanes[ref.lane->id];
    const std::set<Due>& ready = state_.ready[ref.lane->id];
    core::LaneTurns& turns = locked.emplace_back(
        core::LaneTurns{.now = ready.empty() ? lane.last : core::micros(ready.begin()->first),
                        .last = lane.last,
                        .is_empty = ready.empty()});
    for (const std::string& key : ref.keys) {
      if (const auto known = lane.keys.find(key); known != lane.keys.end()) turns.keys.insert(*known);
    }
  }
  return locked;
}

std::vector<LockedQueue> MemoryTransaction::lock_queues(std::span<const QueueRef> refs) {
  std::vector<LockedQueue> locked;
  for (const QueueRef& ref : refs) {
    LockedQueue& queue = locked.emplace_back();
    if (const auto found = state_.queues.find(ref); found != state_.queues.end())
      queue.settings = found->second;
    for (const core::Lane* lane : state_.lanes.of(ref)) {
      const core::QueueCounts& counts = state_.counts[lane->id];
      queue.held.push_back({.lane = lane, .held = counts.claimed + counts.running});
    }
  }
  return locked;
}

std::vector<std::int64_t> MemoryTransaction::count_held(std::span<const HolderRef> holders) {
  std::vector<std::int64_t> counts;
  for (const HolderRef& holder : holders) {
    counts.push_back(std::count_if(state_.leases.begin(), state_.leases.end(), [&](const Due& due) {
      const TaskRecord& record = state_.tasks.at(due.second).record;
      return record.lane->ns == holder.ns && record.lease->worker_id == holder.worker_id;
    }));
  }
  return counts;
}

std::vector<TaskRecord> MemoryTransaction::take_ready(std::span<const LaneShare> lanes, std::size_t max) {
  struct Candidate {
    std::int64_t rank = 0;
    Due due = {};
  };
  std::vector<Candidate> candidates;
  for (const LaneShare& share : lanes) {
    std::int64_t left = share.max;
    for (const Due& due : state_.ready[share.lane->id]) {
      if (left <= 0) break;
      if (taken_.contains(due.second)) continue;
      candidates.push_back({.rank = core::claim_rank(*share.lane), .due = due});
      --left;
    }
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.due < b.due;
  });
  if (candidates.size() > max) candidates.resize(max);

  std::vector<TaskRecord> records;
  for (const Candidate& candidate : candidates) {
    taken_.insert(candidate.due.second);
    records.push_back(state_.tasks.at(candidate.due.second).record);
    records.back().place = Place::nowhere;
  }
  return records;
}

void MemoryTransaction::check_guards(const WriteSet& writes) const {
  std::size_t taken_written = 0;
  for (const TaskWrite& write : writes.tasks) {
    if (write.is_new) continue;
    const TaskRecord& stored = state_.tasks.at(write.record->id).record;
    if (write.from == Place::nowhere) {
      PAWL_ENSURE(taken_.contains(write.record->id), "only a new or a taken task comes from nowhere");
      ++taken_written;
    } else if (stored.place != write.from || stored.progress.fence != write.fence_before) {
      throw StoreError{StoreError::Kind::retry, "a task moved since it was loaded"};
    }
  }
  PAWL_ENSURE(taken_written == taken_.size(), "every taken task is written to a place");
}

void MemoryTransaction::write_task(const TaskWrite& write) {
  Row& row = state_.tasks[write.record->id];
  core::TaskFacts facts = write.is_new ? write.record->facts : row.record.facts;
  if (!write.is_new) state_.leave_place(row);
  row.record = *write.record;
  row.record.facts = std::move(facts);
  row.record.has_facts = true;
  row.line_position = write.line_position;
  state_.enter_place(row);
  if (write.is_new && row.record.facts.idempotency_key) {
    state_.idempotency.emplace(
        IdempotencyRef{row.record.lane->ns, row.record.lane->type, *row.record.facts.idempotency_key},
        row.record.id);
  }
  row.attempts.insert(row.attempts.end(), write.attempts.begin(), write.attempts.end());
  for (const core::RawJson& snapshot : write.error_boundaries) {
    const core::Uuid& owner = row.record.id;
    append(owner, {.sequence = read_last_checkpoints({&owner, 1}).front() + 1,
                   .type = "error_boundary",
                   .snapshot = snapshot,
                   .created_at = start_.now});
  }
}

void MemoryTransaction::write_turns(const TurnsWrite& write) {
  FairLane& lane = state_.fair_lanes[write.lane->id];
  if (write.turns.is_empty) lane.keys.clear();
  lane.last = write.turns.last;
  for (const auto& [key, turns] : write.turns.keys) lane.keys[key] = turns;
}

CommitNumber MemoryTransaction::write(const WriteSet& writes, Durability /*durability*/) {
  check_guards(writes);
  check_records(writes);
  check_runs(writes);
  check_erased(writes);
  for (const CheckpointWrite& write : writes.checkpoints) {
    append(write.owner, write.checkpoint);
    auto& kept = state_.checkpoints.at(write.owner);
    std::erase_if(kept, [&](const core::Checkpoint& one) {
      return one.sequence <= write.checkpoint.sequence - write.kept;
    });
  }
  for (const TaskWrite& write : writes.tasks) write_task(write);
  for (const LineWrite& write : writes.lines) {
    if (write.line.head) {
      state_.lines[write.ref] = write.line;
    } else {
      state_.lines.erase(write.ref);
    }
  }
  for (const TurnsWrite& write : writes.turns) write_turns(write);
  for (const CountsWrite& write : writes.counts) state_.counts[write.lane->id] += write.delta;
  for (const QueueWrite& write : writes.queues) state_.queues[write.ref] = write.settings;
  write_records(writes);
  write_runs(writes);
  erase(writes);
  lock_.unlock();
  return kDurable;
}

}  // namespace pawl::store::memory
