#pragma once
// What only tasks of some lanes have, in tables of their own: their run, their fairness key.

#include <span>
#include <vector>

#include "store/postgres/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

// Of the tasks whose lanes say that they have it; one round trip for all of them, or none.
void fill_in_asides(Connection& connection, std::span<core::TaskRecord* const> records);
void fill_in_asides(Connection& connection, std::vector<core::TaskRecord>& records);

}  // namespace pawl::store::postgres
