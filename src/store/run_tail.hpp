#pragma once
// Reads runs whose rows lag behind their log (core/run/run_lag.hpp): applies the tail, the events after the
// row's sequence.

#include <vector>

#include "core/run/run_apply.hpp"
#include "store/runs.hpp"

namespace pawl::store {

// Only such runs may lag, so the row alone shows whether to read a tail.
[[nodiscard]] bool may_have_tail(const core::Run& row);

// The sequence that the tail starts after: 0, the whole log, if the run has no node rows.
[[nodiscard]] std::int64_t tail_from(const core::RunRowMark& row);

// The nodes that the events of the tail change or read, sorted. `catch_up` needs no other stored nodes, so
// the run's history is not read.
[[nodiscard]] std::vector<core::NodeKey> nodes_of_tail(const std::vector<StoredEvent>& tail);

// Applies the tail to a run as read from its row. `nodes` holds at least the stored nodes that the tail
// needs, sorted by key. If the log was modified and does not fit the row, nothing changes except that
// `misfit` says why.
void catch_up(StoredRun& stored, const std::vector<StoredEvent>& tail);

// Sets the nodes of `stored` to the page: the stored `rows`, overlaid with the nodes whose rows lag
// (`ahead`).
void put_page(StoredRun& stored, core::NodeSlice rows, const core::NodePage& page);

}  // namespace pawl::store
