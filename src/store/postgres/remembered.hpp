#pragma once
// What this node wrote a moment ago and is likely to be asked for next, so that it need not be read back: the
// facts of tasks that wait to be claimed, and leases that wait to be completed or whose bodies write steps.
// Bounded; the oldest go first.
//
// Always: losing an entry costs a read. Facts never change. A lease may be changed by other nodes, so a
// remembered one is only good for a write that the commit compares with the row at its address. Any thread.

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/task.hpp"
#include "store/postgres/params.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

class RememberedFacts {
 public:
  void remember(std::span<const TaskWrite> committed);
  // Fills in the facts of those it knows, and forgets them: a task is claimed once, mostly.
  void recall(std::span<core::TaskRecord> records);
  void forget_all();

 private:
  struct Entry {
    core::TaskFacts facts;
    std::size_t bytes = 0;
  };

  std::mutex mutex_;
  std::unordered_map<core::TaskId, Entry> facts_;
  std::deque<core::TaskId> oldest_first_;  // also of those that are gone
  std::size_t bytes_ = 0;
};

inline constexpr std::int64_t kFirstFence = 1;

// Of tasks that were claimed for the first time, and neither started nor renewed since.
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

  // `addresses` says where the rows of `committed` stand, in the same order.
  void remember(std::span<const TaskWrite* const> committed, std::span<const Address> addresses);
  // Each is forgotten, asked for or not: whoever loads a task is about to change it, but for those who want
  // no more than that it is held.
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
