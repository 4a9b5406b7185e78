#include "engine/count_effects.hpp"

namespace pawl::engine {

using core::Answer;

namespace {

void count_report(EngineStats& stats, core::ReportAction action, core::TaskStatus status) {
  using core::TaskStatus;
  if (status == TaskStatus::completed) ++stats.tasks_completed;
  if (status == TaskStatus::failed || status == TaskStatus::dead_letter) ++stats.tasks_failed;
  if (status == TaskStatus::pending && action == core::ReportAction::fail) ++stats.tasks_retried;
}

}  // namespace

void count_effects(EngineStats& stats, const core::Command& command, const core::Result<Answer>& answer) {
  const bool erases = std::holds_alternative<core::EraseTasks>(command) ||
                      std::holds_alternative<core::EraseRuns>(command) ||
                      std::holds_alternative<core::EraseAudit>(command);
  if (erases && answer) stats.erased += std::get<core::Swept>(*answer).changed;
  const auto* const asked = std::get_if<core::ReportTasks>(&command);
  if (asked == nullptr || !answer) return;
  const auto* const results = std::get_if<std::vector<core::Result<core::ReportAnswer>>>(&*answer);
  if (results == nullptr) return;  // a replayed answer, counted the first time
  for (std::size_t i = 0; i < results->size(); ++i) {
    if ((*results)[i]) count_report(stats, asked->reports[i].action, (*results)[i]->status);
  }
}

}  // namespace pawl::engine
