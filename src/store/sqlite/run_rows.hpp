#pragma once
// Converts rows to runs and their parts. Each function reads the columns of the query in sql/ that its
// comment names, in order.

#include <string>
#include <vector>

#include "core/run/node_page.hpp"
#include "store/runs.hpp"
#include "store/sqlite/statement.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] core::RunId read_run_id(Rows& row);
// node and item.
[[nodiscard]] core::NodeKey read_key(Rows& row);
// run_row.
[[nodiscard]] StoredRun read_run(Rows& row);
// find_node. Sets `misfit` to the reason if the node cannot be read and `misfit` is still empty.
[[nodiscard]] core::Node read_node(Rows& row, std::string& misfit);
[[nodiscard]] core::Node read_node(Rows& row);
[[nodiscard]] std::vector<core::Node> read_nodes(Rows& row);
// list_node_page. Stops after the page, without reading the bytes beyond it.
[[nodiscard]] core::NodeSlice read_slice(Rows& row, const core::NodePage& page, std::string& misfit);
// list_signals.
[[nodiscard]] std::vector<core::Signal> read_signals(Rows& row);
// list_events.
[[nodiscard]] StoredEvent read_event(Rows& row);

}  // namespace pawl::store::sqlite
