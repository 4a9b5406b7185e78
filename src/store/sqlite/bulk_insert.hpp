#pragma once
// Inserting many rows a statement: to start and to end one costs as much as a row does.

#include <array>
#include <cstddef>
#include <span>

#include "store/sqlite/connection.hpp"

namespace pawl::store::sqlite {

// `add(statement, row)` calls add_row with the columns of one row; what it binds must live until this
// returns. Returns how many rows were inserted.
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
