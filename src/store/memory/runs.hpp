#pragma once
// Reads runs from the memory store. The caller holds the store's lock.

#include "store/memory/state.hpp"

namespace pawl::store::memory {

[[nodiscard]] std::optional<StoredRun> find_run(const State& state, const core::RunId& id, RunParts parts);
[[nodiscard]] std::vector<core::Run> list_runs(const State& state, const RunPage& page);
[[nodiscard]] std::vector<StoredEvent> list_run_events(const State& state, const core::RunId& run,
                                                       std::int64_t after, std::size_t limit);
[[nodiscard]] DueRuns due_runs(const State& state, core::TimePoint now, std::size_t limit);
[[nodiscard]] std::vector<core::RunId> stuck_runs(const State& state, core::TimePoint silent_since,
                                                  std::size_t limit);

}  // namespace pawl::store::memory
