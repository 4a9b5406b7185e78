#include "store/memory/erase.hpp"

#include "store/memory/transaction.hpp"

namespace pawl::store::memory {

namespace {

std::optional<core::FinishedTask> finished(const core::TaskRecord& record) {
  if (record.place != core::Place::finished) return std::nullopt;
  return core::FinishedTask{
      .id = record.id, .lane = record.lane, .status = record.status, .finished_at = record.end->finished_at};
}

void erase_task(State& state, const core::TaskId& id) {
  const auto row = state.tasks.find(id);
  const core::TaskRecord& record = row->second.record;
  if (const auto& key = record.facts.idempotency_key) {
    const auto named = state.idempotency.find({record.lane->ns, record.lane->type, *key});
    if (named != state.idempotency.end() && named->second == id) state.idempotency.erase(named);
  }
  state.checkpoints.erase(id);
  state.tasks.erase(row);
}

void erase_run(State& state, const RunErase& gone) {
  for (const auto& [key, node] : state.runs.at(gone.id).nodes) {
    if (node.timer_at) state.timers.erase({*node.timer_at, NodeRef{.run = gone.id, .key = key}});
  }
  if (gone.key) {
    const auto named = state.run_keys.find(*gone.key);
    if (named != state.run_keys.end() && named->second == gone.id) state.run_keys.erase(named);
  }
  state.checkpoints.erase(gone.id);
  state.runs.erase(gone.id);
}

}  // namespace

FinishedTasks list_finished(const State& state, const FinishedPage& page) {
  FinishedTasks found;
  std::size_t looked_at = 0;
  for (auto row = state.tasks.upper_bound(page.after); row != state.tasks.end() && row->first < page.before;
       ++row) {
    if (auto one = finished(row->second.record)) found.tasks.push_back(*one);
    if (++looked_at == page.limit) {
      found.next = row->first;
      break;
    }
  }
  return found;
}

std::vector<core::Record> list_all_records(const State& state, const core::RecordRef& after,
                                           std::size_t limit) {
  std::vector<core::Record> records;
  for (auto record = state.records.upper_bound(after); record != state.records.end(); ++record) {
    if (record->first.kind != after.kind || records.size() == limit) break;
    records.push_back(record->second);
  }
  return records;
}

std::vector<core::FinishedTask> MemoryTransaction::lock_finished(std::span<const core::TaskId> ids) {
  std::vector<core::FinishedTask> found;
  for (const core::TaskId& id : ids) {
    const auto row = state_.tasks.find(id);
    if (row == state_.tasks.end()) continue;
    if (auto one = finished(row->second.record)) found.push_back(*one);
  }
  return found;
}

std::vector<RunTask> MemoryTransaction::list_run_tasks(const core::RunId& run, const core::TaskId* only) {
  std::vector<RunTask> tasks;
  const auto add = [&](const core::TaskRecord& record) {
    const auto& of = record.facts.run;
    if (of && of->run_id == run) tasks.push_back({.id = record.id, .node = of->node});
  };
  if (only == nullptr) {
    for (const auto& [id, row] : state_.tasks) add(row.record);
  } else if (const auto row = state_.tasks.find(*only); row != state_.tasks.end()) {
    add(row->second.record);
  }
  return tasks;
}

void MemoryTransaction::check_erased(const WriteSet& writes) const {
  for (const RunErase& gone : writes.erased_runs) {
    const auto row = state_.runs.find(gone.id);
    if (row == state_.runs.end() || row->second.run.sequence != gone.sequence)
      throw StoreError{StoreError::Kind::retry, "a run changed since it was loaded"};
  }
}

void MemoryTransaction::erase(const WriteSet& writes) {
  for (const core::FinishedTask& task : writes.erased_tasks) erase_task(state_, task.id);
  for (const RunErase& gone : writes.erased_runs) erase_run(state_, gone);
  if (writes.audit_erased_to) {
    std::erase_if(state_.audit,
                  [&](const core::AuditEntry& entry) { return entry.sequence <= *writes.audit_erased_to; });
  }
}

}  // namespace pawl::store::memory
