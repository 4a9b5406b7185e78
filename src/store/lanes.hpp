#pragma once
// The lanes a store knows, in memory. Lanes are only ever added, so a pointer stays good as long as the
// cache. Any thread.

#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/store.hpp"

namespace pawl::store {

class LaneCache {
 public:
  [[nodiscard]] const core::Lane* find(const LaneKey& key) const;
  [[nodiscard]] const core::Lane* find(std::int32_t id) const;  // nullptr if not known yet
  [[nodiscard]] std::vector<const core::Lane*> of(const QueueRef& queue) const;
  [[nodiscard]] std::vector<const core::Lane*> of_namespace(const std::string& ns) const;
  [[nodiscard]] std::vector<std::string> namespaces() const;
  [[nodiscard]] std::int32_t last_id() const;
  // Adding a lane that is known changes nothing.
  const core::Lane* add(core::Lane lane);

 private:
  mutable std::shared_mutex mutex_;
  std::deque<core::Lane> lanes_;
  std::map<LaneKey, const core::Lane*> by_key_;
  std::unordered_map<std::int32_t, const core::Lane*> by_id_;
  std::map<QueueRef, std::vector<const core::Lane*>> by_queue_;
  std::int32_t last_id_ = 0;
};

}  // namespace pawl::store
