#pragma once
// The task writes of a group as a few set-based statements: each task leaves the place it was loaded at, guarded by
// its fence, and enters the one it is to be at.

#include <span>

#include "store/postgres/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

// Adds the statements to the connection's pipeline.
void send_tasks(Connection& connection, std::span<const TaskWrite> tasks, core::TimePoint now);

}  // namespace pawl::store::postgres
