#pragma once
// Writes key lines; the transaction reads them.

#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

void write_lines(Connection& connection, const std::vector<LineWrite>& writes);

}  // namespace pawl::store::sqlite
