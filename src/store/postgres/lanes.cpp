#include "store/postgres/lanes.hpp"

#include <string>

#include "core/base/canary.hpp"
#include "store/postgres/sql.hpp"

namespace pawl::store::postgres {

void ask_for_lanes(Connection& connection, const LaneCache& lanes) {
  Params params;
  params.value(lanes.last_id());
  connection.send(sql::list_lanes_from, params);
}

bool learn_lanes(LaneCache& lanes, const Rows& answer, Connection& connection) {
  const std::int32_t last_known = answer.int4(0, 7);
  const bool has_any = !answer.is_null(0, 0);
  bool is_as_known = last_known == 0 || (has_any && answer.int4(0, 0) == last_known);
  for (int row = 0; has_any && row < answer.count(); ++row) {
    const core::Lane lane{.id = answer.int4(row, 0),
                          .ns = std::string{answer.text(row, 1)},
                          .queue = std::string{answer.text(row, 2)},
                          .type = std::string{answer.text(row, 3)},
                          .priority = answer.int4(row, 4),
                          .of_runs = answer.boolean(row, 5),
                          .fair = answer.boolean(row, 6),
                          .life = connection.life()};
    const core::Lane* known = lanes.add(lane);  // null: of an earlier life
    is_as_known = is_as_known && (core::planted(core::Canary::lane_not_compared) || known == nullptr ||
                                  key_of(*known) == key_of(lane));
  }
  if (!is_as_known) connection.end_life();
  return is_as_known;
}

void learn_lanes_or_throw(LaneCache& lanes, const Rows& answer, Connection& connection) {
  if (!learn_lanes(lanes, answer, connection))
    throw StoreError{StoreError::Kind::retry, "the database has lost rows that were read before"};
}

// The rows are from the life of the connection. In another life the id may mean another lane, or none yet.
const core::Lane* LaneFinder::find(std::int32_t id) {
  if (last_ != nullptr && last_->id == id) return last_;
  last_ = lanes_.find(id);
  if (last_ == nullptr && lanes_.life() == connection_.life()) {
    ask_for_lanes(connection_, lanes_);
    learn_lanes_or_throw(lanes_, connection_.run_or_throw().front(), connection_);
    last_ = lanes_.find(id);
  }
  const std::uint64_t life = last_ == nullptr ? lanes_.life() : last_->life;
  if (life != connection_.life())
    throw StoreError{StoreError::Kind::retry, "the database server has failed over"};
  return last_;
}

const core::Lane* LaneFinder::operator()(std::int32_t id) {
  if (find(id) == nullptr) {
    throw StoreError{StoreError::Kind::internal,
                     "a task stands in lane " + std::to_string(id) + ", which does not exist"};
  }
  return last_;
}

}  // namespace pawl::store::postgres
