#pragma once
// Reads due tasks and leases for the ticker. The connection is in a read transaction.

#include <cstddef>
#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] std::vector<core::LeaseRef> due_leases(Connection& connection, core::TimePoint now,
                                                     std::size_t limit);
[[nodiscard]] DueTasks due_tasks(Connection& connection, core::TimePoint now, std::size_t limit);

}  // namespace pawl::store::sqlite
