#pragma once
// Bounds the cost of runs: of one run in total, by the configuration, and of all decisions of one commit. A
// later commit continues the remaining work, when a timer of the run fires
// (docs/adr/0062-growth-is-paged.md).

#include <cstddef>
#include <cstdint>

#include "core/base/limits.hpp"

namespace pawl::core {

struct RunBounds {
  int child_depth_max = kChildDepthMax;                // limits.child_depth
  std::size_t rendered_bytes_max = kRunRenderedBytes;  // limits.run_rendered
  std::size_t scanned_bytes_max = kRunScannedBytes;    // limits.run_scanned
};

// The cost of a run so far. Small amounts are not counted: see RunSteps::emit.
struct RunCost {
  std::int64_t rendered = 0;  // bytes of the inputs rendered for tasks and children
  std::int64_t scanned = 0;   // bytes read to render them

  bool operator==(const RunCost&) const = default;
};

// The remaining budget of the decisions of one commit. The last decision may exceed it by one input.
struct CommitBudget {
  std::int64_t begun = kCommitNodesBegun;
  std::int64_t elements = kCommitElements;  // of the expanded for_each
  std::int64_t children = kCommitChildren;
  std::int64_t rendered = kCommitRenderedBytes;
  std::int64_t scanned = kCommitScannedBytes;
  std::int64_t stopped_tasks = kCommitStoppedTasks;
  std::int64_t stopped_children = kCommitStoppedChildren;

  // Whether no further node may begin.
  [[nodiscard]] bool is_spent() const {
    return begun <= 0 || elements <= 0 || children <= 0 || rendered <= 0 || scanned <= 0;
  }
};

}  // namespace pawl::core
