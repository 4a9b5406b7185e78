// HttpApi's calls on locks, keys, workers, types, checkpoints and administration.

#include <fmt/format.h>

#include "client/decoded.hpp"
#include "client/http_api.hpp"
#include "client/pages.hpp"
#include "wire/maintenance.hpp"
#include "wire/records.hpp"

namespace pawl::client {

namespace {

using core::Result;
using wire::ObjectReader;
using wire::Writer;

constexpr core::Duration kVerifyTimeout = std::chrono::minutes{10};  // it reads the whole store

std::string path_of(const std::string& ns, std::string_view noun, const std::string& name,
                    std::string_view verb = "") {
  return fmt::format("/v1/{}/{}/{}{}", percent_encoded(ns), noun, percent_encoded(name), verb);
}

core::Lock own_lock(ObjectReader& in) { return wire::read_lock(in).lock; }

core::TaskType named_type(ObjectReader& in) {
  const std::string name = in.text("name");
  core::TaskType type = wire::read_task_type(in);
  type.name = name;
  return type;
}

core::Problem only_in_process(const std::string& what) {
  return {.code = core::ProblemCode::forbidden, .detail = what + " is not available to clients"};
}

// Each of these calls may be repeated: it gets the same answer, or is refused by its fence or its key.
HttpRequest posted(std::string path, std::string body) {
  HttpRequest request{.method = "POST", .path = std::move(path), .body = std::move(body)};
  request.repeatable = true;
  return request;
}

}  // namespace

Result<core::CheckpointAppended> HttpApi::append_checkpoint(core::AppendCheckpoint command) {
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
  return decoded(call(command.ns, {.method = "POST", .path = path, .body = out.take()}),
                 [](ObjectReader& in) {
                   return core::CheckpointAppended{.checkpoint_id = in.text("checkpoint_id"),
                                                   .sequence = in.integer("sequence")};
                 });
}

Result<std::vector<core::Checkpoint>> HttpApi::list_checkpoints(const core::ListCheckpoints& list) {
  std::string path =
      fmt::format("/v1/{}/checkpoints?{}", percent_encoded(list.ns), wire::owner_query(list.owner));
  if (list.type) path += "&type=" + percent_encoded(*list.type);
  if (list.latest) path += "&latest=true";
  return decoded(call(list.ns, {.path = path}), [](ObjectReader& in) {
    std::vector<core::Checkpoint> checkpoints;
    in.objects_leniently("items",
                         [&](ObjectReader& one) { checkpoints.push_back(wire::read_checkpoint(one)); });
    return checkpoints;
  });
}

Result<core::CheckpointSummary> HttpApi::summarize_checkpoints(const std::string& ns,
                                                               const core::CheckpointOwner& owner) {
  const std::string path =
      fmt::format("/v1/{}/checkpoints/summary?{}", percent_encoded(ns), wire::owner_query(owner));
  return decoded(call(ns, {.path = path}), wire::read_checkpoint_summary);
}

Result<core::LockAnswer> HttpApi::acquire_lock(const core::AcquireLock& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object().field("holder", request.holder).field("ttl", request.ttl).end_object();
  return decoded(call(request.ns, posted(path_of(request.ns, "leases", request.key, "/acquire"), out.take())),
                 wire::read_lock);
}

Result<core::Lock> HttpApi::renew_lock(const core::RenewLock& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object()
      .field("holder", request.holder)
      .field("fence", request.fence)
      .field("ttl", request.ttl)
      .end_object();
  return decoded(call(request.ns, posted(path_of(request.ns, "leases", request.key, "/renew"), out.take())),
                 own_lock);
}

Result<core::Lock> HttpApi::release_lock(const core::ReleaseLock& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object().field("holder", request.holder).field("fence", request.fence).end_object();
  return decoded(call(request.ns, posted(path_of(request.ns, "leases", request.key, "/release"), out.take())),
                 own_lock);
}

Result<core::Lock> HttpApi::get_lock(const std::string& ns, const std::string& key) {
  return decoded(call(ns, {.path = path_of(ns, "leases", key)}), own_lock);
}

Result<core::IdempotencyBegun> HttpApi::begin_idempotency(const core::BeginIdempotency& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object().field("request_hash", request.request_hash).field("ttl", request.ttl);
  if (request.task_id) out.field("task_id", to_string(*request.task_id));
  out.end_object();
  const auto body =
      call(request.ns, posted(path_of(request.ns, "idempotency", request.key, "/begin"), out.take()));
  return decoded(body, [](ObjectReader& in) {
    core::IdempotencyBegun begun{.key = wire::read_idempotency(in)};
    begun.begun = begun.key.status == core::IdempotencyStatus::pending;
    return begun;
  });
}

Result<core::IdempotencyKey> HttpApi::complete_idempotency(const core::EndIdempotency& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object().field("response", request.response).end_object();
  return decoded(
      call(request.ns, posted(path_of(request.ns, "idempotency", request.key, "/complete"), out.take())),
      wire::read_idempotency);
}

Result<core::IdempotencyKey> HttpApi::fail_idempotency(const core::EndIdempotency& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object().field("response", request.response).end_object();
  return decoded(
      call(request.ns, posted(path_of(request.ns, "idempotency", request.key, "/fail"), out.take())),
      wire::read_idempotency);
}

Result<core::IdempotencyKey> HttpApi::get_idempotency(const std::string& ns, const std::string& key) {
  return decoded(call(ns, {.path = path_of(ns, "idempotency", key)}), wire::read_idempotency);
}

Result<core::Worker> HttpApi::register_worker(const core::RegisterWorker& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  wire::write_registration(out, request);
  const std::string path = fmt::format("/v1/{}/workers", percent_encoded(request.ns));
  return decoded(call(request.ns, posted(path, out.take())), wire::read_worker);
}

Result<std::vector<core::TaskId>> HttpApi::await_notices(const core::AwaitNotices& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  HttpRequest http{.path = path_of(request.ns, "workers", request.worker_id,
                                   "/notices?wait=" + core::format_duration(request.wait))};
  http.timeout = request.wait + std::chrono::seconds{10};
  return decoded(call(request.ns, std::move(http)), wire::read_notices);
}

Result<core::Worker> HttpApi::heartbeat_worker(const core::HeartbeatWorker& request) {
  return heartbeat_worker(request, "");
}

Result<core::Worker> HttpApi::heartbeat_worker(const core::HeartbeatWorker& request, const std::string& key) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  out.begin_object()
      .field("active_count", request.active_count)
      .field("completed_delta", request.completed_delta)
      .field("failed_delta", request.failed_delta)
      .field("renew_leases", request.renew_leases)
      .end_object();
  // Not marked repeatable: the server adds up the deltas.
  HttpRequest posted{.method = "POST",
                     .path = path_of(request.ns, "workers", request.worker_id, "/heartbeat"),
                     .body = out.take()};
  if (!key.empty()) posted.headers["idempotency-key"] = key;
  return decoded(call(request.ns, std::move(posted)), wire::read_worker);
}

