#pragma once
// Guesses before a transaction begins what its group will read, so that the store can prefetch it. A wrong
// guess costs a round trip.

#include <span>
#include <vector>

#include "core/task/command.hpp"
#include "engine/lanes.hpp"
#include "engine/waiters.hpp"
#include "store/store.hpp"

namespace pawl::engine {

struct GroupToRun {
  const std::vector<const core::Command*>& commands;
  const std::vector<const core::DoOnce*>& onces;  // parallel to `commands`
  const Lanes& lanes;                             // that the commands enqueue into
  std::span<const WaitingClaim> claims;
};
[[nodiscard]] store::Hints prefetch_hints(const GroupToRun& group, const Waiters& waiters,
                                          store::Store& store);

}  // namespace pawl::engine
