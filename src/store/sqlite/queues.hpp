#pragma once
// Reads and writes queues: their settings and counts.

#include <string>
#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] std::vector<core::Queue> list_queues(Connection& connection, const std::string& ns,
                                                   core::TimePoint now);
void write_queues(Connection& connection, const std::vector<QueueWrite>& writes);
void write_counts(Connection& connection, const std::vector<CountsWrite>& writes);

}  // namespace pawl::store::sqlite
