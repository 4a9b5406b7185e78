#pragma once
// The runs that ticks of this node could not advance, and skip for a while. Bounded. Thread-safe.

#include <map>
#include <mutex>

#include "core/base/env.hpp"
#include "core/task/command.hpp"

namespace pawl::engine {

class SkippedRuns {
 public:
  explicit SkippedRuns(core::Clock& clock) : clock_(clock) {}

  // Removes the timers and deadlines of runs that are skipped now.
  void remove_from(core::WakeRuns& wake);
  // Counts that a run lacked memory. It may succeed on a later tick: true once it failed too often.
  [[nodiscard]] bool has_failed_too_often(const core::RunId& run);
  void skip(const core::RunId& run);

 private:
  struct Skipped {
    int failures = 0;                // for lack of memory
    core::MonotonicTime until = {};  // ticks skip the run until then
  };
  // These require the lock.
  [[nodiscard]] Skipped& entry(const core::RunId& run);
  [[nodiscard]] bool is_skipped(const core::RunId& run) const;

  core::Clock& clock_;
  std::mutex mutex_;
  std::map<core::RunId, Skipped> runs_;
};

}  // namespace pawl::engine
