#include "store/sqlite/vitals.hpp"

#include "store/sqlite/sql.hpp"

namespace pawl::store::sqlite {

core::StoreVitals vitals_of(Connection& connection) {
  Rows row = connection.statement(sql::find_sizes).rows();
  core::StoreVitals vitals;
  if (!row.next()) return vitals;
  const std::int64_t page_bytes = row.int64();
  vitals.bytes = row.int64() * page_bytes;
  vitals.free_bytes = row.int64() * page_bytes;
  return vitals;
}

}  // namespace pawl::store::sqlite
