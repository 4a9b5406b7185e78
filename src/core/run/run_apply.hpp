#pragma once
// Applies events: the only functions that change a run, its nodes and its signals. Live decisions and replay
// both use `apply`, so that the event log rebuilds a run byte for byte by construction.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/run/run_event.hpp"
#include "core/run/working_run.hpp"

namespace pawl::core {

// Fails with the inconsistency of the log: a log changed from outside is an error result, not a crash.
using Applied = Result<Done, std::string>;

[[nodiscard]] Applied apply(WorkingRun& working, const RunEvent& event);

struct ReplayedRun {
  Run run = {};
  std::vector<Node> nodes = {};      // by key; only nodes that an event changed
  std::vector<Signal> signals = {};  // by sequence

  bool operator==(const ReplayedRun&) const = default;
};
// Rebuilds a run from its events alone, which are in the order of their sequence.
[[nodiscard]] Result<ReplayedRun, std::string> replay(std::span<const RunEvent> events, RunPlan plan);

}  // namespace pawl::core
