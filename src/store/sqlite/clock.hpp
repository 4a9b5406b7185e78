#pragma once
// Stores the steps of the store's clock in the SQLite file, for processes that open it later.

#include "core/base/store_clock.hpp"
#include "store/sqlite/connection.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] core::ClockState load_clock(Connection& connection);
// Does nothing if the file already has as many steps. Inside a write transaction.
void save_clock(Connection& connection, const core::ClockState& state, core::TimePoint now);

}  // namespace pawl::store::sqlite
