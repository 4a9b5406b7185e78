#pragma once
// Writes the runs of a group: their rows, nodes, signals, events and keys.

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

// Throws StoreError of kind retry if a run is no longer at the sequence it was loaded at.
void write_runs(Connection& connection, const WriteSet& writes);

}  // namespace pawl::store::sqlite
