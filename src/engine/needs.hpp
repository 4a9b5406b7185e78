#pragma once
// Collects the rows that the commands of one group read and change. They are loaded and locked together, kind
// by kind and in sorted order: few round trips, and two groups lock the rows of a kind in the same order.
// One thread.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/records/record.hpp"
#include "store/store.hpp"

namespace pawl::engine {

struct GroupContext;

struct TaskNeed {
  store::LoadTask task;
  bool line = false;                         // lock the line of its key too
  bool run = false;                          // lock its run too
  std::optional<std::int64_t> attempt = {};  // load the attempt with this fence too, if it is over
};

// A row may be listed several times.
struct Needs {
  std::vector<TaskNeed> tasks = {};
  std::vector<store::IdempotencyRef> idempotency = {};
  std::vector<store::LineRef> lines = {};
  std::vector<store::QueueRef> queues = {};
  std::vector<core::RecordRef> records = {};
  std::vector<core::Uuid> checkpoints = {};  // owners, for the number of their last checkpoint
  std::vector<core::RunId> runs = {};
  std::vector<core::RunId> runs_of_bodies = {};  // whose bodies write steps
  std::vector<store::NodeRef> nodes = {};
  std::vector<store::RunKeyRef> run_keys = {};
};

// Loads and locks the rows, into the working sets of the group.
void load_rows(Needs needs, GroupContext& group);

}  // namespace pawl::engine
