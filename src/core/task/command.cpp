#include "core/task/command.hpp"

namespace pawl::core {

bool TaskSpec::has_queue() const { return given.queue || queue != kQueueDefault; }

bool TaskSpec::has_priority() const { return given.priority || priority != 0; }

bool TaskSpec::has_retry() const { return given.retry || retry != RetryPolicy{}; }

Duration ClaimTasks::lease_for(const std::string& type) const {
  if (lease) return *lease;
  const auto own = type_leases.find(type);
  return own == type_leases.end() ? lease_default : own->second;
}

}  // namespace pawl::core
