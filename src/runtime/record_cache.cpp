#include "runtime/record_cache.hpp"

#include "core/base/canary.hpp"

namespace pawl::runtime {

std::optional<RecordNow> RecordCache::find(const core::RecordRef& ref) {
  return find_fresh_at(ref, clock_.monotonic());
}

std::optional<RecordNow> RecordCache::find_cached(const core::RecordRef& ref) {
  return find_fresh_at(ref, clock_.monotonic() + kFreshMargin);
}

std::optional<RecordNow> RecordCache::find_fresh_at(const core::RecordRef& ref, core::MonotonicTime when) {
  const std::lock_guard lock{mutex_};
  follow_life();
  const auto found = entries_.find(ref);
  if (found == entries_.end() ||
      (found->second.until <= when && !core::planted(core::Canary::record_never_stale)))
    return std::nullopt;
  return found->second.seen;
}

std::uint64_t RecordCache::round() {
  const std::lock_guard lock{mutex_};
  follow_life();
  return round_;
}

void RecordCache::put(const core::RecordRef& ref, const RecordNow& seen, std::uint64_t round) {
  const core::MonotonicTime until = clock_.monotonic() + kStaleness;
  const std::lock_guard lock{mutex_};
  follow_life();
  if (round != round_) return;
  const bool is_full = entries_.size() >= kEntriesMax || schema_bytes_ >= kSchemaBytesMax;
  if (is_full) clear();  // rare, and costs one read per entry
  Entry& entry = entries_[ref];
  schema_bytes_ += schema_bytes_of(seen);
  schema_bytes_ -= schema_bytes_of(entry.seen);
  entry = {.seen = seen, .until = until};
}

std::size_t RecordCache::schema_bytes_of(const RecordNow& seen) {
  return seen.type == nullptr ? 0 : seen.type->schema_bytes;
}

void RecordCache::clear() {
  entries_.clear();
  schema_bytes_ = 0;
}

void RecordCache::forget(std::span<const core::RecordRef> refs) {
  if (core::planted(core::Canary::record_not_forgotten)) return;
  const std::lock_guard lock{mutex_};
  ++round_;
  for (const core::RecordRef& ref : refs) {
    const auto found = entries_.find(ref);
    if (found == entries_.end()) continue;
    schema_bytes_ -= schema_bytes_of(found->second.seen);
    entries_.erase(found);
  }
}

void RecordCache::follow_life() {
  const std::uint64_t life = life_of_store_();
  if (life == life_) return;
  life_ = life;
  ++round_;
  clear();
}

}  // namespace pawl::runtime
