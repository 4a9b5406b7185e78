#pragma once
// The steps of the store's clock in a SQLite file, where a process that opens it later finds them.

#include "core/store_clock.hpp"
#include "store/sqlite/connection.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] core::ClockState load_clock(Connection& connection);
// Unless the file has as many steps already. Inside a write transaction.
void save_clock(Connection& connection, const core::ClockState& state, core::TimePoint now);

}  // namespace pawl::store::sqlite
