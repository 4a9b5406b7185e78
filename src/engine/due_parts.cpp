#include "engine/due_parts.hpp"

namespace pawl::engine {

std::vector<core::Command> parts_of(core::Command& command, bool one_by_one) {
  std::vector<core::Command> parts;
  if (const auto* sweep = std::get_if<core::SweepLeases>(&command); one_by_one && sweep != nullptr) {
    for (const core::LeaseRef& lease : sweep->leases)
      parts.emplace_back(core::SweepLeases{.leases = {lease}});
  } else if (const auto* due = std::get_if<core::PromoteDue>(&command); one_by_one && due != nullptr) {
    for (const core::TaskId& id : due->ids) parts.emplace_back(core::PromoteDue{.ids = {id}});
  } else if (const auto* wake = std::get_if<core::WakeRuns>(&command); one_by_one && wake != nullptr) {
    for (const core::TimerRef& timer : wake->timers) parts.emplace_back(core::WakeRuns{.timers = {timer}});
    for (const core::RunId& run : wake->deadlines) parts.emplace_back(core::WakeRuns{.deadlines = {run}});
  } else {
    parts.push_back(std::move(command));
  }
  return parts;
}

}  // namespace pawl::engine
