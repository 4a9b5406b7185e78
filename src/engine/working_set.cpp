#include "engine/working_set.hpp"

#include <algorithm>
#include <utility>

#include "core/base/canary.hpp"
#include "core/base/ensure.hpp"
#include "engine/give_turns.hpp"
#include "engine/sort_distinct.hpp"

namespace pawl::engine {

using core::Place;
using core::QueueCounts;
using core::TaskStatus;
using store::LineRef;

Bucket bucket_of(Place place, TaskStatus status) {
  switch (place) {
    case Place::ready: return &QueueCounts::pending;
    case Place::scheduled: return &QueueCounts::scheduled;
    case Place::waiting: return &QueueCounts::blocked;
    case Place::leased: return status == TaskStatus::running ? &QueueCounts::running : &QueueCounts::claimed;
    case Place::finished: return status == TaskStatus::dead_letter ? &QueueCounts::dead_letter : nullptr;
    case Place::nowhere: break;
  }
  return nullptr;
}

LineRef line_ref(const core::TaskRecord& record) {
  return {.ns = record.lane->ns, .queue = record.lane->queue, .key = *record.facts.key};
}

void WorkingSet::load(std::span<const store::LoadTask> tasks) {
  if (tasks.empty()) return;
  store::Loaded loaded = tx_.load({.tasks = {tasks.begin(), tasks.end()}});
  for (auto& record : loaded.tasks) {
    if (record) add_loaded(std::move(*record));
  }
}

void WorkingSet::load_attempts(std::span<const core::LeaseRef> refs) {
  if (refs.empty()) return;
  auto found = tx_.load({.attempts = refs}).attempts;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (found[i]) past_attempts_.emplace(std::pair{refs[i].task_id, refs[i].fence}, std::move(*found[i]));
  }
}

void WorkingSet::load_idempotency(std::vector<store::IdempotencyRef> refs) {
  if (refs.empty()) return;
  sort_distinct(refs);
  const store::Loaded loaded = tx_.load({.idempotency = refs});
  for (std::size_t i = 0; i < refs.size(); ++i) {
    if (loaded.idempotency[i]) idempotency_.emplace(std::move(refs[i]), *loaded.idempotency[i]);
  }
}

void WorkingSet::lock_queues(std::vector<store::QueueRef> refs) {
  if (refs.empty()) return;
  sort_distinct(refs);
  const auto locked = tx_.lock_queues(refs);
  for (std::size_t i = 0; i < refs.size(); ++i) queues_[refs[i]].settings = locked[i].settings;
}

void WorkingSet::lock_lines(std::vector<LineRef> refs) {
  std::erase_if(refs, [this](const LineRef& ref) { return lines_.contains(ref); });
  if (refs.empty()) return;
  sort_distinct(refs);
  const std::vector<store::Line> locked = tx_.lock_lines(refs);
  for (std::size_t i = 0; i < refs.size(); ++i) lines_[std::move(refs[i])].line = locked[i];
}

