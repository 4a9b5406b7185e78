#pragma once
// Reads and writes runs.

#include <optional>
#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

// Throws StoreError of kind retry if a run is no longer at the sequence it was loaded at.
void write_runs(Connection& connection, const WriteSet& writes);

[[nodiscard]] std::optional<StoredRun> find_run(Connection& connection, const core::RunId& id,
                                                RunParts parts);
[[nodiscard]] std::vector<core::Run> list_runs(Connection& connection, const RunPage& page);
[[nodiscard]] std::vector<StoredEvent> list_run_events(Connection& connection, const core::RunId& run,
                                                       std::int64_t after, std::size_t limit);
[[nodiscard]] DueRuns due_runs(Connection& connection, core::TimePoint now, std::size_t limit);
[[nodiscard]] std::vector<core::RunId> stuck_runs(Connection& connection, core::TimePoint silent_since,
                                                  std::size_t limit);

// The run and node of a task whose lane is of runs.
[[nodiscard]] std::optional<core::TaskRun> find_task_run(Connection& connection, const core::TaskId& id);

}  // namespace pawl::store::sqlite
