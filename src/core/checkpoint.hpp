#pragma once
// Checkpoints: evidence of a task, append-only. Sequences rise by one within their owner.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/ids.hpp"
#include "core/json.hpp"
#include "core/time.hpp"

namespace pawl::core {

struct AppendCheckpoint {
  std::string ns = "default";
  TaskId owner = {};
  std::string type = "manual_checkpoint";
  RawJson snapshot = {};
  RawJson metadata = {};
  std::optional<std::int64_t> sequence = {};  // must be the next one, where it is given
};
struct CheckpointAppended {
  std::string checkpoint_id = {};
  std::int64_t sequence = 0;

  bool operator==(const CheckpointAppended&) const = default;
};

// Derived, so that it needs no column: an owner and a sequence name one checkpoint for ever.
[[nodiscard]] std::string checkpoint_id(const TaskId& owner, std::int64_t sequence);

struct ListCheckpoints {
  std::string ns = "default";
  TaskId owner = {};
  std::optional<std::string> type = {};
  bool latest = false;  // only the last one, of that type if one is given
};

struct CheckpointSummary {
  std::int64_t total = 0;
  std::int64_t max_sequence = 0;
  std::optional<TimePoint> first_at = {};
  std::optional<TimePoint> last_at = {};
  std::map<std::string, std::int64_t> by_type = {};

  bool operator==(const CheckpointSummary&) const = default;
};

}  // namespace pawl::core
