#pragma once
// Takes claimable tasks out of lanes of which some are shared by turns: of each priority, about what claims
// would come to by core::claim_order. One transaction, one claim.

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "engine/working_set.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class FairTake {
 public:
  FairTake(store::Transaction& tx, WorkingSet& set) : tx_(tx), set_(set) {}

  // Into the working set: `wanted` at least, if there are so many, and a few more where lanes take turns.
  void take(const std::vector<store::LaneShare>& shares, std::size_t wanted);

 private:
  using Counts = std::unordered_map<const core::Lane*, std::int64_t>;

  std::size_t take_of_priority(const std::vector<store::LaneShare>& shares, std::size_t wanted);
  std::size_t take_parts(std::size_t part);
  std::size_t take_by_age(std::size_t part);
  [[nodiscard]] Counts take_from(const std::vector<store::LaneShare>& shares, std::size_t max);

  store::Transaction& tx_;
  WorkingSet& set_;
  std::vector<store::LaneShare> fair_;    // of the priority at hand, those that may have more
  std::vector<store::LaneShare> by_age_;  // the others: they go as one
};

}  // namespace pawl::engine
