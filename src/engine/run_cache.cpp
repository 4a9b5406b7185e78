#include "engine/run_cache.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/canary.hpp"

namespace pawl::engine {

namespace {

constexpr std::size_t kRunsMax = 4'096;
constexpr std::size_t kDroppedAtOnce = 512;

}  // namespace

std::optional<RunCache::Kept> RunCache::take(const core::RunId& id, std::uint64_t life) {
  std::optional<Kept> kept;
  {
    const std::lock_guard lock{mutex_};
    const auto found = entries_.find(id);
    if (found == entries_.end()) return std::nullopt;
    kept = std::move(found->second.kept);
    entries_.erase(found);
  }
  if (kept->life != life && !core::planted(core::Canary::run_cache_of_earlier_life)) return std::nullopt;
  return kept;
}

void RunCache::keep(const core::RunId& id, Kept&& kept) {
  std::vector<Kept> dropped;  // destroyed after the lock is released; the caller destroys the replaced entry
  const std::lock_guard lock{mutex_};
  Entry& entry = entries_[id];
  std::swap(entry.kept, kept);
  entry.number = ++last_number_;
  if (entries_.size() > kRunsMax) dropped = take_oldest();
}

// Drops many entries per call, so that the cache need not maintain an order of all entries.
std::vector<RunCache::Kept> RunCache::take_oldest() {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) numbers.push_back(entry.number);
  const auto first_kept = numbers.begin() + static_cast<std::ptrdiff_t>(kDroppedAtOnce);
  std::nth_element(numbers.begin(), first_kept, numbers.end());
  std::vector<Kept> oldest;
  oldest.reserve(kDroppedAtOnce);
  for (auto one = entries_.begin(); one != entries_.end();) {
    if (one->second.number >= *first_kept) {
      ++one;
      continue;
    }
    oldest.push_back(std::move(one->second.kept));
    one = entries_.erase(one);
  }
  return oldest;
}

void RunCache::drop(const core::RunId& id) { (void)take(id, 0); }

}  // namespace pawl::engine
