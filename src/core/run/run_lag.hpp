#pragma once
// Lets the row of a run, and those of its nodes, lag behind its event log: a step of a body then appends one
// event and rewrites nothing, and a reader of the run applies the events that follow the row
// (docs/adr/0023-rows-that-lag.md).
//
// A row never lags if a query would miss it: by its state, its deadline, a timer, or as a run that is silent
// for too long.

#include <cstdint>
#include <span>

#include "core/run/run_event.hpp"
#include "core/run/working_run.hpp"

namespace pawl::core {

// The position of a run's stored row in the event log, and its flags.
struct RunRowMark {
  std::int64_t sequence = 0;  // the last event included in the row; 0: there is no row
  TimePoint updated_at = {};
  bool is_retrying = false;
  bool is_bare = false;
};
[[nodiscard]] RunRowMark mark_of(const Run& run);

// Whether the row may stay unchanged when these events, which are applied already, are appended.
[[nodiscard]] bool may_lag(const RunRowMark& row, WorkingRun& working, std::span<const RunEvent> events);

// Whether the row may be written without the rows of its nodes: a short code run that never waits between its
// start and its end has none, and readers of its nodes replay its log.
[[nodiscard]] bool may_be_bare(const RunRowMark& row, const WorkingRun& working);

}  // namespace pawl::core
