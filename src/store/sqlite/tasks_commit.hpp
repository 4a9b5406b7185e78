#pragma once
// The writes of a transaction, row by row with prepared statements: inside one process that is as fast as
// sets.

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

// Throws StoreError of kind retry for a task that is not where it was loaded.
void write_all(Connection& connection, const WriteSet& writes, core::TimePoint now);

}  // namespace pawl::store::sqlite
