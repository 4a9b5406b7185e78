#pragma once
// What every change of the leadership must keep: terms rise by one, and none begins before the one before it
// is over.

#include <vector>

#include "tests/chaos/ledger.hpp"
#include "tests/chaos/store_watch.hpp"

namespace pawl::chaos {

void check_leaders(const std::vector<LeaderChange>& changes, Ledger& ledger);

}  // namespace pawl::chaos
