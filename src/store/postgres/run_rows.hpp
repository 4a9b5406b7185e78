#pragma once
// Rows to runs and what they are made of. The queries name the columns in the order that is said here.

#include <optional>
#include <span>
#include <vector>

#include "store/postgres/connection.hpp"
#include "store/runs.hpp"

namespace pawl::store::postgres {

// facts, state, sequence, updated_at, hash, standing, output, bare, id: columns 0 to 8.
[[nodiscard]] StoredRun read_run(const Rows& rows, int row);
inline constexpr int kAfterRun = 9;

// node, item, state, timer_at, body, output: columns 0 to 5.
[[nodiscard]] core::Node read_node(const Rows& rows, int row);
// Why it cannot be read is put into `misfit`, if there is none yet.
[[nodiscard]] core::Node read_node(const Rows& rows, int row, std::string& misfit);
[[nodiscard]] std::vector<core::Node> read_nodes(const Rows& rows);
inline constexpr int kAfterNode = 6;

// sequence, name, idempotency_key, consumed_node, consumed_item, payload.
[[nodiscard]] std::vector<core::Signal> read_signals(const Rows& rows);
inline constexpr int kAfterSignal = 6;

// sequence, type, at, caused_by, actor_type, actor_id, trace_id, span_id, hash, payload.
[[nodiscard]] std::vector<StoredEvent> read_events(const Rows& rows);
inline constexpr int kAfterEvent = 10;

// The events that rows lag behind, by place; at each place also what the row says, where there is one.
struct Tail {
  std::optional<std::int64_t> row_sequence = {};
  std::vector<StoredEvent> events = {};
};
[[nodiscard]] std::vector<Tail> read_tails(const Rows& rows, std::size_t count);

// Runs with their nodes, not locked.
void ask_for_runs(Connection& connection, std::span<const core::RunId> ids);
// From the three answers. Nothing where a row was written between them, which is not seen in one moment's
// reads: ask again.
[[nodiscard]] std::optional<std::vector<std::optional<StoredRun>>> read_runs(std::span<const Rows> answers,
                                                                             std::size_t count);
inline constexpr std::size_t kRunsAnswers = 3;

// How often the nodes that a tail needs may change while they are read.
inline constexpr int kTailTries = 3;

// Runs without their nodes, not locked: reads the given nodes, which must be those that the tails need.
void ask_for_runs_with(Connection& connection, std::span<const core::RunId> ids,
                       std::span<const NodeRef> nodes);
// From its answers, of one snapshot. Other nodes than those in `nodes` are needed: puts them there and
// returns nothing.
[[nodiscard]] std::optional<std::vector<std::optional<StoredRun>>> read_runs_with(
    std::span<const Rows> answers, std::span<const core::RunId> ids, std::vector<NodeRef>& nodes);

// Runs with a page of their nodes each, not locked: reads also the given nodes, which the tails may need.
void ask_for_pages(Connection& connection, std::span<const PeekRun> peeks, std::span<const NodeRef> nodes);
// From its answers. Other nodes than those in `nodes` are needed: puts them there and returns nothing. Throws
// `retry` where a row was written between the answers, which are not always of one snapshot.
[[nodiscard]] std::optional<std::vector<std::optional<StoredRun>>> read_pages(std::span<const Rows> answers,
                                                                              std::span<const PeekRun> peeks,
                                                                              std::vector<NodeRef>& nodes);
inline constexpr std::size_t kPagesAnswers = 4;

// The parameters of find_node; its rows have the place of their reference behind the node's columns.
[[nodiscard]] Params params_of(std::span<const NodeRef> refs);

// In a column of places from 1 on.
[[nodiscard]] std::size_t read_place(const Rows& rows, int row, int column);

[[nodiscard]] core::RunId read_run_id(const Rows& rows, int row, int column);
// node and item.
[[nodiscard]] core::NodeKey read_key(const Rows& rows, int row, int column);

}  // namespace pawl::store::postgres
