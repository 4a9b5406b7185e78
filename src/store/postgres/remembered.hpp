#pragma once
// Caches of what this node has just written and will probably read next: the facts of tasks that wait to be
// claimed, and leases that wait to be completed or whose bodies write steps. Bounded; the oldest entries are
// evicted first.
//
// Losing an entry costs a read. Facts never change. Other nodes may change a lease, so a cached one is only
// valid for a write that the commit compares with the row at its address. Thread-safe.

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/task/task.hpp"
#include "store/postgres/params.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

class RememberedFacts {
 public:
  void remember(std::span<const TaskWrite> committed);
  // Fills in the facts of cached tasks and evicts them: a task is usually claimed once.
  void recall(std::span<core::TaskRecord> records);
  void forget_all();

 private:
  struct Entry {
    core::TaskFacts facts;
    std::size_t bytes = 0;
  };

  std::mutex mutex_;
  std::unordered_map<core::TaskId, Entry> facts_;
  std::deque<core::TaskId> oldest_first_;  // includes tasks that are gone
  std::size_t bytes_ = 0;
};

inline constexpr std::int64_t kFirstFence = 1;

// The lease of a task that was claimed for the first time, and neither started nor renewed since.
struct RememberedLease {
  const core::Lane* lane = nullptr;
  core::TimePoint available_at = {};
  core::TimePoint acquired_at = {};
  core::TimePoint expires_at = {};
  std::string worker_id = {};
  std::optional<core::TaskRun> run = {};
  Address address = {};

  [[nodiscard]] core::TaskRecord record(const core::TaskId& id) const;
};

class RememberedLeases {
 public:
  explicit RememberedLeases(std::size_t max) : max_(max) {}

  // `addresses` are those of the rows of `committed`, in the same order.
  void remember(std::span<const TaskWrite* const> committed, std::span<const Address> addresses);
  // Evicts each task, used or not, because loading a task usually precedes a change of it; loads that only
  // check that it is held keep the entry.
  [[nodiscard]] std::vector<std::optional<RememberedLease>> recall(std::span<const LoadTask> tasks,
                                                                   core::TimePoint now);
  void forget(const core::TaskId& id);
  void forget_all();

 private:
  const std::size_t max_;
  std::mutex mutex_;
  std::unordered_map<core::TaskId, RememberedLease> leases_;
  std::deque<core::TaskId> oldest_first_;
};

}  // namespace pawl::store::postgres
