#pragma once
// Inserts many rows with one statement: starting and finishing a statement costs as much as inserting a row.

#include <array>
#include <cstddef>
#include <span>

#include "store/sqlite/connection.hpp"

namespace pawl::store::sqlite {

// `add(statement, row)` calls add_row with the columns of one row; the bound values must live until this
// function returns. Returns the number of inserted rows.
template <typename Row, typename Add>
std::size_t insert_rows(Connection& connection, std::string_view query, std::span<const Row* const> rows,
                        Add add) {
  constexpr std::array<std::size_t, 3> kRowsAtOnce{32, 8, 1};
  std::size_t inserted = 0;
  for (const std::size_t at_once : kRowsAtOnce) {
    while (rows.size() >= at_once) {
      Statement& statement = connection.statement_of_rows(query, at_once);
      statement.start_rows();
      for (const Row* row : rows.first(at_once)) add(statement, *row);
      inserted += static_cast<std::size_t>(statement.run_added());
      rows = rows.subspan(at_once);
    }
  }
  return inserted;
}

}  // namespace pawl::store::sqlite
