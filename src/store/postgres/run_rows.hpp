#pragma once
// Converts rows to runs and their parts. The queries return the columns in the order given here.

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
// Sets `misfit` to the reason if the node cannot be read and `misfit` is still empty.
[[nodiscard]] core::Node read_node(const Rows& rows, int row, std::string& misfit);
[[nodiscard]] std::vector<core::Node> read_nodes(const Rows& rows);
inline constexpr int kAfterNode = 6;

// sequence, name, idempotency_key, consumed_node, consumed_item, payload.
[[nodiscard]] std::vector<core::Signal> read_signals(const Rows& rows);
inline constexpr int kAfterSignal = 6;

// sequence, type, at, caused_by, actor_type, actor_id, trace_id, span_id, hash, payload.
[[nodiscard]] std::vector<StoredEvent> read_events(const Rows& rows);
inline constexpr int kAfterEvent = 10;

// The events after each run's row, by position in the request, with the sequence of the row if there is one.
struct Tail {
  std::optional<std::int64_t> row_sequence = {};
  std::vector<StoredEvent> events = {};
};
[[nodiscard]] std::vector<Tail> read_tails(const Rows& rows, std::size_t count);

// Queries runs with their nodes, not locked.
void ask_for_runs(Connection& connection, std::span<const core::RunId> ids);
// Reads the three answers. Nullopt if a row was written between them, which cannot happen within one
// snapshot: query again.
[[nodiscard]] std::optional<std::vector<std::optional<StoredRun>>> read_runs(std::span<const Rows> answers,
                                                                             std::size_t count);
inline constexpr std::size_t kRunsAnswers = 3;

// How often the nodes that a tail needs may change while they are read.
inline constexpr int kTailTries = 3;

// Queries runs without their nodes, not locked, plus the given nodes, which must be those that the tails
// need.
void ask_for_runs_with(Connection& connection, std::span<const core::RunId> ids,
                       std::span<const NodeRef> nodes);
// Reads its answers, which are of one snapshot. If nodes other than those in `nodes` are needed, stores these
// in `nodes` and returns nullopt.
[[nodiscard]] std::optional<std::vector<std::optional<StoredRun>>> read_runs_with(
    std::span<const Rows> answers, std::span<const core::RunId> ids, std::vector<NodeRef>& nodes);

// Queries runs with a page of their nodes each, not locked, plus the given nodes, which the tails may need.
void ask_for_pages(Connection& connection, std::span<const PeekRun> peeks, std::span<const NodeRef> nodes);
// Reads its answers. If nodes other than those in `nodes` are needed, adds these to `nodes`, sorted, and
// returns nullopt. Throws `retry` if a row was written between the answers, which are not always of one
// snapshot.
[[nodiscard]] std::optional<std::vector<std::optional<StoredRun>>> read_pages(std::span<const Rows> answers,
                                                                              std::span<const PeekRun> peeks,
                                                                              std::vector<NodeRef>& nodes);
inline constexpr std::size_t kPagesAnswers = 4;

// The parameters of find_node; its rows have the position of their reference after the node's columns.
[[nodiscard]] Params params_of(std::span<const NodeRef> refs);

// Converts a position from 1 on to an index.
[[nodiscard]] std::size_t read_place(const Rows& rows, int row, int column);

[[nodiscard]] core::RunId read_run_id(const Rows& rows, int row, int column);
// node and item.
[[nodiscard]] core::NodeKey read_key(const Rows& rows, int row, int column);

}  // namespace pawl::store::postgres
