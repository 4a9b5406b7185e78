#pragma once
// Loads lanes into the cache.

#include "store/lanes.hpp"
#include "store/sqlite/connection.hpp"

namespace pawl::store::sqlite {

// Those that are not cached yet.
void learn_lanes(Connection& connection, LaneCache& lanes);

}  // namespace pawl::store::sqlite
