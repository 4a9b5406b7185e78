#include "store/postgres/sql.hpp"
#include "store/postgres/store_impl.hpp"

namespace pawl::store::postgres {

core::StoreVitals PostgresStore::vitals() {
  const Pool::Loan connection = readers_.borrow();
  const core::TimePoint time = now(*connection);
  const auto answers = read(*connection, [](Connection& used) {
    used.send(sql::find_size);
    used.send(sql::find_table_sizes);
    used.send(sql::find_oldest_transaction);
  });
  core::StoreVitals vitals{.now = time, .clock = clock_state(), .bytes = answers[0].int8(0, 0)};
  const Rows& tables = answers[1];
  for (int row = 0; row < tables.count(); ++row) {
    vitals.tables.push_back({.name = std::string{tables.text(row, 0)},
                             .rows = tables.int8(row, 1),
                             .dead_rows = tables.int8(row, 2),
                             .bytes = tables.int8(row, 3)});
  }
  const Rows& oldest = answers[2];
  if (oldest.count() > 0)
    vitals.oldest_transaction = {.who = std::string{oldest.text(0, 0)},
                                 .age = core::Duration{oldest.int8(0, 1)}};
  return vitals;
}

}  // namespace pawl::store::postgres
