#include "engine/due.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/records/idempotency.hpp"
#include "core/records/worker.hpp"

namespace pawl::engine {

namespace {

constexpr std::size_t kLookedInto = 50;  // tasks per read: they include their payloads

std::optional<core::TimePoint> last_renewal(store::Store& store, store::TaskPage page) {
  std::optional<core::TimePoint> last;
  const core::ClockState clock = store.clock_state();
  page.limit = kLookedInto;
  for (bool has_more = true; has_more;) {
    const auto tasks = store.list_tasks(page);
    for (const store::StoredTask& task : tasks) {
      if (!task.record.lease) continue;
      const core::TimePoint sign = core::last_sign_of(*task.record.lease);
      const core::TimePoint at = sign + core::jumped_since(clock, sign);
      last = std::max(last.value_or(at), at);
    }
    has_more = tasks.size() == kLookedInto;
    if (has_more) page.after = tasks.back().record.id;
  }
  return last;
}

core::ChangeRecords end_of_worker(store::Store& store, const core::Record& record, std::size_t page) {
  const core::Worker worker = core::worker_from(record.body);
  const std::string& ns = record.ref.ns;
  const store::TaskPage its_tasks{
      .filter = {.ns = ns,
                 .statuses = {core::TaskStatus::claimed, core::TaskStatus::running},
                 .worker_id = worker.worker_id},
      .newest_first = false,
      .limit = page};
  auto ids = store.list_task_ids(its_tasks);
  const core::SeenHeld held{.is_all = ids.size() < page, .renewed_at = last_renewal(store, its_tasks)};
  return {.refs = core::worker_refs(ns, worker),
          .decide = [held](core::FoundRecords found,
                           core::TimePoint now) { return core::decide_worker_due(held, found, now); },
          .held = {.ns = ns, .worker_id = worker.worker_id, .ids = std::move(ids)}};
}

// Adds one command that erases all expired records of a kind.
void add_expired(store::Store& store, core::RecordKind kind, std::size_t page, std::vector<DueWork>& due) {
  core::ChangeRecords expire{.decide = core::decide_expire};
  for (core::Record& record : store.due_records(kind, page)) expire.refs.push_back(std::move(record.ref));
  const int count = static_cast<int>(expire.refs.size());
  if (count > 0) due.push_back({.command = std::move(expire), .examined = count});
}

}  // namespace

std::vector<DueWork> find_due(store::Store& store, core::RecoveryCheck check, const DueQuery& query) {
  const std::size_t page = query.page;
  std::vector<DueWork> due;
  switch (check) {
    case core::RecoveryCheck::leases:
    case core::RecoveryCheck::timeouts: {  // the lease carries the attempt's timeout
      auto leases = store.due_leases(page);
      const int count = static_cast<int>(leases.size());
      if (count > 0) due.push_back({.command = core::SweepLeases{std::move(leases)}, .examined = count});
      break;
    }
    case core::RecoveryCheck::workers:
      for (const core::Record& record : store.due_records(core::RecordKind::worker, page))
        due.push_back({.command = end_of_worker(store, record, page), .examined = 1});
      break;
    case core::RecoveryCheck::retention:
      add_expired(store, core::RecordKind::idempotency, page, due);
      add_expired(store, core::RecordKind::node, page, due);
      break;
    case core::RecoveryCheck::stuck: {
      auto runs = store.find_due({.stuck_runs = page, .stuck_after = query.stuck_after}).stuck_runs;
      const int count = static_cast<int>(runs.size());
      if (count == 0) break;
      due.push_back({.command = core::WakeRuns{.stuck = std::move(runs), .stuck_after = query.stuck_after},
                     .examined = count});
      break;
    }
    case core::RecoveryCheck::deadlines: {
      auto runs = store.due_runs(page).deadlines;
      const int count = static_cast<int>(runs.size());
      if (count > 0)
        due.push_back({.command = core::WakeRuns{.deadlines = std::move(runs)}, .examined = count});
      break;
    }
  }
  return due;
}

}  // namespace pawl::engine
