#pragma once
// Checks the invariants of leadership changes: terms rise by one, and no term begins before the previous one
// ended.

#include <vector>

#include "tests/chaos/ledger.hpp"
#include "tests/chaos/store_watch.hpp"

namespace pawl::chaos {

void check_leaders(const std::vector<LeaderChange>& changes, Ledger& ledger);

}  // namespace pawl::chaos
