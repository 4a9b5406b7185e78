#include "engine/skipped_runs.hpp"

#include <vector>

namespace pawl::engine {

void SkippedRuns::remove_from(core::WakeRuns& wake) {
  const std::lock_guard lock{mutex_};
  if (runs_.empty()) return;
  std::erase_if(wake.timers, [this](const core::TimerRef& timer) { return is_skipped(timer.run_id); });
  std::erase_if(wake.deadlines, [this](const core::RunId& run) { return is_skipped(run); });
}

bool SkippedRuns::has_failed_too_often(const core::RunId& run) {
  const std::lock_guard lock{mutex_};
  return ++entry(run).failures >= core::kMemoryFailuresMax;
}

void SkippedRuns::skip(const core::RunId& run) {
  const std::lock_guard lock{mutex_};
  entry(run).until = clock_.monotonic() + core::kParkedFor;
}

SkippedRuns::Skipped& SkippedRuns::entry(const core::RunId& run) {
  if (runs_.size() >= core::kUnmovedRunsMax && !runs_.contains(run)) runs_.clear();
  return runs_[run];
}

bool SkippedRuns::is_skipped(const core::RunId& run) const {
  const auto found = runs_.find(run);
  return found != runs_.end() && found->second.until > clock_.monotonic();
}

}  // namespace pawl::engine
