#pragma once
// Compares a run with its event log: rebuilds it from the events, and checks whether events were changed.
// Pure.

#include <string>
#include <vector>

#include "core/run/run_apply.hpp"
#include "store/runs.hpp"

namespace pawl::engine {

struct RunFindings {
  core::ReplayedRun rebuilt = {};
  std::vector<std::string> gaps = {};      // sequences that are not 1, 2, 3, …
  std::vector<std::string> replay = {};    // where the rebuilt run differs from the stored one
  std::vector<std::string> chain = {};     // events whose hash does not match
  std::vector<std::string> standing = {};  // counts and ends that contradict its nodes
};

// `stored` must be loaded with all its parts.
[[nodiscard]] RunFindings look_at_run(const store::StoredRun& stored, core::RunPlan plan);
// Rebuilds a run from its events up to a sequence, or returns why that is not possible.
[[nodiscard]] core::Result<core::ReplayedRun, std::string> rebuild(
    const std::vector<store::StoredEvent>& events, core::RunPlan plan);

}  // namespace pawl::engine
