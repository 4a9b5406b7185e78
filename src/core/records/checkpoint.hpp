#pragma once
// Checkpoints: append-only evidence of a task or a run. Sequences rise by one within their owner; only the
// latest checkpoints are kept.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "core/base/ids.hpp"
#include "core/base/limits.hpp"
#include "core/base/time.hpp"
#include "core/json/json.hpp"
#include "core/records/audit.hpp"

namespace pawl::core {

using CheckpointOwner = std::variant<TaskId, RunId>;
[[nodiscard]] Uuid id_of(const CheckpointOwner& owner);

struct AppendCheckpoint {
  std::string ns = "default";
  CheckpointOwner owner = TaskId{};
  std::string type = "manual_checkpoint";
  RawJson snapshot = {};
  RawJson metadata = {};
  std::optional<std::int64_t> sequence = {};  // if given, must be the next one
  std::int64_t kept = kCheckpointsKept;  // how many of the owner's checkpoints remain; older ones are deleted
  Actor by = {};
};
struct CheckpointAppended {
  std::string checkpoint_id = {};
  std::int64_t sequence = 0;

  bool operator==(const CheckpointAppended&) const = default;
};

// Derived, so that it needs no column: an owner and a sequence identify one checkpoint permanently.
[[nodiscard]] std::string checkpoint_id(const CheckpointOwner& owner, std::int64_t sequence,
                                        TimePoint created_at);

struct ListCheckpoints {
  std::string ns = "default";
  CheckpointOwner owner = TaskId{};
  std::optional<std::string> type = {};
  bool latest = false;  // only the last one, of `type` if given
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