Result<core::Worker> HttpApi::drain_worker(const core::WorkerRef& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  return decoded(call(request.ns, posted(path_of(request.ns, "workers", request.worker_id, "/drain"), "")),
                 wire::read_worker);
}

Result<core::Done> HttpApi::deregister_worker(const core::WorkerRef& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  const std::string path = path_of(request.ns, "workers", request.worker_id);
  return decoded(call(request.ns, {.method = "DELETE", .path = path}), nothing);
}

Result<core::Worker> HttpApi::get_worker(const std::string& ns, const std::string& worker_id) {
  return decoded(call(ns, {.path = path_of(ns, "workers", worker_id)}), wire::read_worker);
}

Result<core::Page<core::Worker>> HttpApi::list_workers(const core::ListRecords& list) {
  const std::string start = fmt::format("/v1/{}/workers", percent_encoded(list.ns));
  return decoded(call(list.ns, {.path = list_path(start, list.limit, list.cursor)}),
                 page_reader(wire::read_worker));
}

Result<core::TaskType> HttpApi::put_type(const core::PutTaskType& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  wire::write_task_type(out, request.type, false);
  const std::string path = path_of(request.ns, "types", request.type.name);
  return decoded(call(request.ns, {.method = "PUT", .path = path, .body = out.take()}), named_type);
}

Result<core::TaskType> HttpApi::get_type(const std::string& ns, const std::string& name) {
  return decoded(call(ns, {.path = path_of(ns, "types", name)}), named_type);
}

Result<core::Page<core::TaskType>> HttpApi::list_types(const core::ListRecords& list) {
  const std::string start = fmt::format("/v1/{}/types", percent_encoded(list.ns));
  return decoded(call(list.ns, {.path = list_path(start, list.limit, list.cursor)}), page_reader(named_type));
}

Result<core::Done> HttpApi::delete_type(const core::DeleteTaskType& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  return decoded(call(request.ns, {.method = "DELETE", .path = path_of(request.ns, "types", request.name)}),
                 nothing);
}

