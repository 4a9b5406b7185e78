#pragma once
// The only functions that change a run, its nodes and its signals. Live decisions and replay both go through
// `apply`, so that the log rebuilds a run byte for byte by construction.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "core/run_event.hpp"
#include "core/working_run.hpp"

namespace pawl::core {

// Or why the log cannot be right: a log that somebody changed is an answer, not a crash.
using Applied = Result<Done, std::string>;

[[nodiscard]] Applied apply(WorkingRun& working, const RunEvent& event);

struct ReplayedRun {
  Run run = {};
  std::vector<Node> nodes = {};      // by key; those that an event touched
  std::vector<Signal> signals = {};  // by sequence

  bool operator==(const ReplayedRun&) const = default;
};
// From its events alone, the first one first.
[[nodiscard]] Result<ReplayedRun, std::string> replay(std::span<const RunEvent> events, RunPlan plan);

}  // namespace pawl::core
