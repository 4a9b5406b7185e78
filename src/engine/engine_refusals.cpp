// Engine's part that counts the groups refused by the store, for the health of the node.

#include "engine/engine.hpp"

namespace pawl::engine {

using store::StoreError;

void Engine::count_refusal(const StoreError& error) {
  const std::int64_t now = clock_.monotonic().time_since_epoch().count();
  ++stats_.refused_groups;
  stats_.refused_last = now;
  std::int64_t none = 0;
  stats_.refused_since.compare_exchange_strong(none, now);
  const std::lock_guard lock{refusal_mutex_};
  foreign_schema_ = error.kind() == StoreError::Kind::schema ? error.what() : "";
}

std::string Engine::foreign_schema() const {
  if (stats_.refused_since == 0) return "";
  const std::lock_guard lock{refusal_mutex_};
  return foreign_schema_;
}

}  // namespace pawl::engine
