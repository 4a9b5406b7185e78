#pragma once
// Writes the tasks of a group row by row with prepared statements: within one process that is as fast as
// set-based writes.

#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

// Throws StoreError of kind retry if a task is no longer where it was loaded.
void write_tasks(Connection& connection, const std::vector<TaskWrite>& writes, core::TimePoint now);

}  // namespace pawl::store::sqlite
