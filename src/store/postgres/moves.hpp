#pragma once
// The task writes of a group as a few set-based statements: each task leaves the place it was loaded at,
// guarded by its fence, and enters the one it is to be at.

#include <span>
#include <unordered_map>

#include "store/postgres/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

// Of the rows that the transaction holds locked.
using Addresses = std::unordered_map<core::TaskId, Address>;

// Adds the statements to the connection's pipeline.
void send_tasks(Connection& connection, std::span<const TaskWrite> tasks, const Addresses& addresses,
                core::TimePoint now);

}  // namespace pawl::store::postgres
