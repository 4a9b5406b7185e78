#pragma once
// Checkpoints: evidence of a task or a run, append-only. Sequences rise by one within their owner; the last
// ones are kept.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "core/audit.hpp"
#include "core/ids.hpp"
#include "core/json.hpp"
#include "core/limits.hpp"
#include "core/time.hpp"

namespace pawl::core {

using CheckpointOwner = std::variant<TaskId, RunId>;
[[nodiscard]] Uuid id_of(const CheckpointOwner& owner);

struct AppendCheckpoint {
  std::string ns = "default";
  CheckpointOwner owner = TaskId{};
  std::string type = "manual_checkpoint";
  RawJson snapshot = {};
  RawJson metadata = {};
  std::optional<std::int64_t> sequence = {};  // must be the next one, where it is given
  std::int64_t kept = kCheckpointsKept;       // older ones of the owner than so many go
  Actor by = {};
};
struct CheckpointAppended {
  std::string checkpoint_id = {};
  std::int64_t sequence = 0;

  bool operator==(const CheckpointAppended&) const = default;
};

// Derived, so that it needs no column: an owner and a sequence name one checkpoint for ever.
[[nodiscard]] std::string checkpoint_id(const CheckpointOwner& owner, std::int64_t sequence,
                                        TimePoint created_at);

struct ListCheckpoints {
  std::string ns = "default";
  CheckpointOwner owner = TaskId{};
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
