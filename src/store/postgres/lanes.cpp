#include <string>

#include "store/postgres/shared.hpp"
#include "store/postgres/sql.hpp"

namespace pawl::store::postgres {

void ask_for_lanes(Connection& connection, const LaneCache& lanes) {
  Params params;
  params.value(lanes.last_id());
  connection.send(sql::list_lanes_after, params);
}

void learn_lanes(LaneCache& lanes, const Rows& answer) {
  for (int row = 0; row < answer.count(); ++row) {
    lanes.add({.id = answer.int4(row, 0),
               .ns = std::string{answer.text(row, 1)},
               .queue = std::string{answer.text(row, 2)},
               .type = std::string{answer.text(row, 3)},
               .priority = answer.int4(row, 4),
               .of_runs = answer.boolean(row, 5),
               .fair = answer.boolean(row, 6)});
  }
}

const core::Lane* LaneFinder::operator()(std::int32_t id) {
  if (last_ != nullptr && last_->id == id) return last_;
  last_ = lanes_.find(id);
  if (last_ == nullptr) {
    ask_for_lanes(connection_, lanes_);
    learn_lanes(lanes_, connection_.run_or_throw().front());
    last_ = lanes_.find(id);
  }
  if (last_ == nullptr) {
    throw StoreError{StoreError::Kind::internal,
                     "a task stands in lane " + std::to_string(id) + ", which does not exist"};
  }
  return last_;
}

}  // namespace pawl::store::postgres
