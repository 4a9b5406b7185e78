#pragma once
// The row of a run may lag behind its log (core/run_lag.hpp); a store that keeps it so reads it with the
// events that come after it.

#include <vector>

#include "core/run_apply.hpp"
#include "store/runs.hpp"

namespace pawl::store {

// Only these may lag: whoever knows the row knows whether there is a tail to look for.
[[nodiscard]] bool may_have_tail(const core::Run& row);

// The tail are the events after this one: all of them where there are no rows of nodes.
[[nodiscard]] std::int64_t tail_from(const core::RunRowMark& row);

// The nodes that the tail changes or that its events look at, sorted: all that `catch_up` needs of the stored
// ones, so that it does not read the run's history.
[[nodiscard]] std::vector<core::NodeKey> nodes_of_tail(const std::vector<StoredEvent>& tail);

// Applies the tail to what was read of the row, with the stored nodes that it needs (sorted by key; others
// may be missing) in `nodes`. A log that somebody has changed may not fit: then all stays as it was read, and
// `misfit` says why.
void catch_up(StoredRun& stored, const std::vector<StoredEvent>& tail);

// The nodes of `stored` become the page: `rows` as they are stored, with those whose rows lag (`ahead`).
void put_page(StoredRun& stored, core::NodeSlice rows, const core::NodePage& page);

}  // namespace pawl::store
