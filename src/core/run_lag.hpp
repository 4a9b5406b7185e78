#pragma once
// The row of a run, and those of its nodes, may lag behind its log: a step of a body is then one event that
// is appended and nothing that is rewritten, and whoever reads the run applies the events that come after the
// row's (docs/adr/0023-rows-that-lag.md).
//
// Never while the row would be looked for in the wrong place: by its state, its deadline, a timer, or as one
// that is silent for too long.

#include <cstdint>
#include <span>

#include "core/run_event.hpp"
#include "core/working_run.hpp"

namespace pawl::core {

// What the row of a run says.
struct RunRowMark {
  std::int64_t sequence = 0;  // of the last event that it knows; 0: there is no row
  TimePoint updated_at = {};
  bool is_retrying = false;
  bool is_bare = false;
};
[[nodiscard]] RunRowMark mark_of(const Run& run);

// Whether the row may stay as it is when these events are appended. They are applied already.
[[nodiscard]] bool may_lag(const RunRowMark& row, WorkingRun& working, std::span<const RunEvent> events);

// Whether the row may be written without rows of its nodes: a short run of code that goes from its start to
// its end without waiting has none, and whoever wants to see them replays its log.
[[nodiscard]] bool may_be_bare(const RunRowMark& row, const WorkingRun& working);

}  // namespace pawl::core
