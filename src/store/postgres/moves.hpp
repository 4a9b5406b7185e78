#pragma once
// The task writes of a group as a few set-based statements: each task leaves the place it was loaded at,
// guarded by its fence, and enters the one it is to be at.

#include <span>
#include <unordered_map>

#include "store/postgres/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

// Of the rows that the transaction holds locked, or is to compare.
using Addresses = std::unordered_map<core::TaskId, Address>;

// Leases that the store remembers once they are committed.
struct FirstLeases {
  std::vector<const TaskWrite*> writes = {};
  std::size_t answer = 0;  // which one of the pipeline's says where they stand
};

struct GroupTimes {
  core::TimePoint now;
  core::TimePoint claims_at;  // Transaction::claims_at
};

// Adds the statements to the connection's pipeline.
[[nodiscard]] FirstLeases send_tasks(Connection& connection, std::span<const TaskWrite> tasks,
                                     const Addresses& addresses, GroupTimes times);

}  // namespace pawl::store::postgres
