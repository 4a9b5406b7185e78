#pragma once
// Takes claimable tasks from lanes of which some are shared by turns: within each priority, approximately the
// tasks that core::claim_order would choose. One transaction, one claim.

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "engine/working_set.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class FairTake {
 public:
  FairTake(store::Transaction& tx, WorkingSet& set) : tx_(tx), set_(set) {}

  // Adds tasks to the working set: at least `wanted` if there are that many, and a few more in shared lanes.
  void take(const std::vector<store::LaneShare>& shares, std::size_t wanted);

 private:
  using Counts = std::unordered_map<const core::Lane*, std::int64_t>;

  std::size_t take_of_priority(const std::vector<store::LaneShare>& shares, std::size_t wanted);
  std::size_t take_parts(std::size_t part);
  std::size_t take_by_age(std::size_t part);
  [[nodiscard]] Counts take_from(const std::vector<store::LaneShare>& shares, std::size_t max);

  store::Transaction& tx_;
  WorkingSet& set_;
  std::vector<store::LaneShare> fair_;    // of the current priority; those that may have more tasks
  std::vector<store::LaneShare> by_age_;  // the other lanes, which count as one stream
};

}  // namespace pawl::engine
