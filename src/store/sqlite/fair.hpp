#pragma once
// Reads and writes fairness data: the fairness keys of tasks and the turns given in fair lanes.

#include <span>
#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

// For a task in a fair lane.
[[nodiscard]] std::optional<core::Fairness> find_fairness(Connection& connection, const core::TaskId& id);

void write_turns(Connection& connection, const std::vector<TurnsWrite>& writes);

}  // namespace pawl::store::sqlite
