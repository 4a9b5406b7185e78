#pragma once
// Reads runs and their parts. The connection is in a transaction.

#include <cstdint>
#include <optional>
#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] std::optional<core::Node> find_node_row(Connection& connection, const NodeRef& ref);

enum class Wanted : std::uint8_t { run, ahead, nodes };  // `ahead`: only nodes whose rows lag
[[nodiscard]] std::optional<StoredRun> find_row(Connection& connection, const core::RunId& id, Wanted wanted);
[[nodiscard]] std::optional<StoredRun> find_with_page(Connection& connection, const core::RunId& id,
                                                      const core::NodePage& page);

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
