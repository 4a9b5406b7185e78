#pragma once
// The campaigns of one invocation: a store needs one campaign for each kind of cluster that its faults
// require.

#include <string>
#include <string_view>
#include <vector>

#include "tests/chaos/campaign.hpp"

namespace pawl::chaos {

// The campaigns on this store: with all of its faults, or with one; none if the fault cannot happen there.
// When all faults are run, each fault with a cluster of its own gets a tenth of `base`'s time, but at least
// six seconds.
[[nodiscard]] std::vector<Campaign> plan_of(StoreKind store, std::string_view only, const Campaign& base);

}  // namespace pawl::chaos
