#pragma once
// What is shared by turns: whose tasks are, and which turns were given in fair lanes.

#include <span>
#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

// Of a task whose lane is fair.
[[nodiscard]] std::optional<core::Fairness> find_fairness(Connection& connection, const core::TaskId& id);

void write_turns(Connection& connection, const std::vector<TurnsWrite>& writes);

}  // namespace pawl::store::sqlite
