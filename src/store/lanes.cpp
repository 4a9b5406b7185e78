#include "store/lanes.hpp"

#include <algorithm>
#include <utility>

#include "core/base/canary.hpp"

namespace pawl::store {

LaneKey key_of(const core::Lane& lane) {
  return {lane.ns, lane.queue, lane.type, lane.priority, lane.of_runs, lane.fair};
}

const core::Lane* LaneCache::find(const LaneKey& key) const {
  const std::shared_lock lock{mutex_};
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : found->second;
}

const core::Lane* LaneCache::find(std::int32_t id) const {
  const std::shared_lock lock{mutex_};
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

std::vector<const core::Lane*> LaneCache::of(const QueueRef& queue) const {
  const std::shared_lock lock{mutex_};
  const auto found = by_queue_.find(queue);
  return found == by_queue_.end() ? std::vector<const core::Lane*>{} : found->second;
}

std::vector<const core::Lane*> LaneCache::of_namespace(const std::string& ns) const {
  const std::shared_lock lock{mutex_};
  std::vector<const core::Lane*> lanes;
  for (auto entry = by_queue_.lower_bound(QueueRef{ns, ""});
       entry != by_queue_.end() && entry->first.ns == ns; ++entry) {
    lanes.insert(lanes.end(), entry->second.begin(), entry->second.end());
  }
  return lanes;
}

std::vector<std::string> LaneCache::namespaces() const {
  const std::shared_lock lock{mutex_};
  std::vector<std::string> found;
  for (const auto& [key, lane] : by_key_) {  // sorted by namespace first
    if (found.empty() || found.back() != key.ns) found.push_back(key.ns);
  }
  return found;
}

std::int32_t LaneCache::last_id() const {
  const std::shared_lock lock{mutex_};
  return last_id_;
}

std::uint64_t LaneCache::life() const {
  const std::shared_lock lock{mutex_};
  return life_;
}

const core::Lane* LaneCache::add(core::Lane lane) {
  const std::unique_lock lock{mutex_};
  if (lane.life != life_) return nullptr;
  if (const auto known = by_id_.find(lane.id); known != by_id_.end()) return known->second;
  const core::Lane* added = &lanes_.emplace_back(std::move(lane));
  by_key_.emplace(key_of(*added), added);
  by_id_.emplace(added->id, added);
  by_queue_[QueueRef{added->ns, added->queue}].push_back(added);
  last_id_ = std::max(last_id_, added->id);
  return added;
}

void LaneCache::begin_life(std::uint64_t life) {
  const std::unique_lock lock{mutex_};
  life_ = life;
  if (core::planted(core::Canary::lanes_kept_in_new_life)) return;
  by_key_.clear();
  by_id_.clear();
  by_queue_.clear();
  last_id_ = 0;
}

}  // namespace pawl::store
