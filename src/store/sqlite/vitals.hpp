#pragma once
// The size of the database file. The connection is in a read transaction.

#include "core/base/vitals.hpp"
#include "store/sqlite/connection.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] core::StoreVitals vitals_of(Connection& connection);

}  // namespace pawl::store::sqlite
