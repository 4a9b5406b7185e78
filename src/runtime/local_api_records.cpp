// LocalApi's calls on records, by noun.

#include <utility>

#include "runtime/local_api.hpp"

namespace pawl::runtime {

using core::RecordKind;
using core::Result;

namespace {

core::Problem no_such(std::string_view what, const std::string& key) {
  return {.code = core::ProblemCode::not_found, .detail = "there is no " + std::string{what} + " " + key};
}

// The answer of a decision, read by its noun; or why it was refused.
template <typename From>
auto read_answer(const Result<core::RawJson>& answer, From from)
    -> Result<std::remove_cvref_t<decltype(from(*answer))>> {
  if (!answer) return answer.problem();
  return from(*answer);
}

core::Status done(const Result<core::RawJson>& answer) {
  return answer ? core::Status{core::Done{}} : core::Status{answer.problem()};
}

}  // namespace

// Locks

Result<core::LockAnswer> LocalApi::acquire_lock(const core::AcquireLock& request) {
  auto lock = read_answer(decide_on({core::lock_ref(request.ns, request.key)}, request, core::decide_acquire),
                          core::lock_from);
  if (!lock) return lock.problem();
  return core::LockAnswer{.acquired = lock->holder == request.holder, .lock = std::move(*lock)};
}

Result<core::Lock> LocalApi::renew_lock(const core::RenewLock& request) {
  return read_answer(decide_on({core::lock_ref(request.ns, request.key)}, request, core::decide_renew),
                     core::lock_from);
}

Result<core::Lock> LocalApi::release_lock(const core::ReleaseLock& request) {
  return read_answer(decide_on({core::lock_ref(request.ns, request.key)}, request, core::decide_release),
                     core::lock_from);
}

Result<core::Lock> LocalApi::get_lock(const std::string& ns, const std::string& key) {
  const auto found = find_record(core::lock_ref(ns, key));
  if (!found) return found.problem();
  if (!found->record) return no_such("lock", key);
  return core::lock_at(*found->record, found->now);
}

// Idempotency keys

Result<core::IdempotencyBegun> LocalApi::begin_idempotency(const core::BeginIdempotency& request) {
  if (const core::Status valid = check(request); !valid) return valid.problem();
  const core::RecordRef ref = core::idempotency_ref(request.ns, request.key);
  core::IdempotencyLeases leases;
  if (request.task_id) {
    auto lease = lease_of(request.ns, *request.task_id);
    if (!lease) return lease.problem();
    leases.own_fence = lease->fence;
    leases.own_queue = std::move(lease->queue);
  }
  const auto seen = find_record(ref);
  if (!seen) return seen.problem();
  const auto known = seen->record ? core::idempotency_at(*seen->record, seen->now) : std::nullopt;
  const auto holder = known ? core::parse_uuid(known->task_id) : std::nullopt;
  if (holder && known->task_fence != 0) {
    const auto lease = lease_of(request.ns, core::TaskId{*holder});
    if (!lease) return lease.problem();
    if (lease->fence != known->task_fence) leases.lost_version = seen->record->version;
  }
  auto answer =
      change({.refs = {ref}, .decide = [request, leases](core::FoundRecords found, core::TimePoint now) {
                return core::decide_begin(request, leases, found, now);
              }});
  if (!answer) return answer.problem();
  return core::idempotency_from(answer->body);
}

Result<core::IdempotencyKey> LocalApi::complete_idempotency(const core::EndIdempotency& request) {
  return read_answer(
      decide_on({core::idempotency_ref(request.ns, request.key)}, request, core::decide_complete),
      [](const core::RawJson& answer) { return core::idempotency_from(answer).key; });
}

Result<core::IdempotencyKey> LocalApi::fail_idempotency(const core::EndIdempotency& request) {
  return read_answer(decide_on({core::idempotency_ref(request.ns, request.key)}, request, core::decide_fail),
                     [](const core::RawJson& answer) { return core::idempotency_from(answer).key; });
}

Result<core::IdempotencyKey> LocalApi::get_idempotency(const std::string& ns, const std::string& key) {
  const auto found = find_record(core::idempotency_ref(ns, key));
  if (!found) return found.problem();
  auto known = found->record ? core::idempotency_at(*found->record, found->now) : std::nullopt;
  if (!known) return no_such("idempotency key", key);
  return std::move(*known);
}

// Task types

Result<core::TaskType> LocalApi::put_type(const core::PutTaskType& request) {
  return read_answer(
      decide_on({core::task_type_ref(request.ns, request.type.name)}, request, core::decide_put_type),
      core::task_type_from);
}

Result<core::TaskType> LocalApi::get_type(const std::string& ns, const std::string& name) {
  const auto found = find_record(core::task_type_ref(ns, name));
  if (!found) return found.problem();
  if (!found->record) return no_such("type", name);
  return core::task_type_from(found->record->body);
}

Result<core::Page<core::TaskType>> LocalApi::list_types(const core::ListRecords& list) {
  const auto found = list_records(RecordKind::task_type, list.ns, list);
  if (!found) return found.problem();
  core::Page<core::TaskType> page{.next_cursor = found->next_cursor};
  for (const core::Record& record : found->records) page.items.push_back(core::task_type_from(record.body));
  return page;
}

Result<core::Done> LocalApi::delete_type(const core::DeleteTaskType& request) {
  return done(decide_on({core::task_type_ref(request.ns, request.name)}, request, core::decide_delete_type));
}

// Tokens

Result<core::Token> LocalApi::create_token(const core::CreateToken& request) {
  return read_answer(decide_on({core::token_ref(request.id)}, request, core::decide_create_token),
                     core::token_from);
}

Result<core::Token> LocalApi::revoke_token(const core::RevokeToken& request) {
  return read_answer(decide_on({core::token_ref(request.id)}, request, core::decide_revoke_token),
                     core::token_from);
}

Result<core::Token> LocalApi::rotate_token(const core::RotateToken& request) {
  return read_answer(decide_on({core::token_ref(request.id)}, request, core::decide_rotate_token),
                     core::token_from);
}

Result<core::FoundToken> LocalApi::find_token(const std::string& id) {
  const auto found = find_record(core::token_ref(id));
  if (!found) return found.problem();
  if (!found->record) return no_such("token", id);
  return core::FoundToken{.token = core::token_from(found->record->body), .now = found->now};
}

Result<core::Page<core::Token>> LocalApi::list_tokens(const core::ListRecords& list) {
  const auto found = list_records(RecordKind::token, "", list);
  if (!found) return found.problem();
  core::Page<core::Token> page{.next_cursor = found->next_cursor};
  for (const core::Record& record : found->records) page.items.push_back(core::token_from(record.body));
  return page;
}

// Namespaces

Result<core::NamespaceSettings> LocalApi::get_namespace(const std::string& ns) {
  if (const core::Status valid = core::check_namespace(ns); !valid) return valid.problem();
  const auto found = find_record(core::namespace_ref(ns));
  if (!found) return found.problem();
  return core::namespace_settings_from(found->record);
}

Result<core::NamespaceSettings> LocalApi::put_namespace(const core::PutNamespace& request) {
  return read_answer(decide_on({core::namespace_ref(request.ns)}, request, core::decide_put_namespace),
                     [](const core::RawJson& answer) { return core::namespace_settings_from(answer); });
}

}  // namespace pawl::runtime
