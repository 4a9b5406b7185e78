#pragma once
// Writes the tasks of a group with a few set-based statements: each task leaves the place it was loaded from,
// guarded by its fence, and enters its new place.

#include <span>
#include <unordered_map>

#include "store/postgres/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

// Addresses of the rows that the transaction has locked or must compare.
using Addresses = std::unordered_map<core::TaskId, Address>;

// Leases to be cached once they are committed.
struct FirstLeases {
  std::vector<const TaskWrite*> writes = {};
  std::size_t answer = 0;  // index of the pipeline's answer that has their addresses
};

struct GroupTimes {
  core::TimePoint now;
  core::TimePoint claims_at;  // Transaction::claims_at
};

// Adds the statements to the connection's pipeline.
[[nodiscard]] FirstLeases send_tasks(Connection& connection, std::span<const TaskWrite> tasks,
                                     const Addresses& addresses, GroupTimes times);

}  // namespace pawl::store::postgres
