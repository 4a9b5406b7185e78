#pragma once
// In-memory cache of the store's lanes. A pointer to a lane stays valid as long as the cache, even if the
// database has lost the lane and its id may mean another one. Thread-safe.

#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/store.hpp"

namespace pawl::store {

[[nodiscard]] LaneKey key_of(const core::Lane& lane);

class LaneCache {
 public:
  [[nodiscard]] const core::Lane* find(const LaneKey& key) const;
  [[nodiscard]] const core::Lane* find(std::int32_t id) const;  // nullptr if not cached
  [[nodiscard]] std::vector<const core::Lane*> of(const QueueRef& queue) const;
  [[nodiscard]] std::vector<const core::Lane*> of_namespace(const std::string& ns) const;
  [[nodiscard]] std::vector<std::string> namespaces() const;
  [[nodiscard]] std::int32_t last_id() const;
  // The life of the database that the lanes are from.
  [[nodiscard]] std::uint64_t life() const;
  // Adding a cached lane or a lane of an earlier life changes nothing.
  const core::Lane* add(core::Lane lane);
  // Empties the cache, because the database may have lost lanes.
  void begin_life(std::uint64_t life);

 private:
  mutable std::shared_mutex mutex_;
  std::deque<core::Lane> lanes_;
  std::map<LaneKey, const core::Lane*> by_key_;
  std::unordered_map<std::int32_t, const core::Lane*> by_id_;
  std::map<QueueRef, std::vector<const core::Lane*>> by_queue_;
  std::int32_t last_id_ = 0;
  std::uint64_t life_ = 0;
};

}  // namespace pawl::store
