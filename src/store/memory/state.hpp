#pragma once
// The data of the memory store: one row per task, and for each place the order in which it is read.

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "store/lanes.hpp"
#include "store/store.hpp"

namespace pawl::store::memory {

struct Row {
  core::TaskRecord record;
  std::int64_t line_position = kHeldByRun;
  std::vector<core::Attempt> attempts;
};

using Due = std::pair<core::TimePoint, core::TaskId>;

// The turns given in a fair lane.
struct FairLane {
  core::Turn last = 0;
  std::map<std::string, core::KeyTurns> keys;
};

struct RunRow {
  core::Run run;
  std::string hash;
  std::map<core::NodeKey, core::Node> nodes;
  std::map<std::int64_t, core::Signal> signals;
  std::vector<StoredEvent> events;
};

struct State {
  LaneCache lanes;
  std::map<core::TaskId, Row> tasks;            // by id, that is by creation
  std::map<std::int32_t, std::set<Due>> ready;  // by core::lane_time
  std::set<Due> scheduled;
  std::set<Due> leases;  // by when they must be checked: expiry or timeout, whichever is first
  std::map<LineRef, Line> lines;
  std::map<LineRef, std::set<std::pair<std::int64_t, core::TaskId>>> waiting;  // by position and id
  std::map<std::int32_t, FairLane> fair_lanes;
  std::map<IdempotencyRef, core::TaskId> idempotency;
  std::map<QueueRef, core::QueueSettings> queues;
  std::map<std::int32_t, core::QueueCounts> counts;
  std::map<core::RecordRef, core::Record> records;
  std::map<core::Uuid, std::vector<core::Checkpoint>> checkpoints;  // by owner, a task or a run
  std::vector<core::AuditEntry> audit;                              // oldest first
  std::map<core::RunId, RunRow> runs;                               // by id, that is by creation
  std::map<RunKeyRef, core::RunId> run_keys;
  std::set<std::pair<core::TimePoint, NodeRef>> timers;
  std::set<std::pair<core::TimePoint, core::RunId>> deadlines;  // only of runs that may still miss them

  // Adds the row to, or removes it from, the index of its place.
  void enter_place(const Row& row);
  void leave_place(const Row& row);
};

[[nodiscard]] core::TimePoint check_at(const core::Lease& lease);
[[nodiscard]] LineRef line_of(const Row& row);
[[nodiscard]] bool matches(const Row& row, const TaskFilter& filter);

}  // namespace pawl::store::memory
