// What time brings to records: workers that are lost, idempotency keys that are over.

#include "core/idempotency.hpp"
#include "core/worker.hpp"
#include "engine/engine.hpp"

namespace pawl::engine {

std::vector<core::Command> Engine::find_due_records(std::size_t page) {
  std::vector<core::Command> commands;
  for (const core::Record& record : store_.due_records(core::RecordKind::worker, page))
    commands.emplace_back(end_of_worker(record, page));
  core::ChangeRecords expire{.decide = core::decide_expire};
  for (core::Record& record : store_.due_records(core::RecordKind::idempotency, page))
    expire.refs.push_back(std::move(record.ref));
  if (!expire.refs.empty()) commands.emplace_back(std::move(expire));
  return commands;
}

core::ChangeRecords Engine::end_of_worker(const core::Record& record, std::size_t page) {
  const core::Worker worker = core::worker_from(record.body);
  const std::string& ns = record.ref.ns;
  auto held =
      store_.list_task_ids({.filter = {.ns = ns,
                                       .statuses = {core::TaskStatus::claimed, core::TaskStatus::running},
                                       .worker_id = worker.worker_id},
                            .newest_first = false,
                            .limit = page});
  const bool is_all_held = held.size() < page;
  return {.refs = core::worker_refs(ns, worker),
          .decide = [is_all_held](
                        core::FoundRecords found,
                        core::TimePoint now) { return core::decide_worker_due(is_all_held, found, now); },
          .held = {.ns = ns, .worker_id = worker.worker_id, .ids = std::move(held)}};
}

}  // namespace pawl::engine
