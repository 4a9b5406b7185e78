#pragma once
// Loads lanes into the cache.

#include <cstdint>

#include "store/lanes.hpp"
#include "store/postgres/connection.hpp"

namespace pawl::store::postgres {

// Adds the query for lanes that are not cached, and for the last cached one; `learn_lanes` reads the answer.
// It returns false if that lane is gone or has another meaning, which ends the server's life;
// `learn_lanes_or_throw` throws `retry` then.
void ask_for_lanes(Connection& connection, const LaneCache& lanes);
bool learn_lanes(LaneCache& lanes, const Rows& answer, Connection& connection);
void learn_lanes_or_throw(LaneCache& lanes, const Rows& answer, Connection& connection);

// Finds lanes by id while rows are read; queries the database for a lane that another node has just created.
class LaneFinder {
 public:
  LaneFinder(LaneCache& lanes, Connection& connection) : lanes_(lanes), connection_(connection) {}
  [[nodiscard]] const core::Lane* operator()(std::int32_t id);
  // Null if the lane does not exist. Throws `retry` if the life of the connection has ended.
  [[nodiscard]] const core::Lane* find(std::int32_t id);

 private:
  LaneCache& lanes_;
  Connection& connection_;
  const core::Lane* last_ = nullptr;  // consecutive rows mostly have the same lane
};

}  // namespace pawl::store::postgres
