#pragma once
// Reads due work for the ticker. The connection is in a read transaction.

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] Due find_due(Connection& connection, const DueLimits& limits, core::TimePoint now);

}  // namespace pawl::store::sqlite
