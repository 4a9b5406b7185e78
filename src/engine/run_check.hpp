#pragma once
// A run compared with its own log: what the events alone make of it, and whether somebody changed them. Pure.

#include <string>
#include <vector>

#include "core/run_apply.hpp"
#include "store/runs.hpp"

namespace pawl::engine {

struct RunFindings {
  core::ReplayedRun rebuilt = {};
  std::vector<std::string> gaps = {};      // sequences that are not 1, 2, 3, …
  std::vector<std::string> replay = {};    // where the rebuilt run differs from the stored one
  std::vector<std::string> chain = {};     // events whose hash does not hold
  std::vector<std::string> standing = {};  // counts and ends that its nodes do not bear out
};

// `stored` has all its parts.
[[nodiscard]] RunFindings look_at_run(const store::StoredRun& stored, core::RunPlan plan);
// The events up to a sequence, rebuilt; or why they cannot be.
[[nodiscard]] core::Result<core::ReplayedRun, std::string> rebuild(
    const std::vector<store::StoredEvent>& events, core::RunPlan plan);

}  // namespace pawl::engine
