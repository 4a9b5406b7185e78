#pragma once
// Reads and writes queues: their settings and counts.

#include <span>
#include <vector>

#include "store/postgres/connection.hpp"
#include "store/postgres/params.hpp"
#include "store/postgres/rows.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

// paused, max_concurrency, type_concurrency, rate_limit, rate_per_us, rate_spent_until, from `column` on.
[[nodiscard]] core::QueueSettings read_settings(const Rows& rows, int row, int column);

// For queries that take queues as two arrays and return their position, from 1 on, in column 0.
[[nodiscard]] Params refs_of(std::span<const QueueRef> refs);
[[nodiscard]] std::vector<core::QueueSettings> read_settings_of(const Rows& rows, std::size_t count);

// Two answers: whether the worker's record is locked now, and how many leases the worker holds.
void ask_for_held_if_free(Connection& connection, const HolderRef& holder);

// Adds to the counts of the lanes.
void send_counts(Connection& connection, const std::vector<CountsWrite>& counts);

}  // namespace pawl::store::postgres
