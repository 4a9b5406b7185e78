#include "client/http_record_api.hpp"

#include <fmt/format.h>

#include "client/decoded.hpp"
#include "client/pages.hpp"
#include "wire/records.hpp"

namespace pawl::client {

using core::Result;
using wire::ObjectReader;
using wire::percent_encoded;
using wire::Writer;

namespace {

core::Lock own_lock(ObjectReader& in) { return wire::read_lock(in).lock; }

core::TaskType named_type(ObjectReader& in) {
  const std::string name = in.text("name");
  core::TaskType type = wire::read_task_type(in);
  type.name = name;
  return type;
}

}  // namespace

Result<core::CheckpointAppended> HttpRecordApi::append_checkpoint(core::AppendCheckpoint command) {
  if (const auto valid = core::check(core::Command{command}); !valid) return valid.problem();
  Writer out;
  out.begin_object();
  wire::write_owner(out, command.owner);
  out.field("type", command.type)
      .field("snapshot", command.snapshot)
      .field("metadata", command.metadata)
      .field("sequence", command.sequence)
      .end_object();
  // Not marked repeatable: HttpCaller adds an Idempotency-Key.
  const std::string path = fmt::format("/v1/{}/checkpoints", percent_encoded(command.ns));
  return decoded(connection_.call(command.ns, {.method = "POST", .path = path, .body = out.take()}),
                 [](ObjectReader& in) {
                   return core::CheckpointAppended{.checkpoint_id = in.text("checkpoint_id"),
                                                   .sequence = in.integer("sequence")};
                 });
}

Result<std::vector<core::Checkpoint>> HttpRecordApi::list_checkpoints(const core::ListCheckpoints& list) {
  std::string path =
      fmt::format("/v1/{}/checkpoints?{}", percent_encoded(list.ns), wire::owner_query(list.owner));
  if (list.type) path += "&type=" + percent_encoded(*list.type);
  if (list.latest) path += "&latest=true";
  return decoded(connection_.call(list.ns, {.path = path}), [](ObjectReader& in) {
    std::vector<core::Checkpoint> checkpoints;
    in.objects_leniently("items",
                         [&](ObjectReader& one) { checkpoints.push_back(wire::read_checkpoint(one)); });
    return checkpoints;
  });
}

Result<core::CheckpointSummary> HttpRecordApi::summarize_checkpoints(const std::string& ns,
                                                                     const core::CheckpointOwner& owner) {
  const std::string path =
      fmt::format("/v1/{}/checkpoints/summary?{}", percent_encoded(ns), wire::owner_query(owner));
  return decoded(connection_.call(ns, {.path = path}), wire::read_checkpoint_summary);
}

Result<core::LockAnswer> HttpRecordApi::acquire_lock(const core::AcquireLock& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object().field("holder", request.holder).field("ttl", request.ttl).end_object();
  return decoded(
      connection_.call(request.ns,
                       repeatable_post(path_of(request.ns, "leases", request.key, "/acquire"), out.take())),
      wire::read_lock);
}

Result<core::Lock> HttpRecordApi::renew_lock(const core::RenewLock& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object()
      .field("holder", request.holder)
      .field("fence", request.fence)
      .field("ttl", request.ttl)
      .end_object();
  return decoded(
      connection_.call(request.ns,
                       repeatable_post(path_of(request.ns, "leases", request.key, "/renew"), out.take())),
      own_lock);
}

Result<core::Lock> HttpRecordApi::release_lock(const core::ReleaseLock& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object().field("holder", request.holder).field("fence", request.fence).end_object();
  return decoded(
      connection_.call(request.ns,
                       repeatable_post(path_of(request.ns, "leases", request.key, "/release"), out.take())),
      own_lock);
}

Result<core::Lock> HttpRecordApi::get_lock(const std::string& ns, const std::string& key) {
  return decoded(connection_.call(ns, {.path = path_of(ns, "leases", key)}), own_lock);
}

Result<core::IdempotencyBegun> HttpRecordApi::begin_idempotency(const core::BeginIdempotency& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object().field("request_hash", request.request_hash).field("ttl", request.ttl);
  if (request.task_id) out.field("task_id", to_string(*request.task_id));
  out.end_object();
  const auto body = connection_.call(
      request.ns, repeatable_post(path_of(request.ns, "idempotency", request.key, "/begin"), out.take()));
  return decoded(body, [](ObjectReader& in) {
    core::IdempotencyBegun begun{.key = wire::read_idempotency(in)};
    begun.begun = begun.key.status == core::IdempotencyStatus::pending;
    return begun;
  });
}

Result<core::IdempotencyKey> HttpRecordApi::complete_idempotency(const core::EndIdempotency& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object().field("response", request.response).end_object();
  return decoded(connection_.call(
                     request.ns, repeatable_post(path_of(request.ns, "idempotency", request.key, "/complete"),
                                                 out.take())),
                 wire::read_idempotency);
}

Result<core::IdempotencyKey> HttpRecordApi::fail_idempotency(const core::EndIdempotency& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object().field("response", request.response).end_object();
  return decoded(
      connection_.call(request.ns,
                       repeatable_post(path_of(request.ns, "idempotency", request.key, "/fail"), out.take())),
      wire::read_idempotency);
}

Result<core::IdempotencyKey> HttpRecordApi::get_idempotency(const std::string& ns, const std::string& key) {
  return decoded(connection_.call(ns, {.path = path_of(ns, "idempotency", key)}), wire::read_idempotency);
}

Result<core::TaskType> HttpRecordApi::put_type(const core::PutTaskType& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  wire::write_task_type(out, request.type, false);
  const std::string path = path_of(request.ns, "types", request.type.name);
  return decoded(connection_.call(request.ns, {.method = "PUT", .path = path, .body = out.take()}),
                 named_type);
}

Result<core::TaskType> HttpRecordApi::get_type(const std::string& ns, const std::string& name) {
  return decoded(connection_.call(ns, {.path = path_of(ns, "types", name)}), named_type);
}

Result<core::Page<core::TaskType>> HttpRecordApi::list_types(const core::ListRecords& list) {
  const std::string start = fmt::format("/v1/{}/types", percent_encoded(list.ns));
  return decoded(connection_.call(list.ns, {.path = list_path(start, list.limit, list.cursor)}),
                 page_reader(named_type));
}

Result<core::Done> HttpRecordApi::delete_type(const core::DeleteTaskType& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  return decoded(
      connection_.call(request.ns, {.method = "DELETE", .path = path_of(request.ns, "types", request.name)}),
      nothing);
}

}  // namespace pawl::client
