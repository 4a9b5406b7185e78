#include "core/records/retention.hpp"

#include <algorithm>

#include "core/base/canary.hpp"

namespace pawl::core {

namespace {

std::optional<Duration> kept_by_state(const NamespaceSettings& settings, TaskStatus status) {
  switch (status) {
    case TaskStatus::completed: return settings.retention_completed;
    case TaskStatus::cancelled:
      return settings.retention_cancelled ? settings.retention_cancelled : settings.retention_failed;
    case TaskStatus::dead_letter:
      return settings.retention_dead_letter ? settings.retention_dead_letter : settings.retention_failed;
    default: return settings.retention_failed;
  }
}

}  // namespace

const NamespaceSettings& RetentionRules::settings_of(const std::string& ns) const {
  static const NamespaceSettings nothing_set;
  const auto found = namespaces_.find(ns);
  return found == namespaces_.end() ? nothing_set : found->second;
}

Duration RetentionRules::kept_for(const Lane& lane, TaskStatus status) const {
  const NamespaceSettings& settings = settings_of(lane.ns);
  const auto of_queue = settings.retention_queues.find(lane.queue);
  if (of_queue != settings.retention_queues.end() && !planted(Canary::retention_of_queue_ignored))
    return of_queue->second;
  return kept_by_state(settings, status).value_or(standard_.tasks);
}

Duration RetentionRules::runs_kept_for(const std::string& ns) const {
  return settings_of(ns).retention_runs.value_or(standard_.runs);
}

bool RetentionRules::is_old(const FinishedTask& task, TimePoint now) const {
  const TimePoint end = now - kept_for(*task.lane, task.status);
  const bool was_made_before = planted(Canary::retention_from_creation) && task.id < first_id_at(end);
  return is_terminal(task.status) && !task.lane->of_runs && (task.finished_at <= end || was_made_before);
}

bool RetentionRules::is_old(const Run& run, TimePoint now) const {
  return is_closed(run.state) && run.finished_at && *run.finished_at <= now - runs_kept_for(run.facts.ns);
}

bool RetentionRules::is_old(const AuditEntry& entry, TimePoint now) const {
  return entry.at <= now - settings_of(entry.ns).retention_audit.value_or(standard_.audit);
}

TimePoint RetentionRules::end_of_tasks(TimePoint now) const {
  Duration shortest = standard_.tasks;
  for (const auto& [ns, settings] : namespaces_) {
    for (const auto& kept : {settings.retention_completed, settings.retention_failed,
                             settings.retention_dead_letter, settings.retention_cancelled})
      shortest = std::min(shortest, kept.value_or(shortest));
    for (const auto& [queue, kept] : settings.retention_queues) shortest = std::min(shortest, kept);
  }
  return now - shortest;
}

TimePoint RetentionRules::end_of_runs(TimePoint now) const {
  Duration shortest = standard_.runs;
  for (const auto& [ns, settings] : namespaces_)
    shortest = std::min(shortest, settings.retention_runs.value_or(shortest));
  return now - shortest;
}

}  // namespace pawl::core
