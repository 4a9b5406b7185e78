#pragma once
// Reads queue settings from rows: paused, max_concurrency, type_concurrency, rate_limit, rate_per_us,
// rate_spent_until.

#include <span>
#include <vector>

#include "store/postgres/params.hpp"
#include "store/postgres/rows.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

[[nodiscard]] core::QueueSettings read_settings(const Rows& rows, int row, int column);

// For queries that take queues as two arrays and return their position, from 1 on, in column 0.
[[nodiscard]] Params refs_of(std::span<const QueueRef> refs);
[[nodiscard]] std::vector<core::QueueSettings> read_settings_of(const Rows& rows, std::size_t count);

}  // namespace pawl::store::postgres
