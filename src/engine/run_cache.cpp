#include "engine/run_cache.hpp"

#include <utility>

namespace pawl::engine {

namespace {

constexpr std::size_t kRunsMax = 4'096;

}  // namespace

std::optional<RunCache::Kept> RunCache::take(const core::RunId& id) {
  const std::lock_guard lock{mutex_};
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  std::optional<Kept> kept{std::move(found->second->second)};
  entries_.erase(found->second);
  by_id_.erase(found);
  return kept;
}

void RunCache::keep(const core::RunId& id, Kept kept) {
  drop(id);
  const std::lock_guard lock{mutex_};
  entries_.emplace_front(id, std::move(kept));
  by_id_[id] = entries_.begin();
  if (entries_.size() <= kRunsMax) return;
  by_id_.erase(entries_.back().first);
  entries_.pop_back();
}

void RunCache::drop(const core::RunId& id) { (void)take(id); }

}  // namespace pawl::engine
