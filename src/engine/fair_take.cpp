#include "engine/fair_take.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace pawl::engine {

using store::LaneShare;

void FairTake::take(const std::vector<LaneShare>& shares, std::size_t wanted) {
  std::map<std::int64_t, std::vector<LaneShare>, std::greater<>> by_rank;
  for (const LaneShare& share : shares) by_rank[core::claim_rank(*share.lane)].push_back(share);
  for (const auto& [rank, its_shares] : by_rank) {
    wanted -= std::min(wanted, take_of_priority(its_shares, wanted));
    if (wanted == 0) return;
  }
}

// Requests an equal part from each stream. What one stream lacks is requested from the others.
std::size_t FairTake::take_of_priority(const std::vector<LaneShare>& shares, std::size_t wanted) {
  fair_.clear();
  by_age_.clear();
  for (const LaneShare& share : shares) (share.lane->is_shared() ? fair_ : by_age_).push_back(share);
  std::size_t taken = 0;
  while (taken < wanted && !(fair_.empty() && by_age_.empty())) {
    const std::size_t streams = fair_.size() + (by_age_.empty() ? 0 : 1);
    const std::size_t part = (wanted - taken + streams - 1) / streams;
    taken += take_parts(part) + take_by_age(part);
  }
  return taken;
}

std::size_t FairTake::take_parts(std::size_t part) {
  if (fair_.empty()) return 0;
  std::vector<LaneShare> requested = fair_;
  std::size_t sum = 0;
  for (LaneShare& share : requested) {
    share.max = std::min(share.max, static_cast<std::int64_t>(part));
    sum += static_cast<std::size_t>(share.max);
  }
  Counts given = take_from(requested, sum);
  std::size_t taken = 0;
  std::vector<LaneShare> left;
  for (std::size_t i = 0; i < requested.size(); ++i) {
    const std::int64_t count = given[requested[i].lane];
    taken += static_cast<std::size_t>(count);
    fair_[i].max -= count;
    if (count == requested[i].max && fair_[i].max > 0) left.push_back(fair_[i]);
  }
  fair_ = std::move(left);
  return taken;
}

std::size_t FairTake::take_by_age(std::size_t part) {
  if (by_age_.empty()) return 0;
  std::size_t taken = 0;
  Counts given = take_from(by_age_, part);
  for (LaneShare& share : by_age_) {
    taken += static_cast<std::size_t>(given[share.lane]);
    share.max -= given[share.lane];
  }
  std::erase_if(by_age_, [&](const LaneShare& share) { return share.max <= 0 || taken < part; });
  return taken;
}

FairTake::Counts FairTake::take_from(const std::vector<LaneShare>& shares, std::size_t max) {
  Counts counts;
  for (core::TaskRecord& record : tx_.take_ready(shares, max)) {
    ++counts[record.lane];
    set_.add_taken(std::move(record));
  }
  return counts;
}

}  // namespace pawl::engine