WorkingTask* WorkingSet::find(const core::TaskId& id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

WorkingTask* WorkingSet::find(const std::string& ns, const core::TaskId& id) {
  WorkingTask* task = find(id);
  return task != nullptr && task->record.lane->ns == ns ? task : nullptr;
}

const core::Attempt* WorkingSet::past_attempt(const WorkingTask& task, std::int64_t fence) const {
  for (const core::Attempt& attempt : task.attempts) {
    if (attempt.fence == fence) return &attempt;
  }
  const auto stored = past_attempts_.find({task.record.id, fence});
  return stored == past_attempts_.end() ? nullptr : &stored->second;
}

WorkingSet::KeyOwner WorkingSet::give_key(store::IdempotencyRef ref, const core::TaskId& id) {
  const auto [owner, is_new] = idempotency_.emplace(std::move(ref), id);
  return {.id = owner->second, .is_new = is_new};
}

void WorkingSet::show_at_end(const WorkingTask& task, std::shared_ptr<core::Task> shown) {
  shown_.emplace_back(&task, std::move(shown));
}

void WorkingSet::fill_in_shown() const {
  for (const auto& [task, shown] : shown_) *shown = core::view_of(task->record, {});
}

WorkingLine& WorkingSet::line(const LineRef& ref) {
  const auto found = lines_.find(ref);
  PAWL_ENSURE(found != lines_.end(), "the lines a group may change are locked before it decides");
  return found->second;
}

WorkingTask& WorkingSet::add_loaded(core::TaskRecord&& record) {
  WorkingTask& task = tasks_.emplace_back(std::move(record));
  task.from = task.record.place;
  task.fence_before = task.record.progress.fence;
  task.counted_as = bucket_of(task.record.place, task.record.status);
  has_fair_ = has_fair_ || task.record.lane->fair;
  by_id_.emplace(task.record.id, &task);
  return task;
}

WorkingTask& WorkingSet::add_new(core::TaskRecord&& record) {
  WorkingTask& task = tasks_.emplace_back(std::move(record));
  task.is_new = true;
  task.is_changed = true;
  has_fair_ = has_fair_ || task.record.lane->fair;
  if (task.record.facts.run) by_id_.emplace(task.record.id, &task);  // its run may stop it in this group
  return task;
}

void WorkingSet::add_taken(core::TaskRecord record) {
  record.place = Place::ready;
  WorkingTask* task = find(record.id);
  if (task == nullptr) {
    task = &add_loaded(std::move(record));
  } else {
    if (task->record.place == Place::ready) task->record.turn = record.turn;
    if (!task->record.has_facts) {
      task->record.facts = std::move(record.facts);
      task->record.has_facts = true;
    }
  }
  task->from = Place::nowhere;
  task->is_changed = true;  // the take removed it from the ready place, so it is written in either case
}

std::size_t WorkingSet::moved_from_ready() const {
  return static_cast<std::size_t>(std::count_if(tasks_.begin(), tasks_.end(), [](const WorkingTask& task) {
    return task.from == Place::ready && task.record.place != Place::ready;
  }));
}

// A holder learns the effect of its own reports from their answers. A forced end raises the fence.
void WorkingSet::note_holder(const core::TaskRecord& record, const core::TaskChange& change) {
  if (!record.lease) return;
  const bool is_revoked = !change.lease && change.progress.fence > record.progress.fence;
  if (!is_revoked && change.event != core::TaskEvent::cancel_requested) return;
  notices_.push_back({.ns = record.lane->ns, .worker_id = record.lease->worker_id, .task_id = record.id});
}

void WorkingSet::change(WorkingTask& task, const core::TaskChange& change) {
  note_holder(task.record, change);
  const bool was_waiting =
      task.record.facts.key && task.record.place == Place::waiting && change.place != Place::waiting;
  if (was_waiting && core::is_terminal(change.status)) ++line(line_ref(task.record)).left_waiting;
  core::apply(task.record, change);
  task.is_changed = true;
  if (change.attempt) task.attempts.push_back(*change.attempt);
  if (change.error_boundary) task.error_boundaries.push_back(*change.error_boundary);
  if (!core::is_terminal(change.status) || !task.record.facts.key) return;
  if (core::planted(core::Canary::key_not_freed) && change.status == TaskStatus::dead_letter) return;
  WorkingLine& its_line = line(line_ref(task.record));
  if (its_line.line.head == task.record.id) {
    its_line.line.head = std::nullopt;
    its_line.is_changed = true;
  }
}

void WorkingSet::set_aside(WorkingTask& task, core::TimePoint now) {
  damaged_.push_back(
      {.id = task.record.id, .what = task.record.facts.labels.at(std::string{core::kUnreadableLabel})});
  change(task, core::decide_set_aside(task.record, now));
}

bool WorkingSet::join_line(const LineRef& ref, const core::TaskId& id) {
  WorkingLine& its_line = line(ref);
  its_line.is_changed = true;
  // If the head has ended and its successor is not determined yet, others may still stand before this task.
  if (!its_line.line.head && its_line.line.tail == 0 && its_line.joined.empty()) {
    its_line.line.head = id;
    return true;
  }
  return false;
}

void WorkingSet::note_waiting(const LineRef& ref, WorkingTask& task) {
  WorkingLine& its_line = line(ref);
  task.line_position = core::has_had_turn(task.record) ? store::kBeforeOthers : ++its_line.line.tail;
  its_line.joined.push_back(&task);
}

void WorkingSet::release(WorkingTask& task) {
  if (task.record.facts.key) {
    const LineRef ref = line_ref(task.record);
    const bool is_first = line(ref).line.head == task.record.id || join_line(ref, task.record.id);
    if (!is_first) {
      task.is_changed = true;
      return note_waiting(ref, task);
    }
  }
  change(task, core::decide_unblock(task.record, tx_.now()));
}

void WorkingSet::advance_lines() {
  for (auto& [ref, its_line] : lines_) {
    if (its_line.is_changed && !its_line.line.head) advance_line(ref, its_line);
  }
}

void WorkingSet::advance_line(const LineRef& ref, WorkingLine& its_line) {
  WorkingTask* next = next_in_line(ref, its_line);
  if (next == nullptr) return;
  its_line.line.head = next->record.id;
  change(*next, core::decide_unblock(next->record, tx_.now()));
}

WorkingTask* WorkingSet::next_in_line(const LineRef& ref, WorkingLine& its_line) {
  WorkingTask* next = first_stored(ref, its_line);
  for (WorkingTask* joined : its_line.joined) {
    if (joined->record.place != Place::waiting) continue;
    if (next == nullptr || core::overtakes(joined->record, next->record)) next = joined;
  }
  return next;
}

WorkingTask* WorkingSet::first_stored(const LineRef& ref, const WorkingLine& its_line) {
  // The store still lists the waiting tasks that this group took out of the line.
  const bool is_unfair = core::planted(core::Canary::key_taken_out_of_turn);
  auto waiting = tx_.first_waiting(ref, 1 + its_line.left_waiting + (is_unfair ? 1 : 0));
  if (is_unfair) std::reverse(waiting.begin(), waiting.end());
  for (core::TaskRecord& record : waiting) {
    WorkingTask* known = find(record.id);
    if (known == nullptr) return &add_loaded(std::move(record));
    if (known->record.place == Place::waiting) return known;
  }
  return nullptr;
}

void WorkingSet::give_turns() {
  if (!has_fair_) return;
  std::vector<core::TaskRecord*> tasks;
  for (WorkingTask* task : ready()) {
    core::TaskRecord& record = task->record;
    if (record.lane->is_ranked()) {
      record.turn = core::turn_of_rank(core::priority_of(record), record.available_at);
    } else if (record.lane->fair) {
      tasks.push_back(&record);
    }
  }
  if (!tasks.empty()) turns_ = engine::give_turns(tx_, std::move(tasks));
}

std::vector<WorkingTask*> WorkingSet::ready() {
  std::vector<WorkingTask*> ready;
  for (WorkingTask& task : tasks_) {
    if (task.is_changed && task.record.place == Place::ready) ready.push_back(&task);
  }
  return ready;
}

std::vector<Wake> WorkingSet::wakes() const {
  std::unordered_map<const core::Lane*, std::int64_t> counts;
  for (const WorkingTask& task : tasks_) {
    if (task.is_changed && task.record.place == Place::ready) ++counts[task.record.lane];
  }
  std::vector<Wake> wakes;
  for (const auto& [lane, count] : counts) wakes.push_back({.lane = lane, .count = count});
  std::sort(wakes.begin(), wakes.end(), [](const Wake& a, const Wake& b) { return a.lane->id < b.lane->id; });
  return wakes;
}

std::map<store::QueueRef, std::int64_t> WorkingSet::freed() const {
  std::map<store::QueueRef, std::int64_t> freed;
  for (const WorkingTask& task : tasks_) {
    if (task.from == Place::leased && task.record.place != Place::leased) {
      ++freed[{.ns = task.record.lane->ns, .name = task.record.lane->queue}];
    }
  }
  return freed;
}

std::optional<core::TimePoint> WorkingSet::earliest_scheduled() const {
  std::optional<core::TimePoint> earliest;
  for (const WorkingTask& task : tasks_) {
    if (!task.is_changed || task.record.place != Place::scheduled) continue;
    earliest = std::min(earliest.value_or(task.record.available_at), task.record.available_at);
  }
  return earliest;
}

std::unordered_map<const core::Lane*, std::int64_t> WorkingSet::held_deltas() const {
  std::unordered_map<const core::Lane*, std::int64_t> deltas;
  for (const WorkingTask& task : tasks_) {
    const int before = task.from == Place::leased ? 1 : 0;
    const int after = task.record.place == Place::leased ? 1 : 0;
    if (before != after) deltas[task.record.lane] += after - before;
  }
  return deltas;
}

std::int64_t WorkingSet::given_up_by(const store::HolderRef& holder) const {
  return std::count_if(tasks_.begin(), tasks_.end(), [&](const WorkingTask& task) {
    if (task.from != Place::leased || task.record.place == Place::leased || task.record.lane->ns != holder.ns)
      return false;
    // A completed attempt is the task's end; any other is kept as an attempt.
    return task.attempts.empty() ? task.record.end && task.record.end->worker_id == holder.worker_id
                                 : task.attempts.back().worker_id == holder.worker_id;
  });
}

store::WriteSet WorkingSet::writes() const {
  store::WriteSet writes;
  writes.tasks.reserve(tasks_.size());
  for (const WorkingTask& task : tasks_) {
    if (!task.is_changed) continue;
    writes.tasks.push_back({.is_new = task.is_new,
                            .has_key = task.has_key,
                            .from = task.from,
                            .fence_before = task.fence_before,
                            .record = &task.record,
                            .line_position = task.line_position,
                            .attempts = task.attempts,
                            .error_boundaries = task.error_boundaries});
  }
  for (const auto& [ref, its_line] : lines_) {
    if (its_line.is_changed) writes.lines.push_back({.ref = ref, .line = its_line.line});
  }
  writes.turns = turns_;
  for (const auto& [ref, queue] : queues_) {
    if (queue.is_changed) writes.queues.push_back({.ref = ref, .settings = queue.settings});
  }
  writes.depends_on.leases = compares_leases_;
  write_counts(writes);
  return writes;
}

void WorkingSet::write_counts(store::WriteSet& writes) const {
  std::unordered_map<const core::Lane*, QueueCounts> deltas;
  for (const WorkingTask& task : tasks_) {
    const Bucket after = bucket_of(task.record.place, task.record.status);
    if (after == task.counted_as) continue;
    if (core::planted(core::Canary::count_forgotten) && after == &QueueCounts::dead_letter) continue;
    QueueCounts& delta = deltas[task.record.lane];
    if (task.counted_as != nullptr) --(delta.*task.counted_as);
    if (after != nullptr) ++(delta.*after);
  }
  for (const auto& [lane, delta] : deltas) {
    if (!delta.is_zero()) writes.counts.push_back({.lane = lane, .delta = delta});
  }
  std::sort(writes.counts.begin(), writes.counts.end(),
            [](const auto& a, const auto& b) { return a.lane->id < b.lane->id; });
}

}  // namespace pawl::engine
