#pragma once
// Checks whether work makes progress. It judges only pending work, so that neither an idle server nor a
// paused queue raises an alarm: commands that wait and are not committed, commits that were tried and
// refused, polls for expired leases that do not finish. Pure.

#include <optional>
#include <string>

#include "core/base/result.hpp"
#include "core/base/time.hpp"

namespace pawl::runtime {

inline constexpr core::Duration kRefusedLong = std::chrono::seconds{10};
// A refusal is ignored after this time: the store may have recovered without another try.
inline constexpr core::Duration kRefusedRecently = std::chrono::seconds{30};
inline constexpr core::Duration kStalledLong = std::chrono::seconds{30};

struct Progress {
  std::optional<core::MonotonicTime> refused_since = {};  // the first refused commit since the last success
  core::MonotonicTime refused_last = {};
  std::string foreign_schema = {};  // why every commit is refused, if another program has migrated the store
  std::optional<core::MonotonicTime> waiting_since = {};  // commands wait and no group has ended since
  core::MonotonicTime polled_at = {};                     // the ticker read the due work
};

// Returns `unavailable` with the work that makes no progress.
[[nodiscard]] core::Status check_progress(const Progress& progress, core::MonotonicTime now);

}  // namespace pawl::runtime
