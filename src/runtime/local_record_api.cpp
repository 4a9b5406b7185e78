#include "runtime/local_record_api.hpp"

#include <utility>

#include "runtime/guarded.hpp"
#include "runtime/record_answers.hpp"

namespace pawl::runtime {

using core::Result;

// Checkpoints

Result<core::CheckpointAppended> LocalRecordApi::append_checkpoint(core::AppendCheckpoint command) {
  if (const core::Status size = admission_.admit_json(command.ns, "snapshot", command.snapshot); !size)
    return size.problem();
  if (core::check_namespace(command.ns)) {  // otherwise the command is refused for its namespace
    const auto settings = records_.recent(core::namespace_ref(command.ns));
    if (!settings) return settings.problem();
    command.kept = core::namespace_settings_from(settings->record)
                       .retention_checkpoints.value_or(options_.checkpoints_kept);
  }
  return promised_.with_promised(core::id_of(command.owner), [&] {
    return caller_.call_for<core::CheckpointAppended>(core::AppendCheckpoint{command});
  });
}

core::Status LocalRecordApi::find_owner(const std::string& ns, const core::CheckpointOwner& owner) {
  if (const auto* run = std::get_if<core::RunId>(&owner)) {
    const auto found = runs_.read({.ns = ns, .id = *run}, {});
    return found ? core::Status{core::Done{}} : found.problem();
  }
  const auto found = tasks_.get(ns, std::get<core::TaskId>(owner));
  return found ? core::Status{core::Done{}} : found.problem();
}

Result<std::vector<core::Checkpoint>> LocalRecordApi::list_checkpoints(const core::ListCheckpoints& list) {
  if (list.type) {
    if (const core::Status type = core::check_checkpoint_type(*list.type); !type) return type.problem();
  }
  if (const core::Status owner = find_owner(list.ns, list.owner); !owner) return owner.problem();
  return guarded([&]() -> Result<std::vector<core::Checkpoint>> {
    return store_.list_checkpoints(
        {.owner = core::id_of(list.owner), .type = list.type, .latest = list.latest});
  });
}

Result<core::CheckpointSummary> LocalRecordApi::summarize_checkpoints(const std::string& ns,
                                                                      const core::CheckpointOwner& owner) {
  if (const core::Status found = find_owner(ns, owner); !found) return found.problem();
  return guarded(
      [&]() -> Result<core::CheckpointSummary> { return store_.summarize_checkpoints(core::id_of(owner)); });
}

// Locks

Result<core::LockAnswer> LocalRecordApi::acquire_lock(const core::AcquireLock& request) {
  auto lock = read_answer(
      records_.decide_on({core::lock_ref(request.ns, request.key)}, request, core::decide_acquire),
      core::lock_from);
  if (!lock) return lock.problem();
  return core::LockAnswer{.acquired = lock->holder == request.holder, .lock = std::move(*lock)};
}

Result<core::Lock> LocalRecordApi::renew_lock(const core::RenewLock& request) {
  return read_answer(
      records_.decide_on({core::lock_ref(request.ns, request.key)}, request, core::decide_renew),
      core::lock_from);
}

Result<core::Lock> LocalRecordApi::release_lock(const core::ReleaseLock& request) {
  return read_answer(
      records_.decide_on({core::lock_ref(request.ns, request.key)}, request, core::decide_release),
      core::lock_from);
}

Result<core::Lock> LocalRecordApi::get_lock(const std::string& ns, const std::string& key) {
  const auto found = records_.find(core::lock_ref(ns, key));
  if (!found) return found.problem();
  if (!found->record) return no_such_record("lock", key);
  return core::lock_at(*found->record, found->now);
}

// Idempotency keys

Result<core::IdempotencyBegun> LocalRecordApi::begin_idempotency(const core::BeginIdempotency& request) {
  if (const core::Status valid = check(request); !valid) return valid.problem();
  const core::RecordRef ref = core::idempotency_ref(request.ns, request.key);
  core::IdempotencyLeases leases;
  if (request.task_id) {
    auto lease = tasks_.lease_of(request.ns, *request.task_id);
    if (!lease) return lease.problem();
    leases.own_fence = lease->fence;
    leases.own_queue = std::move(lease->queue);
  }
  const auto seen = records_.find(ref);
  if (!seen) return seen.problem();
  const auto known = seen->record ? core::idempotency_at(*seen->record, seen->now) : std::nullopt;
  const auto holder = known ? core::parse_uuid(known->task_id) : std::nullopt;
  if (holder && known->task_fence != 0) {
    const auto lease = tasks_.lease_of(request.ns, core::TaskId{*holder});
    if (!lease) return lease.problem();
    if (lease->fence != known->task_fence) leases.lost_version = seen->record->version;
  }
  auto answer = records_.change(
      {.refs = {ref}, .decide = [request, leases](core::FoundRecords found, core::TimePoint now) {
         return core::decide_begin(request, leases, found, now);
       }});
  if (!answer) return answer.problem();
  return core::idempotency_from(answer->body);
}

Result<core::IdempotencyKey> LocalRecordApi::complete_idempotency(const core::EndIdempotency& request) {
  return read_answer(
      records_.decide_on({core::idempotency_ref(request.ns, request.key)}, request, core::decide_complete),
      [](const core::RawJson& answer) { return core::idempotency_from(answer).key; });
}

Result<core::IdempotencyKey> LocalRecordApi::fail_idempotency(const core::EndIdempotency& request) {
  return read_answer(
      records_.decide_on({core::idempotency_ref(request.ns, request.key)}, request, core::decide_fail),
      [](const core::RawJson& answer) { return core::idempotency_from(answer).key; });
}

Result<core::IdempotencyKey> LocalRecordApi::get_idempotency(const std::string& ns, const std::string& key) {
  const auto found = records_.find(core::idempotency_ref(ns, key));
  if (!found) return found.problem();
  auto known = found->record ? core::idempotency_at(*found->record, found->now) : std::nullopt;
  if (!known) return no_such_record("idempotency key", key);
  return std::move(*known);
}

// Task types

Result<core::TaskType> LocalRecordApi::put_type(const core::PutTaskType& request) {
  return read_answer(records_.decide_on({core::task_type_ref(request.ns, request.type.name)}, request,
                                        core::decide_put_type),
                     core::task_type_from);
}

Result<core::TaskType> LocalRecordApi::get_type(const std::string& ns, const std::string& name) {
  const auto found = records_.find(core::task_type_ref(ns, name));
  if (!found) return found.problem();
  if (!found->record) return no_such_record("type", name);
  return core::task_type_from(found->record->body);
}

Result<core::Page<core::TaskType>> LocalRecordApi::list_types(const core::ListRecords& list) {
  const auto found = records_.list(core::RecordKind::task_type, list.ns, list);
  if (!found) return found.problem();
  core::Page<core::TaskType> page{.next_cursor = found->next_cursor};
  for (const core::Record& record : found->records) page.items.push_back(core::task_type_from(record.body));
  return page;
}

Result<core::Done> LocalRecordApi::delete_type(const core::DeleteTaskType& request) {
  return to_status(
      records_.decide_on({core::task_type_ref(request.ns, request.name)}, request, core::decide_delete_type));
}

}  // namespace pawl::runtime
