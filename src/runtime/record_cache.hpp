#pragma once
// Caches the records that each enqueue and claim checks: whether the type is declared, whether the worker
// drains. Thread-safe.
//
// Invariant: the correctness of stored data does not depend on this cache.
//
// Speed: an enqueue saves two reads of the store and a claim one or more, and the network threads admit
// commands themselves. It is correct because a change by this node drops the entry before its reply
// (`forget`; `put` compares the round), and a change by another node is seen after kStaleness. Tests:
// canaries `record_not_forgotten` and `record_never_stale`.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "core/base/env.hpp"
#include "core/records/record.hpp"
#include "core/task/task_type.hpp"

namespace pawl::runtime {

// A record (or its absence), and the store's time when it was read.
struct RecordNow {
  std::optional<core::Record> record = {};
  core::TimePoint now = {};
  // For a declared type, instead of the record's body. Shared with the cache.
  std::shared_ptr<const core::DeclaredType> type = {};
};

class RecordCache {
 public:
  static constexpr core::Duration kStaleness = std::chrono::seconds{2};
  static constexpr std::size_t kEntriesMax = 10'000;
  static constexpr std::size_t kSchemaBytesMax = 4U << 20U;  // of JSON text: ten times as much when parsed

  static constexpr core::Duration kFreshMargin = std::chrono::milliseconds{100};

  // `life` returns the store's life; entries that were read in another life are dropped.
  RecordCache(core::Clock& clock, std::function<std::uint64_t()> life)
      : clock_(clock), life_of_store_(std::move(life)) {}

  [[nodiscard]] std::optional<RecordNow> find(const core::RecordRef& ref);
  // The same for a caller that must not wait for a read: finds an entry only if it stays fresh for
  // kFreshMargin.
  [[nodiscard]] std::optional<RecordNow> find_cached(const core::RecordRef& ref);
  // A read that began before a `forget` must not restore the old state: `put` compares the round.
  [[nodiscard]] std::uint64_t round();
  void put(const core::RecordRef& ref, const RecordNow& seen, std::uint64_t round);
  void forget(std::span<const core::RecordRef> refs);

 private:
  [[nodiscard]] std::optional<RecordNow> find_fresh_at(const core::RecordRef& ref, core::MonotonicTime when);

  struct Entry {
    RecordNow seen = {};
    core::MonotonicTime until = {};
  };

  // Require the lock.
  void follow_life();
  void clear();
  [[nodiscard]] static std::size_t schema_bytes_of(const RecordNow& seen);

  core::Clock& clock_;
  const std::function<std::uint64_t()> life_of_store_;
  std::mutex mutex_;
  std::uint64_t round_ = 0;
  std::uint64_t life_ = 0;
  std::map<core::RecordRef, Entry> entries_;
  std::size_t schema_bytes_ = 0;  // sum over all entries
};

}  // namespace pawl::runtime
