#pragma once
// What the transaction of a group is likely to ask for, worked out before it begins: a guess that is wrong
// costs a round trip, no more.

#include <span>
#include <vector>

#include "core/command.hpp"
#include "engine/batch.hpp"
#include "engine/waiters.hpp"
#include "store/store.hpp"

namespace pawl::engine {

// `lanes` are those that the commands enqueue into.
[[nodiscard]] store::Foreseen foresee(const std::vector<const core::Command*>& commands, const Lanes& lanes,
                                      std::span<const WaitingClaim> claims, const Waiters& waiters);

}  // namespace pawl::engine
