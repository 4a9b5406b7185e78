#pragma once
// Writes a transaction row by row with prepared statements: within one process that is as fast as set-based
// writes.

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

// Throws StoreError of kind retry if a task is no longer where it was loaded.
void write_all(Connection& connection, const WriteSet& writes, core::TimePoint now);

}  // namespace pawl::store::sqlite
