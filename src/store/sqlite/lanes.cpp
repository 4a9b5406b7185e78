#include "store/sqlite/lanes.hpp"

#include "store/sqlite/sql.hpp"

namespace pawl::store::sqlite {

void learn_lanes(Connection& connection, LaneCache& lanes) {
  Rows row = connection.statement(sql::list_lanes_after).rows(lanes.last_id());
  while (row.next()) {
    lanes.add({.id = row.int32(),
               .ns = row.string(),
               .queue = row.string(),
               .type = row.string(),
               .priority = row.int32(),
               .of_runs = row.boolean(),
               .fair = row.boolean()});
  }
}

}  // namespace pawl::store::sqlite
