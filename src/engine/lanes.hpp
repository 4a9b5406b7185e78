#pragma once
// The lanes that the commands of one group enqueue into. A lane is created before the group's transaction,
// since each new lane is a commit of its own. One thread.

#include <map>
#include <string>
#include <vector>

#include "core/task/command.hpp"
#include "store/store.hpp"

namespace pawl::engine {

using Lanes = std::map<store::LaneKey, const core::Lane*>;

// Thrown when lanes do not exist yet. The engine creates them outside the transaction and tries the group
// again.
struct MissingLanes {
  std::vector<store::LaneKey> keys;
};

[[nodiscard]] store::LaneKey lane_key(const std::string& ns, const core::TaskSpec& spec, bool of_runs);

// Creates the missing lanes of the commands and returns all of theirs. Call it before the transaction.
[[nodiscard]] Lanes intern_lanes(store::Store& store, const std::vector<const core::Command*>& commands);

// Finds the lanes of tasks. Consecutive tasks mostly use the same lane, so the last one is compared first.
class LaneFinder {
 public:
  explicit LaneFinder(const Lanes& lanes) : lanes_(lanes) {}

  [[nodiscard]] const core::Lane* find(const std::string& ns, const core::TaskSpec& spec);

 private:
  const Lanes& lanes_;
  const core::Lane* last_ = nullptr;
};

}  // namespace pawl::engine
