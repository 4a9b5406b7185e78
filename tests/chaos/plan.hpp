#pragma once
// The campaigns of one call of the program: a store needs one for each kind of cluster that its faults happen
// to.

#include <string>
#include <string_view>
#include <vector>

#include "tests/chaos/campaign.hpp"

namespace pawl::chaos {

// The campaigns on this store: with all of its faults, or with one; none if the fault cannot happen there. Of
// all faults, those that need a cluster of their own have a tenth of `base`'s time, or six seconds if that is
// longer.
[[nodiscard]] std::vector<Campaign> plan_of(StoreKind store, std::string_view only, const Campaign& base);

}  // namespace pawl::chaos