Result<core::Token> HttpApi::create_token(const core::CreateToken& request) {
  Writer out;
  out.begin_object().field("role", core::to_string(request.role)).key("namespaces");
  wire::write_texts(out, request.namespaces);
  out.key("queues");
  wire::write_texts(out, request.queues);
  out.field("name", request.name).field("expires_at", request.expires_at).end_object();
  return decoded(call("default", {.method = "POST", .path = "/v1/admin/tokens", .body = out.take()}),
                 wire::read_token);
}

Result<core::Token> HttpApi::revoke_token(const core::RevokeToken& request) {
  const std::string path = "/v1/admin/tokens/" + percent_encoded(request.id);
  return decoded(call("default", {.method = "DELETE", .path = path}), wire::read_token);
}

// The server generates the secret.
Result<core::Token> HttpApi::rotate_token(const core::RotateToken& request) {
  Writer out;
  out.begin_object().field("overlap", request.overlap).end_object();
  const std::string path = "/v1/admin/tokens/" + percent_encoded(request.id) + "/rotate";
  return decoded(call("default", {.method = "POST", .path = path, .body = out.take()}), wire::read_token);
}

Result<core::FoundToken> HttpApi::find_token(const std::string& /*id*/) {
  return only_in_process("a token by its id");
}

Result<core::Page<core::Token>> HttpApi::list_tokens(const core::ListRecords& list) {
  return decoded(call("default", {.path = list_path("/v1/admin/tokens", list.limit, list.cursor)}),
                 page_reader(wire::read_token));
}

Result<core::NamespaceSettings> HttpApi::get_namespace(const std::string& ns) {
  return decoded(call(ns, {.path = "/v1/admin/namespaces/" + percent_encoded(ns)}), wire::read_namespace);
}

Result<core::NamespaceSettings> HttpApi::put_namespace(const core::PutNamespace& request) {
  if (const auto valid = core::check(request); !valid) return valid.problem();
  Writer out;
  wire::write_namespace_patch(out, request.patch);
  const std::string path = "/v1/admin/namespaces/" + percent_encoded(request.ns);
  return decoded(call(request.ns, {.method = "PUT", .path = path, .body = out.take()}), wire::read_namespace);
}

Result<core::Done> HttpApi::append_audit(std::vector<core::AuditEntry> /*entries*/) {
  return only_in_process("writing to the audit");
}

namespace {

std::string audit_query(const core::AuditFilter& filter) {
  std::string query;
  const auto add = [&](std::string_view name, const std::optional<std::string>& value) {
    if (value) query += fmt::format("&{}={}", name, percent_encoded(*value));
  };
  const auto text = [](const std::optional<core::TimePoint>& time) {
    return time ? std::optional{core::format_time(*time)} : std::nullopt;
  };
  if (!filter.namespaces.empty()) add("namespace", filter.namespaces.front());
  add("actor", filter.actor);
  add("action", filter.action);
  add("object", filter.object);
  add("outcome", filter.outcome);
  add("created_after", text(filter.created_after));
  add("created_before", text(filter.created_before));
  return query;
}

}  // namespace

Result<core::Page<core::AuditEntry>> HttpApi::list_audit(const core::ListAudit& list) {
  const std::string path = list_path("/v1/admin/audit", list.limit, list.cursor) + audit_query(list.filter);
  return decoded(call("default", {.path = path}), page_reader(wire::read_audit));
}

Result<std::vector<core::NodeStatus>> HttpApi::list_nodes() {
  return decoded(call("default", {.path = "/v1/admin/nodes"}), [](ObjectReader& in) {
    std::vector<core::NodeStatus> nodes;
    in.objects_leniently("items", [&](ObjectReader& one) { nodes.push_back(wire::read_node(one)); });
    return nodes;
  });
}

Result<core::StoreVitals> HttpApi::vitals() {
  return decoded(call("default", {.path = "/v1/admin/vitals"}), wire::read_vitals);
}

Result<core::SweepResult> HttpApi::sweep(const core::Sweep& request) {
  Writer out;
  out.begin_object().field("check", core::to_string(request.check));
  if (request.dry_run) out.field("dry_run", true);
  HttpRequest sweep = posted("/v1/admin/sweep", out.end_object().take());
  sweep.timeout = kVerifyTimeout;  // it may take long
  return decoded(call("default", std::move(sweep)), wire::read_sweep);
}

Result<core::Verification> HttpApi::verify() {
  HttpRequest request{.path = "/v1/admin/verify"};
  request.timeout = kVerifyTimeout;
  return decoded(call("default", std::move(request)), wire::read_verification);
}

}  // namespace pawl::client
