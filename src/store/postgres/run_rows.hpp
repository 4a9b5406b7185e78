#pragma once
// Rows to runs and what they are made of. The queries name the columns in the order that is said here.

#include <vector>

#include "store/postgres/connection.hpp"
#include "store/runs.hpp"

namespace pawl::store::postgres {

// facts, state, sequence, updated_at, hash, standing, output: columns 0 to 6.
[[nodiscard]] StoredRun read_run(const Rows& rows, int row);
inline constexpr int kAfterRun = 7;

// node, item, state, timer_at, body, output: columns 0 to 5.
[[nodiscard]] core::Node read_node(const Rows& rows, int row);
[[nodiscard]] std::vector<core::Node> read_nodes(const Rows& rows);
inline constexpr int kAfterNode = 6;

// sequence, name, idempotency_key, consumed_node, consumed_item, payload.
[[nodiscard]] std::vector<core::Signal> read_signals(const Rows& rows);
inline constexpr int kAfterSignal = 6;

// sequence, type, at, caused_by, actor_type, actor_id, trace_id, span_id, hash, payload.
[[nodiscard]] std::vector<StoredEvent> read_events(const Rows& rows);

[[nodiscard]] core::RunId read_run_id(const Rows& rows, int row, int column);
// node and item.
[[nodiscard]] core::NodeKey read_key(const Rows& rows, int row, int column);

}  // namespace pawl::store::postgres
