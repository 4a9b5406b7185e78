#include "engine/verify_retention.hpp"

#include <fmt/format.h>

#include "core/records/node.hpp"
#include "engine/retention.hpp"

namespace pawl::engine {

namespace {

std::string message_of(core::TimePoint finished_at) {
  return fmt::format("it ended at {} and is past its retention", core::format_time(finished_at));
}

}  // namespace

OverdueRows::OverdueRows(store::Store& store, const core::Retention& standard)
    : rules_(read_rules(store, standard)) {
  const core::TimePoint now = store.now();
  const core::Leadership leadership = core::leadership_from(store.find_record(core::leader_ref()));
  if (leadership.until <= now) return;
  const auto node = store.find_record(core::node_ref(leadership.node_id));
  if (node && node->created_at <= now - kRetentionSlack) judged_at_ = now - kRetentionSlack;
}

std::optional<std::string> OverdueRows::finding_of(const core::TaskRecord& task) const {
  if (!judged_at_ || !task.end) return std::nullopt;
  const core::TimePoint finished_at = task.end->finished_at;
  const core::FinishedTask finished{
      .id = task.id, .lane = task.lane, .status = task.status, .finished_at = finished_at};
  return rules_.is_old(finished, *judged_at_) ? std::optional{message_of(finished_at)} : std::nullopt;
}

// A child is kept as long as its parent, which is judged separately.
std::optional<std::string> OverdueRows::finding_of(const core::Run& run) const {
  const bool is_overdue = judged_at_ && !run.facts.parent && rules_.is_old(run, *judged_at_);
  return is_overdue ? std::optional{message_of(*run.finished_at)} : std::nullopt;
}

}  // namespace pawl::engine
