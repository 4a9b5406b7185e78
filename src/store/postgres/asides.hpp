#pragma once
// Loads the facts that only tasks of some lanes have, in tables of their own: the run and the fairness key.

#include <span>
#include <vector>

#include "store/postgres/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

// Fills them in for the tasks whose lanes require it, in one round trip; none if there are no such tasks.
void fill_in_asides(Connection& connection, std::span<core::TaskRecord* const> records);
void fill_in_asides(Connection& connection, std::vector<core::TaskRecord>& records);

}  // namespace pawl::store::postgres
