#include "runtime/progress.hpp"

#include <fmt/format.h>

namespace pawl::runtime {

namespace {

core::Problem no_progress(const std::string& what, core::Duration time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  return {.code = core::ProblemCode::unavailable, .detail = fmt::format("{} for {} s", what, seconds)};
}

}  // namespace

core::Status check_progress(const Progress& progress, core::MonotonicTime now) {
  const bool is_refused_now = progress.refused_since && now - progress.refused_last <= kRefusedRecently;
  if (is_refused_now && !progress.foreign_schema.empty())
    return core::Problem{.code = core::ProblemCode::unavailable, .detail = progress.foreign_schema};
  if (is_refused_now && now - *progress.refused_since >= kRefusedLong)
    return no_progress("the store has refused every commit", now - *progress.refused_since);
  if (progress.waiting_since && now - *progress.waiting_since >= kStalledLong)
    return no_progress("commands wait, and no group has ended", now - *progress.waiting_since);
  if (now - progress.polled_at >= kStalledLong)
    return no_progress("no poll for expired leases has finished", now - progress.polled_at);
  return core::Done{};
}

}  // namespace pawl::runtime
