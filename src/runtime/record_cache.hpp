#pragma once
// Records as this node saw them a moment ago, for what is asked at every enqueue and claim: is the type
// declared, does the worker drain. What this node changes is forgotten at once; what others change is seen a
// little later.
//
// Always: correctness of what is stored does not depend on it. Any thread.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "core/env.hpp"
#include "core/record.hpp"
#include "core/task_type.hpp"

namespace pawl::runtime {

// A record (or that there is none), and the store's time when it was read.
struct RecordNow {
  std::optional<core::Record> record = {};
  core::TimePoint now = {};
  // Of a declared type, instead of the record's body. Shared with the cache.
  std::shared_ptr<const core::DeclaredType> type = {};
};

class RecordCache {
 public:
  static constexpr core::Duration kStaleness = std::chrono::seconds{2};
  static constexpr std::size_t kEntriesMax = 10'000;
  static constexpr std::size_t kSchemaBytesMax = 4U << 20U;  // as text: parsed they take ten times as much

  static constexpr core::Duration kAtHand = std::chrono::milliseconds{100};

  // `life` gives the store's: what was read in another one is dropped.
  RecordCache(core::Clock& clock, std::function<std::uint64_t()> life)
      : clock_(clock), life_of_store_(std::move(life)) {}

  [[nodiscard]] std::optional<RecordNow> find(const core::RecordRef& ref);
  // The same for one who must not wait for a read: it is fresh for a while yet.
  [[nodiscard]] std::optional<RecordNow> find_at_hand(const core::RecordRef& ref);
  // A read that began before a `forget` must not bring the old state back: the round says which came first.
  [[nodiscard]] std::uint64_t round();
  void put(const core::RecordRef& ref, const RecordNow& seen, std::uint64_t round);
  void forget(std::span<const core::RecordRef> refs);

 private:
  [[nodiscard]] std::optional<RecordNow> find_fresh_at(const core::RecordRef& ref, core::MonotonicTime when);

  struct Entry {
    RecordNow seen = {};
    core::MonotonicTime until = {};
  };

  // With the lock.
  void follow_life();
  void clear();
  [[nodiscard]] static std::size_t schema_bytes_of(const RecordNow& seen);

  core::Clock& clock_;
  const std::function<std::uint64_t()> life_of_store_;
  std::mutex mutex_;
  std::uint64_t round_ = 0;
  std::uint64_t life_ = 0;
  std::map<core::RecordRef, Entry> entries_;
  std::size_t schema_bytes_ = 0;  // of all entries
};

}  // namespace pawl::runtime
