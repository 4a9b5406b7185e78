#pragma once
// Queues: limits that apply across all nodes and workers, and counts that are maintained with each change.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/time.hpp"

namespace pawl::core {

struct Rate {
  std::int64_t limit = 1;  // claims
  Duration per = std::chrono::seconds{1};

  bool operator==(const Rate&) const = default;
};

struct QueueSettings {
  bool paused = false;
  std::optional<std::int64_t> max_concurrency = {};
  std::map<std::string, std::int64_t> type_concurrency = {};
  std::optional<Rate> rate = {};
  TimePoint rate_spent_until = {};  // see rate_allows

  [[nodiscard]] bool has_limits() const { return max_concurrency || !type_concurrency.empty() || rate; }
  bool operator==(const QueueSettings&) const = default;
};

// A change of settings: an absent field is left unchanged; an inner null clears it.
struct QueuePatch {
  std::optional<bool> paused = {};
  std::optional<std::optional<std::int64_t>> max_concurrency = {};
  std::optional<std::optional<std::map<std::string, std::int64_t>>> type_concurrency = {};
  std::optional<std::optional<Rate>> rate = {};
};

[[nodiscard]] QueueSettings patched(QueueSettings settings, const QueuePatch& patch);

struct QueueCounts {
  std::int64_t pending = 0;
  std::int64_t scheduled = 0;
  std::int64_t blocked = 0;
  std::int64_t claimed = 0;
  std::int64_t running = 0;
  std::int64_t dead_letter = 0;

  QueueCounts& operator+=(const QueueCounts& other);
  [[nodiscard]] bool is_zero() const { return *this == QueueCounts{}; }
  bool operator==(const QueueCounts&) const = default;
};

struct Queue {
  std::string name = {};
  QueueSettings settings = {};
  QueueCounts counts = {};
  std::optional<Duration> oldest_pending_age = {};

  bool operator==(const Queue&) const = default;
};

// A token bucket of `limit` tokens, stored as one time (the generic cell rate algorithm): how many of the
// `wanted` claims the rate grants now, and the state after granting them.
struct RateGrant {
  std::int64_t granted = 0;
  TimePoint spent_until = {};
};
[[nodiscard]] RateGrant rate_allows(const Rate& rate, TimePoint spent_until, std::int64_t wanted,
                                    TimePoint now);

}  // namespace pawl::core
