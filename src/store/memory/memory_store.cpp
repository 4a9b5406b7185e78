#include "store/memory/memory_store.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "core/base/ensure.hpp"
#include "store/bridged_clock.hpp"
#include "store/memory/erase.hpp"
#include "store/memory/runs.hpp"
#include "store/memory/state.hpp"
#include "store/memory/transaction.hpp"

namespace pawl::store {

namespace {

using memory::Row;
using memory::State;

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(core::Clock& clock) : clock_(clock) {}

  std::vector<const core::Lane*> intern_lanes(std::span<const LaneKey> keys) override {
    const std::lock_guard lock{mutex_};
    std::vector<const core::Lane*> lanes;
    for (const LaneKey& key : keys) {
      const core::Lane* lane = state_.lanes.find(key);
      if (lane == nullptr) {
        lane = state_.lanes.add({.id = state_.lanes.last_id() + 1,
                                 .ns = key.ns,
                                 .queue = key.queue,
                                 .type = key.type,
                                 .priority = key.priority,
                                 .of_runs = key.of_runs,
                                 .fair = key.fair});
      }
      lanes.push_back(lane);
    }
    return lanes;
  }

  [[nodiscard]] const LaneCache& lanes() const override { return state_.lanes; }

  std::unique_ptr<Transaction> begin_after(const Hints& /*hints*/, const SqlWork* work) override {
    PAWL_ENSURE(work == nullptr, "only a store with SQL runs statements (has_sql)");
    std::unique_lock lock{mutex_};
    const core::TimePoint time = clock_.now();
    return std::make_unique<memory::MemoryTransaction>(state_, std::move(lock), time, clock_.state());
  }

  core::TimePoint now() override { return clock_.now(); }
  core::ClockState clock_state() override { return *clock_.state(); }

  std::optional<StoredTask> find_task(const core::TaskId& id) override {
    const std::lock_guard lock{mutex_};
    const auto row = state_.tasks.find(id);
    if (row == state_.tasks.end()) return std::nullopt;
    return StoredTask{.record = row->second.record, .attempts = row->second.attempts};
  }

  std::vector<StoredTask> list_tasks(const TaskPage& page) override {
    std::vector<StoredTask> tasks;
    visit(page, [&](const Row& row) { tasks.push_back({.record = row.record, .attempts = row.attempts}); });
    return tasks;
  }

  std::vector<core::TaskId> list_task_ids(const TaskPage& page) override {
    std::vector<core::TaskId> ids;
    visit(page, [&](const Row& row) { ids.push_back(row.record.id); });
    return ids;
  }

  std::vector<core::Queue> list_queues(const std::string& ns) override {
    const std::lock_guard lock{mutex_};
    const core::TimePoint time = clock_.now();
    std::map<std::string, core::Queue> queues;
    for (const auto& [ref, settings] : state_.queues) {
      if (ref.ns == ns) queues[ref.name].settings = settings;
    }
    for (const core::Lane* lane : state_.lanes.of_namespace(ns)) {
      core::Queue& queue = queues[lane->queue];
      queue.counts += state_.counts[lane->id];
      const auto oldest = oldest_ready(*lane);
      if (!oldest) continue;
      const core::Duration age = time - *oldest;
      queue.oldest_pending_age = std::max(queue.oldest_pending_age.value_or(age), age);
    }
    std::vector<core::Queue> list;
    for (auto& [name, queue] : queues) {
      queue.name = name;
      list.push_back(std::move(queue));
    }
    return list;
  }

  std::vector<core::Checkpoint> list_checkpoints(const CheckpointFilter& filter) override {
    const std::lock_guard lock{mutex_};
    std::vector<core::Checkpoint> found;
    for (const core::Checkpoint& checkpoint : checkpoints_of(filter.owner)) {
      if (!filter.type || *filter.type == checkpoint.type) found.push_back(checkpoint);
    }
    if (filter.latest && found.size() > 1) found.erase(found.begin(), found.end() - 1);
    return found;
  }

  core::CheckpointSummary summarize_checkpoints(const core::Uuid& owner) override {
    const std::lock_guard lock{mutex_};
    core::CheckpointSummary summary;
    for (const core::Checkpoint& checkpoint : checkpoints_of(owner)) {
      ++summary.total;
      ++summary.by_type[checkpoint.type];
      summary.max_sequence = checkpoint.sequence;
      summary.first_at = std::min(summary.first_at.value_or(checkpoint.created_at), checkpoint.created_at);
      summary.last_at = std::max(summary.last_at.value_or(checkpoint.created_at), checkpoint.created_at);
    }
    return summary;
  }

  std::vector<core::Record> select_records(const RecordSelection& selection) override {
    const std::lock_guard lock{mutex_};
    return std::visit([this](const auto& selected) { return records_of(selected); }, selection);
  }

