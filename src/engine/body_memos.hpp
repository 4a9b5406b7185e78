#pragma once
// Adds to the claimed bodies of code runs the steps to resume from. The answer of a claim is bounded, however
// long the histories are: each body gets one page, and the worker reads the remaining steps outside the group
// (RunApi::list_memo).

#include <span>
#include <vector>

#include "core/task/command.hpp"
#include "engine/waiters.hpp"
#include "engine/working_runs.hpp"
#include "store/store.hpp"

namespace pawl::engine {

// `answers` are parallel to `claims`.
void add_memos(std::span<const WaitingClaim> claims, std::vector<core::Result<core::Answer>>& answers,
               WorkingRuns& runs, store::Transaction& tx);

}  // namespace pawl::engine
