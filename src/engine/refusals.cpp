#include "engine/refusals.hpp"

namespace pawl::engine {

using store::StoreError;

void Refusals::note(const StoreError& error) {
  const std::int64_t now = clock_.monotonic().time_since_epoch().count();
  ++stats_.refused_groups;
  stats_.refused_last = now;
  std::int64_t none = 0;
  stats_.refused_since.compare_exchange_strong(none, now);
  const std::lock_guard lock{mutex_};
  foreign_schema_ = error.kind() == StoreError::Kind::schema ? error.what() : "";
}

void Refusals::note_commit(core::MonotonicTime began_at) {
  std::int64_t since = stats_.refused_since;
  if (since < began_at.time_since_epoch().count()) stats_.refused_since.compare_exchange_strong(since, 0);
}

std::string Refusals::foreign_schema() const {
  if (stats_.refused_since == 0) return "";
  const std::lock_guard lock{mutex_};
  return foreign_schema_;
}

}  // namespace pawl::engine