  core::StoreVitals vitals() override { return {.now = now(), .clock = *clock_.state()}; }
  RowCounts count_rows(const core::Uuid& before) override {
    const std::lock_guard lock{mutex_};
    const auto count = [&](const auto& rows) {
      return static_cast<std::int64_t>(
          std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.first < before; }));
    };
    return {.tasks = count(state_.tasks), .runs = count(state_.runs)};
  }

  std::vector<core::AuditEntry> list_audit(const AuditPage& page) override {
    const std::lock_guard lock{mutex_};
    std::vector<core::AuditEntry> entries;
    const auto add = [&](const core::AuditEntry& entry) {
      const bool is_after =
          !page.after || (page.newest_first ? entry.sequence < *page.after : entry.sequence > *page.after);
      if (is_after && entries.size() < page.limit) entries.push_back(entry);
    };
    if (page.newest_first) {
      std::for_each(state_.audit.rbegin(), state_.audit.rend(), add);
    } else {
      std::for_each(state_.audit.begin(), state_.audit.end(), add);
    }
    return entries;
  }

  FinishedTasks list_finished(const FinishedPage& page) override {
    const std::lock_guard lock{mutex_};
    return memory::list_finished(state_, page);
  }

  Due find_due(const DueLimits& limits) override {
    const std::lock_guard lock{mutex_};
    const core::TimePoint time = clock_.now();
    Due due;
    if (limits.leases > 0) due.leases = due_leases(time, limits.leases);
    if (limits.tasks > 0) due.tasks = due_tasks(time, limits.tasks);
    if (limits.runs > 0) due.runs = memory::due_runs(state_, time, limits.runs);
    if (limits.stuck_runs > 0)
      due.stuck_runs = memory::stuck_runs(state_, time - limits.stuck_after, limits.stuck_runs);
    return due;
  }

  std::optional<StoredRun> find_run(const core::RunId& id, RunParts parts) override {
    const std::lock_guard lock{mutex_};
    return memory::find_run(state_, id, parts);
  }

  std::vector<core::Run> list_runs(const RunPage& page) override {
    const std::lock_guard lock{mutex_};
    return memory::list_runs(state_, page);
  }

  std::vector<StoredEvent> list_run_events(const core::RunId& run, std::int64_t after,
                                           std::size_t limit) override {
    const std::lock_guard lock{mutex_};
    return memory::list_run_events(state_, run, after, limit);
  }

  bool may_have_changed() override { return false; }  // one process, whose engine sees its own commits
  void maintain() override {}
  [[nodiscard]] StoreTraits traits() const override { return {}; }

 private:
  [[nodiscard]] std::vector<core::Record> records_of(const core::RecordRef& ref) const {
    const auto record = state_.records.find(ref);
    return record == state_.records.end() ? std::vector<core::Record>{} : std::vector{record->second};
  }

  [[nodiscard]] std::vector<core::Record> records_of(const RecordPage& page) const {
    std::vector<core::Record> records;
    auto record =
        state_.records.upper_bound(core::RecordRef{.kind = page.kind, .ns = page.ns, .key = page.after_key});
    for (; record != state_.records.end() && records.size() < page.limit; ++record) {
      if (record->first.kind != page.kind || record->first.ns != page.ns) break;
      records.push_back(record->second);
    }
    return records;
  }

  [[nodiscard]] std::vector<core::Record> records_of(const AllRecords& selected) const {
    return memory::list_all_records(state_, selected.after, selected.limit);
  }

  [[nodiscard]] std::vector<core::Record> records_of(const DueRecords& selected) {
    const core::TimePoint time = clock_.now();
    std::multimap<core::TimePoint, const core::Record*> due;  // equal times stay in key order
    for (const auto& [ref, record] : state_.records) {
      if (ref.kind == selected.kind && record.expires_at && *record.expires_at <= time)
        due.emplace(*record.expires_at, &record);
    }
    std::vector<core::Record> records;
    for (const auto& [at, record] : due) {
      if (records.size() < selected.limit) records.push_back(*record);
    }
    return records;
  }

  [[nodiscard]] std::vector<core::LeaseRef> due_leases(core::TimePoint time, std::size_t limit) const {
    std::vector<core::LeaseRef> refs;
    for (const auto& [at, id] : state_.leases) {
      if (at > time || refs.size() == limit) break;
      refs.push_back({.task_id = id, .fence = state_.tasks.at(id).record.progress.fence});
    }
    return refs;
  }

  [[nodiscard]] DueTasks due_tasks(core::TimePoint time, std::size_t limit) const {
    DueTasks due;
    for (const auto& [at, id] : state_.scheduled) {
      if (at > time || due.ids.size() == limit) {
        due.next = at;
        break;
      }
      due.ids.push_back(id);
    }
    return due;
  }

  // The earliest available_at in the lane. The first task of a fair lane is not always the oldest.
  [[nodiscard]] std::optional<core::TimePoint> oldest_ready(const core::Lane& lane) {
    const auto& ready = state_.ready[lane.id];
    if (ready.empty()) return std::nullopt;
    if (!lane.fair) return ready.begin()->first;
    core::TimePoint oldest = core::TimePoint::max();
    for (const auto& [turn, id] : ready) oldest = std::min(oldest, state_.tasks.at(id).record.available_at);
    return oldest;
  }

  [[nodiscard]] const std::vector<core::Checkpoint>& checkpoints_of(const core::Uuid& owner) const {
    static const std::vector<core::Checkpoint> none;
    const auto found = state_.checkpoints.find(owner);
    return found == state_.checkpoints.end() ? none : found->second;
  }

  // Calls `take` for each row of the page, in order.
  template <typename Take>
  void visit(const TaskPage& page, Take take) {
    const std::lock_guard lock{mutex_};
    std::size_t count = 0;
    const auto visit_row = [&](const Row& row) {
      if (memory::matches(row, page.filter)) {
        take(row);
        ++count;
      }
      return count < page.limit;
    };
    if (page.newest_first) {
      auto row = page.after ? state_.tasks.lower_bound(*page.after) : state_.tasks.end();
      while (row != state_.tasks.begin() && visit_row((--row)->second)) {
      }
    } else {
      auto row = page.after ? state_.tasks.upper_bound(*page.after) : state_.tasks.begin();
      while (row != state_.tasks.end() && visit_row(row->second)) ++row;
    }
  }

  BridgedClock clock_;
  std::recursive_mutex mutex_;  // a thread with an open transaction may also read
  State state_;
};

}  // namespace

std::unique_ptr<Store> make_memory_store(core::Clock& clock) { return std::make_unique<MemoryStore>(clock); }

}  // namespace pawl::store
