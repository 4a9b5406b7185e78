#pragma once
// The checks of `pawl verify` that run in the database; see table_checks.hpp.

#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

[[nodiscard]] RowCounts count_rows(Connection& connection, const core::Uuid& before);
// Checks the file first; if it is damaged, the tables are not read.
[[nodiscard]] std::vector<core::Verdict> check_tables(Connection& connection);

}  // namespace pawl::store::sqlite
