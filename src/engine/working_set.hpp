#pragma once
// The tasks, lines and queues that one group of commands touches. Commands change them here in turn, so that
// a later one sees the effect of an earlier one; one commit writes the result. One thread, one transaction.

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/task/task_machine.hpp"
#include "engine/lease_notices.hpp"
#include "engine/waiters.hpp"
#include "store/store.hpp"

namespace pawl::engine {

using Bucket = std::int64_t core::QueueCounts::*;

// The count that includes tasks of this place and status; nullptr for none.
[[nodiscard]] Bucket bucket_of(core::Place place, core::TaskStatus status);

struct WorkingTask {
  core::TaskRecord record;
  bool is_new = false;
  bool has_key = false;  // its idempotency key maps to it already
  bool is_changed = false;
  core::Place from = core::Place::nowhere;
  std::int64_t fence_before = 0;
  Bucket counted_as = nullptr;  // before this group
  std::int64_t line_position = store::kHeldByRun;
  std::vector<core::Attempt> attempts = {};  // that ended in this group
  std::vector<core::RawJson> error_boundaries = {};
};

struct WorkingLine {
  store::Line line;
  bool is_changed = false;
  std::size_t left_waiting = 0;           // tasks that this group canceled while they waited
  std::vector<WorkingTask*> joined = {};  // tasks that this group added to the waiting ones
};

struct WorkingQueue {
  core::QueueSettings settings;
  bool is_changed = false;
};

// A damaged task that was set aside, for the log.
struct DamagedTask {
  core::TaskId id = {};
  std::string what = {};  // the part that cannot be read
};

class WorkingSet {
 public:
  explicit WorkingSet(store::Transaction& tx) : tx_(tx) {}

  void load(std::span<const store::LoadTask> tasks);
  void load_attempts(std::span<const core::LeaseRef> refs);
  void load_idempotency(std::vector<store::IdempotencyRef> refs);
  void lock_queues(std::vector<store::QueueRef> refs);
  // Locks those that are not locked yet.
  void lock_lines(std::vector<store::LineRef> refs);

  [[nodiscard]] WorkingTask* find(const core::TaskId& id);
  // Finds only tasks of the namespace.
  [[nodiscard]] WorkingTask* find(const std::string& ns, const core::TaskId& id);
  // A loaded attempt, or one that ended in this group; null if there is none.
  [[nodiscard]] const core::Attempt* past_attempt(const WorkingTask& task, std::int64_t fence) const;
  // Gives the idempotency key to the task, unless a task has it already; returns the task that has it.
  struct KeyOwner {
    core::TaskId id = {};
    bool is_new = false;
  };
  [[nodiscard]] KeyOwner give_key(store::IdempotencyRef ref, const core::TaskId& id);
  [[nodiscard]] WorkingLine& line(const store::LineRef& ref);
  [[nodiscard]] WorkingTask& newest() { return tasks_.back(); }
  WorkingTask& add_new(core::TaskRecord&& record);
  // Adds a task that tx.take_ready took. It is in the ready place of this set until a claim gets it. A task
  // that this group has moved already (the store has it ready until the commit) stays where the group put it.
  void add_taken(core::TaskRecord record);
  // How many tasks of the store's ready place this group has moved elsewhere.
  [[nodiscard]] std::size_t moved_from_ready() const;

  void change(WorkingTask& task, const core::TaskChange& change);
  // Sets a damaged claimable task aside; see core::decide_set_aside.
  void set_aside(WorkingTask& task, core::TimePoint now);
  [[nodiscard]] const std::vector<DamagedTask>& damaged() const { return damaged_; }
  // Notices for the leases that this group canceled or revoked.
  [[nodiscard]] std::vector<LeaseNotice> take_notices() { return std::exchange(notices_, {}); }

  // Releases a task that its run held: into the line of its key, or to where it can be claimed.
  void release(WorkingTask& task);

  // Makes a keyed task the head of its line if the line is empty; false: the task has to wait there.
  [[nodiscard]] bool join_line(const store::LineRef& ref, const core::TaskId& id);
  void note_waiting(const store::LineRef& ref, WorkingTask& task);
  // Releases the next task of every line whose head has ended.
  void advance_lines();
  // Gives turns to the claimable tasks of fair lanes. No task may become claimable after it.
  void give_turns();

  // Fills in `shown` with the task as it is at the end of the group, when `fill_in_shown` is called.
  void show_at_end(const WorkingTask& task, std::shared_ptr<core::Task> shown);
  void fill_in_shown() const;
  // Lets the commit compare the leases that the group has read, even if it changes none of their tasks.
  void compare_leases() { compares_leases_ = true; }

  [[nodiscard]] std::map<store::QueueRef, WorkingQueue>& queues() { return queues_; }
  // Tasks that this group made claimable or took, and that no claim has got yet.
  [[nodiscard]] std::vector<WorkingTask*> ready();
  [[nodiscard]] std::vector<Wake> wakes() const;
  // Queues in which this group ended leases, and how many.
  [[nodiscard]] std::map<store::QueueRef, std::int64_t> freed() const;
  [[nodiscard]] std::optional<core::TimePoint> earliest_scheduled() const;
  // How many more leases each lane has than before this group.
  [[nodiscard]] std::unordered_map<const core::Lane*, std::int64_t> held_deltas() const;
  // How many leases of the worker ended in this group.
  [[nodiscard]] std::int64_t given_up_by(const store::HolderRef& holder) const;

  [[nodiscard]] store::WriteSet writes() const;

 private:
  WorkingTask& add_loaded(core::TaskRecord&& record);
  void note_holder(const core::TaskRecord& record, const core::TaskChange& change);
  void advance_line(const store::LineRef& ref, WorkingLine& line);
  [[nodiscard]] WorkingTask* next_in_line(const store::LineRef& ref, WorkingLine& line);
  [[nodiscard]] WorkingTask* first_stored(const store::LineRef& ref, const WorkingLine& line);
  void write_counts(store::WriteSet& writes) const;

  store::Transaction& tx_;
  std::deque<WorkingTask> tasks_;  // a deque: addresses stay valid
  std::unordered_map<core::TaskId, WorkingTask*> by_id_;
  std::map<store::LineRef, WorkingLine> lines_;
  std::map<store::QueueRef, WorkingQueue> queues_;
  std::vector<store::TurnsWrite> turns_;
  std::vector<LeaseNotice> notices_;
  std::vector<DamagedTask> damaged_;
  std::map<std::pair<core::TaskId, std::int64_t>, core::Attempt> past_attempts_;
  std::map<store::IdempotencyRef, core::TaskId> idempotency_;
  std::vector<std::pair<const WorkingTask*, std::shared_ptr<core::Task>>> shown_;  // shared with the answers
  bool has_fair_ = false;
  bool compares_leases_ = false;
};

[[nodiscard]] store::LineRef line_ref(const core::TaskRecord& record);

}  // namespace pawl::engine
