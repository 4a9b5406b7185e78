#pragma once
// What runs may cost: one run in all, by the configuration, and the decisions of one commit together. What a
// commit leaves is done by a later one, when a timer of the run fires (docs/adr/0062-growth-is-paged.md).

#include <cstddef>
#include <cstdint>

#include "core/limits.hpp"

namespace pawl::core {

struct RunBounds {
  int child_depth_max = kChildDepthMax;                // limits.child_depth
  std::size_t rendered_bytes_max = kRunRenderedBytes;  // limits.run_rendered
  std::size_t scanned_bytes_max = kRunScannedBytes;    // limits.run_scanned
};

// How much a run has cost. Small amounts are not counted: see RunSteps::emit.
struct RunCost {
  std::int64_t rendered = 0;  // bytes of the inputs that were made for tasks and children
  std::int64_t scanned = 0;   // bytes that were read to make them

  bool operator==(const RunCost&) const = default;
};

// What the decisions of one commit may still do. The last one may go beyond it by one input.
struct CommitBudget {
  std::int64_t begun = kCommitNodesBegun;
  std::int64_t elements = kCommitElements;  // of the for_each that were expanded
  std::int64_t children = kCommitChildren;
  std::int64_t rendered = kCommitRenderedBytes;
  std::int64_t scanned = kCommitScannedBytes;
  std::int64_t stopped_tasks = kCommitStoppedTasks;
  std::int64_t stopped_children = kCommitStoppedChildren;

  // No further node may begin.
  [[nodiscard]] bool is_spent() const {
    return begun <= 0 || elements <= 0 || children <= 0 || rendered <= 0 || scanned <= 0;
  }
};

}  // namespace pawl::core
