#include "engine/retention.hpp"

#include <utility>

#include "core/base/canary.hpp"

namespace pawl::engine {

namespace {

// Small enough that other writers wait only a few milliseconds.
constexpr std::size_t kTasksInPage = 500;
constexpr std::size_t kAuditInPage = 500;
constexpr std::size_t kRunsInPage = 50;
constexpr std::int64_t kEventsInPage = 2'000;  // a run is erased whole: a longer log is a page of its own
constexpr std::size_t kRecordsInPage = 500;
constexpr core::Duration kIdPrecision = std::chrono::milliseconds{1};

}  // namespace

core::RetentionRules read_rules(store::Store& store, const core::Retention& standard) {
  std::map<std::string, core::NamespaceSettings> namespaces;
  core::RecordRef after{.kind = core::RecordKind::namespace_settings};
  while (true) {
    const auto records = store.select_records(store::AllRecords{.after = after, .limit = kRecordsInPage});
    for (const core::Record& record : records)
      namespaces.emplace(record.ref.ns, core::namespace_settings_from(record.body));
    if (records.size() < kRecordsInPage) break;
    after = records.back().ref;
  }
  return {standard, std::move(namespaces)};
}

RetentionWalk::RetentionWalk(store::Store& store, const core::Retention& standard)
    : store_(store), now_(store.now()), rules_(read_rules(store, standard)) {}

std::optional<RetentionWalk::Page> RetentionWalk::next() {
  switch (stage_) {
    case Stage::tasks: return tasks();
    case Stage::runs: return runs();
    case Stage::audit: return audit();
    case Stage::over: break;
  }
  return std::nullopt;
}

RetentionWalk::Page RetentionWalk::tasks() {
  const core::TimePoint end = rules_.end_of_tasks(now_) + kIdPrecision;
  const auto found = store_.list_finished(
      {.after = after_task_, .before = core::TaskId{core::first_id_at(end)}, .limit = kTasksInPage});
  Page page{.kind = "tasks"};
  core::EraseTasks erase;
  for (const core::FinishedTask& task : found.tasks) {
    if (!rules_.is_old(task, now_)) continue;
    erase.tasks.push_back({.id = task.id, .finished_at = task.finished_at});
    ++page.old[task.lane->ns];
  }
  if (!erase.tasks.empty()) page.command = std::move(erase);
  if (found.next) {
    after_task_ = *found.next;
  } else {
    stage_ = Stage::runs;
  }
  return page;
}

// A child is erased after its parent, since it is part of the parent.
bool RetentionWalk::may_go(const core::Run& run) {
  return rules_.is_old(run, now_) && (core::planted(core::Canary::child_erased_before_parent) ||
                                      !run.facts.parent || !store_.find_run(run.facts.parent->run_id, {}));
}

RetentionWalk::Page RetentionWalk::runs() {
  const auto found = store_.list_runs(
      {.query = {.ns = ""}, .newest_first = false, .after = after_run_, .limit = kRunsInPage});
  const core::TimePoint end = rules_.end_of_runs(now_);
  Page page{.kind = "runs"};
  core::EraseRuns erase;
  std::int64_t events = 0;
  bool is_at_end = found.size() < kRunsInPage;
  for (const core::Run& run : found) {
    const bool is_full = events > 0 && events + run.sequence > kEventsInPage;
    const bool is_young = run.created_at > end;
    if (is_full || is_young) {
      is_at_end = is_young;
      break;
    }
    after_run_ = run.facts.id;
    if (!may_go(run)) continue;
    erase.runs.push_back({.id = run.facts.id, .sequence = run.sequence});
    events += run.sequence;
    ++page.old[run.facts.ns];
  }
  if (!erase.runs.empty()) page.command = std::move(erase);
  if (is_at_end) stage_ = Stage::audit;
  return page;
}

// Erases only from the beginning, up to the first entry that is not expired: the entries are a chain.
RetentionWalk::Page RetentionWalk::audit() {
  const auto entries =
      store_.list_audit({.newest_first = false, .after = after_entry_, .limit = kAuditInPage});
  Page page{.kind = "audit"};
  core::EraseAudit erase;
  for (const core::AuditEntry& entry : entries) {
    if (!rules_.is_old(entry, now_) && !core::planted(core::Canary::audit_erased_out_of_order)) break;
    erase.up_to = entry.sequence;
    ++erase.count;
    ++page.old[entry.ns];
  }
  after_entry_ = erase.up_to;
  if (erase.count < static_cast<int>(kAuditInPage)) stage_ = Stage::over;
  if (erase.count > 0) page.command = erase;
  return page;
}

}  // namespace pawl::engine
