#pragma once
// Converts rows to records. The queries return the columns in the order given here.

#include "core/task/task.hpp"
#include "store/postgres/rows.hpp"

namespace pawl::store::postgres {

// id, lane (left to the caller), attempt, fence, budget_from, available_at: columns 0 to 5.
[[nodiscard]] core::TaskRecord read_record(const Rows& rows, int row, core::Place place);
inline constexpr int kLaneColumn = 1;
inline constexpr int kAfterRecord = 6;

// created_at, timeout_us, key, idempotency_key, retry, labels, payload, from `column` on.
void read_facts(const Rows& rows, int row, int column, core::TaskRecord& record);
inline constexpr int kFactsColumns = 7;

// worker_id, acquired_at, expires_at, heartbeat_at, started_at, timeout_us, timeout_at, renewals,
// cancel_requested.
void read_lease(const Rows& rows, int row, int column, core::TaskRecord& record);
inline constexpr int kLeaseColumns = 9;

// status, worker_id, end_fence, claimed_at, started_at, finished_at, output, error.
void read_end(const Rows& rows, int row, int column, core::TaskRecord& record);
inline constexpr int kEndColumns = 8;

[[nodiscard]] core::TaskStatus read_status(const Rows& rows, int row, int column);

// fence, attempt, claimed_at, started_at, finished_at, outcome, status_after, worker_id, error.
[[nodiscard]] core::Attempt read_attempt(const Rows& rows, int row, int column);

[[nodiscard]] core::Place place_from(std::string_view name);

}  // namespace pawl::store::postgres
