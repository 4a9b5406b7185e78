#include "wire/records.hpp"

#include <fmt/format.h>

#include "wire/parts.hpp"

namespace pawl::wire {

namespace {

std::vector<std::string> texts_or_none(ObjectReader& in, std::string_view name) {
  return in.optional_texts(name).value_or(std::vector<std::string>{});
}

template <typename T>
void patch_field(Writer& out, std::string_view name, const std::optional<std::optional<T>>& value) {
  if (value) out.field(name, *value);
}

std::map<std::string, core::Duration> read_durations(ObjectReader& in, std::string_view name) {
  std::map<std::string, core::Duration> durations;
  for (const auto& [key, text] : in.optional_text_map(name).value_or(std::map<std::string, std::string>{})) {
    const auto duration = core::parse_duration(text);
    if (!duration) in.mistake(std::string{name} + "." + key, "must be a duration such as 7d");
    durations.emplace(key, duration.value_or(core::Duration{0}));
  }
  return durations;
}

void write_durations(Writer& out, std::string_view name,
                     const std::map<std::string, core::Duration>& durations) {
  out.key(name).begin_object();
  for (const auto& [key, duration] : durations) out.field(key, duration);
  out.end_object();
}

core::IdempotencyStatus idempotency_status_from(std::string_view name) {
  if (name == "completed") return core::IdempotencyStatus::completed;
  return name == "failed" ? core::IdempotencyStatus::failed : core::IdempotencyStatus::pending;
}

core::WorkerStatus worker_status_from(std::string_view name) {
  if (name == "draining") return core::WorkerStatus::draining;
  return name == "offline" ? core::WorkerStatus::offline : core::WorkerStatus::online;
}

}  // namespace

void write_texts(Writer& out, const std::vector<std::string>& texts) {
  out.begin_array();
  for (const std::string& text : texts) out.value(text);
  out.end_array();
}

void write_lock(Writer& out, const core::LockAnswer& answer) {
  out.begin_object()
      .field("acquired", answer.acquired)
      .field("key", answer.lock.key)
      .field("holder", none_if_empty(answer.lock.holder))
      .field("fence", answer.lock.fence)
      .field("expires_at", answer.lock.expires_at)
      .end_object();
}

core::LockAnswer read_lock(ObjectReader& in) {
  return {.acquired = in.optional_boolean("acquired").value_or(false),
          .lock = {.key = in.text("key"),
                   .holder = text_or_none(in, "holder"),
                   .fence = in.integer("fence"),
                   .expires_at = in.optional_time("expires_at")}};
}

void write_idempotency(Writer& out, const core::IdempotencyKey& key) {
  out.begin_object()
      .field("key", key.key)
      .field("status", core::to_string(key.status))
      .field("request_hash", key.request_hash)
      .field("response", key.response)
      .field("task_id", none_if_empty(key.task_id))
      .field("created_at", key.created_at)
      .field("completed_at", key.completed_at)
      .field("expires_at", key.expires_at)
      .end_object();
}

core::IdempotencyKey read_idempotency(ObjectReader& in) {
  return {.key = in.text("key"),
          .status = idempotency_status_from(in.text("status")),
          .request_hash = text_or_none(in, "request_hash"),
          .response = in.json("response"),
          .task_id = text_or_none(in, "task_id"),
          .created_at = read_time(in, "created_at"),
          .completed_at = in.optional_time("completed_at"),
          .expires_at = read_time(in, "expires_at")};
}

core::RegisterWorker read_registration(ObjectReader& in) {
  core::RegisterWorker request;
  request.worker_id = in.optional_text("worker_id");
  request.queues = texts_or_none(in, "queues");
  request.task_types = texts_or_none(in, "task_types");
  request.workflow_types = texts_or_none(in, "workflow_types");
  request.hostname = text_or_none(in, "hostname");
  request.pid = in.optional_integer("pid").value_or(0);
  request.version = text_or_none(in, "version");
  request.max_concurrent = read_int(in, "max_concurrent");
  request.labels = in.optional_text_map("labels").value_or(core::Labels{});
  return request;
}

namespace {

template <typename Either>
void write_worker_facts(Writer& out, const Either& worker) {
  out.key("queues");
  write_texts(out, worker.queues);
  out.key("task_types");
  write_texts(out, worker.task_types);
  out.key("workflow_types");
  write_texts(out, worker.workflow_types);
  out.field("hostname", worker.hostname)
      .field("pid", worker.pid)
      .field("version", worker.version)
      .field("max_concurrent", worker.max_concurrent)
      .key("labels")
      .begin_object();
  for (const auto& [name, value] : worker.labels) out.field(name, value);
  out.end_object();
}

}  // namespace

void write_registration(Writer& out, const core::RegisterWorker& request) {
  out.begin_object();
  if (request.worker_id) out.field("worker_id", *request.worker_id);
  write_worker_facts(out, request);
  out.end_object();
}

void write_worker(Writer& out, const core::Worker& worker) {
  out.begin_object().field("worker_id", worker.worker_id).field("status", core::to_string(worker.status));
  write_worker_facts(out, worker);
  out.field("active_count", worker.active_count)
      .field("total_completed", worker.total_completed)
      .field("total_failed", worker.total_failed)
      .field("is_minimal", worker.is_minimal)
      .field("is_replaced", worker.is_replaced)
      .field("token_id", none_if_empty(worker.owner))
      .field("registered_at", worker.registered_at)
      .field("heartbeat_at", worker.heartbeat_at)
      .end_object();
}

void write_notices(Writer& out, const std::vector<core::TaskId>& tasks) {
  out.begin_object().key("task_ids").begin_array();
  for (const core::TaskId& task : tasks) out.value(to_string(task));
  out.end_array().end_object();
}

std::vector<core::TaskId> read_notices(ObjectReader& in) {
  std::vector<core::TaskId> tasks;
  for (const std::string& text : texts_or_none(in, "task_ids")) {
    const auto id = core::parse_uuid(text);
    if (!id) in.mistake("task_ids", fmt::format("'{}' is not a task id", text));
    tasks.emplace_back(id.value_or(core::Uuid{}));
  }
  return tasks;
}

core::Worker read_worker(ObjectReader& in) {
  core::Worker worker;
  worker.worker_id = in.text("worker_id");
  worker.status = worker_status_from(in.text("status"));
  worker.queues = texts_or_none(in, "queues");
  worker.task_types = texts_or_none(in, "task_types");
  worker.workflow_types = texts_or_none(in, "workflow_types");
  worker.hostname = text_or_none(in, "hostname");
  worker.pid = in.optional_integer("pid").value_or(0);
  worker.version = text_or_none(in, "version");
  worker.max_concurrent = read_int(in, "max_concurrent");
  worker.labels = in.optional_text_map("labels").value_or(core::Labels{});
  worker.active_count = in.optional_integer("active_count").value_or(0);
  worker.total_completed = in.optional_integer("total_completed").value_or(0);
  worker.total_failed = in.optional_integer("total_failed").value_or(0);
  worker.is_minimal = in.optional_boolean("is_minimal").value_or(false);
  worker.is_replaced = in.optional_boolean("is_replaced").value_or(false);
  worker.owner = text_or_none(in, "token_id");
  worker.registered_at = read_time(in, "registered_at");
  worker.heartbeat_at = read_time(in, "heartbeat_at");
  return worker;
}

core::TaskType read_task_type(ObjectReader& in) {
  core::TaskType type;
  type.required = texts_or_none(in, "required");
  type.schema = in.json("schema");
  type.queue = in.optional_text("queue");
  if (in.has("priority") && !in.is_null("priority")) type.priority = read_int(in, "priority");
  in.optional_object("retry", [&](ObjectReader& retry) { type.retry = read_retry_policy(retry); });
  type.timeout = in.optional_duration("timeout");
  type.lease = in.optional_duration("lease");
  return type;
}

void write_task_type(Writer& out, const core::TaskType& type, bool with_name) {
  out.begin_object();
  if (with_name) out.field("name", type.name);
  out.key("required");
  write_texts(out, type.required);
  out.field("schema", type.schema).field("queue", type.queue).field("priority", type.priority).key("retry");
  if (type.retry) {
    write_retry(out, *type.retry);
  } else {
    out.null();
  }
  out.field("timeout", type.timeout).field("lease", type.lease).end_object();
}

void write_token_fields(Writer& out, const core::Token& token) {
  out.field("id", token.id).field("role", core::to_string(token.role)).key("namespaces");
  write_texts(out, token.namespaces);
  out.key("queues");
  write_texts(out, token.queues);
  out.field("name", token.name)
      .field("created_at", token.created_at)
      .field("expires_at", token.expires_at)
      .field("revoked_at", token.revoked_at)
      .field("rotated_at", token.rotated_at)
      .field("previous_until", token.previous_until)
      .field("last_used_at", token.last_used_at);
}

core::Token read_token(ObjectReader& in) {
  core::Token token;
  token.id = in.text("id");
  token.role = core::role_from(in.text("role")).value_or(core::Role::viewer);
  token.namespaces = texts_or_none(in, "namespaces");
  token.queues = texts_or_none(in, "queues");
  token.name = text_or_none(in, "name");
  token.created_at = read_time(in, "created_at");
  token.expires_at = in.optional_time("expires_at");
  token.revoked_at = in.optional_time("revoked_at");
  token.rotated_at = in.optional_time("rotated_at");
  token.previous_until = in.optional_time("previous_until");
  token.last_used_at = in.optional_time("last_used_at");
  return token;
}

core::NamespacePatch read_namespace_patch(ObjectReader& in) {
  core::NamespacePatch patch;
  patch.strict_types = in.optional_boolean("strict_types");
  if (in.has("payload_max")) patch.payload_max = in.optional_integer("payload_max");
  if (in.has("retention_completed")) patch.retention_completed = in.optional_duration("retention_completed");
  if (in.has("retention_failed")) patch.retention_failed = in.optional_duration("retention_failed");
  if (in.has("retention_audit")) patch.retention_audit = in.optional_duration("retention_audit");
  if (in.has("retention_dead_letter"))
    patch.retention_dead_letter = in.optional_duration("retention_dead_letter");
  if (in.has("retention_cancelled")) patch.retention_cancelled = in.optional_duration("retention_cancelled");
  if (in.has("retention_runs")) patch.retention_runs = in.optional_duration("retention_runs");
  if (in.has("retention_checkpoints"))
    patch.retention_checkpoints = in.optional_integer("retention_checkpoints");
  if (in.has("retention_queues")) patch.retention_queues = read_durations(in, "retention_queues");
  return patch;
}

void write_namespace_patch(Writer& out, const core::NamespacePatch& patch) {
  out.begin_object();
  if (patch.strict_types) out.field("strict_types", *patch.strict_types);
  patch_field(out, "payload_max", patch.payload_max);
  patch_field(out, "retention_completed", patch.retention_completed);
  patch_field(out, "retention_failed", patch.retention_failed);
  patch_field(out, "retention_audit", patch.retention_audit);
  patch_field(out, "retention_dead_letter", patch.retention_dead_letter);
  patch_field(out, "retention_cancelled", patch.retention_cancelled);
  patch_field(out, "retention_runs", patch.retention_runs);
  patch_field(out, "retention_checkpoints", patch.retention_checkpoints);
  if (patch.retention_queues) write_durations(out, "retention_queues", *patch.retention_queues);
  out.end_object();
}

void write_namespace(Writer& out, const core::NamespaceSettings& settings) {
  out.begin_object()
      .field("strict_types", settings.strict_types)
      .field("payload_max", settings.payload_max)
      .field("retention_completed", settings.retention_completed)
      .field("retention_failed", settings.retention_failed)
      .field("retention_audit", settings.retention_audit)
      .field("retention_dead_letter", settings.retention_dead_letter)
      .field("retention_cancelled", settings.retention_cancelled)
      .field("retention_runs", settings.retention_runs)
      .field("retention_checkpoints", settings.retention_checkpoints);
  write_durations(out, "retention_queues", settings.retention_queues);
  out.end_object();
}

core::NamespaceSettings read_namespace(ObjectReader& in) {
  return {.strict_types = in.optional_boolean("strict_types").value_or(false),
          .payload_max = in.optional_integer("payload_max"),
          .retention_completed = in.optional_duration("retention_completed"),
          .retention_failed = in.optional_duration("retention_failed"),
          .retention_audit = in.optional_duration("retention_audit"),
          .retention_dead_letter = in.optional_duration("retention_dead_letter"),
          .retention_cancelled = in.optional_duration("retention_cancelled"),
          .retention_runs = in.optional_duration("retention_runs"),
          .retention_checkpoints = in.optional_integer("retention_checkpoints"),
          .retention_queues = read_durations(in, "retention_queues")};
}

core::CheckpointOwner read_owner(ObjectReader& in) {
  const auto task = in.optional_uuid("task_id");
  const auto run = in.optional_uuid("run_id");
  const auto is_given = [&in](const char* name) { return in.has(name) && !in.is_null(name); };
  if (is_given("task_id") && is_given("run_id")) in.mistake("run_id", "excludes task_id");
  if (!is_given("task_id") && !is_given("run_id")) in.mistake("task_id", "is required, or run_id");
  if (run) return core::RunId{*run};
  return core::TaskId{task.value_or(core::Uuid{})};
}

std::string owner_query(const core::CheckpointOwner& owner) {
  const bool is_run = std::holds_alternative<core::RunId>(owner);
  return (is_run ? "run_id=" : "task_id=") + to_string(core::id_of(owner));
}

void write_owner(Writer& out, const core::CheckpointOwner& owner) {
  const bool is_run = std::holds_alternative<core::RunId>(owner);
  const std::string id = to_string(core::id_of(owner));
  out.field("task_id", is_run ? std::nullopt : std::optional{id});
  out.field("run_id", is_run ? std::optional{id} : std::nullopt);
}

void write_checkpoint(Writer& out, const core::CheckpointOwner& owner, const core::Checkpoint& checkpoint) {
  out.begin_object().field("checkpoint_id",
                           core::checkpoint_id(owner, checkpoint.sequence, checkpoint.created_at));
  write_owner(out, owner);
  out.field("sequence", checkpoint.sequence)
      .field("type", checkpoint.type)
      .field("snapshot", checkpoint.snapshot)
      .field("metadata", checkpoint.metadata)
      .field("created_at", checkpoint.created_at)
      .end_object();
}

core::Checkpoint read_checkpoint(ObjectReader& in) {
  return {.sequence = in.integer("sequence"),
          .type = in.text("type"),
          .snapshot = in.json_or_null("snapshot"),
          .metadata = in.json("metadata"),
          .created_at = read_time(in, "created_at")};
}

void write_checkpoint_summary(Writer& out, const core::CheckpointSummary& summary) {
  out.begin_object()
      .field("total", summary.total)
      .field("max_sequence", summary.max_sequence)
      .field("first_at", summary.first_at)
      .field("last_at", summary.last_at)
      .key("by_type")
      .begin_object();
  for (const auto& [type, count] : summary.by_type) out.field(type, count);
  out.end_object().end_object();
}

core::CheckpointSummary read_checkpoint_summary(ObjectReader& in) {
  core::CheckpointSummary summary{.total = in.integer("total"),
                                  .max_sequence = in.integer("max_sequence"),
                                  .first_at = in.optional_time("first_at"),
                                  .last_at = in.optional_time("last_at")};
  in.optional_integers("by_type", summary.by_type);
  return summary;
}

void write_audit(Writer& out, const core::AuditEntry& entry) {
  out.begin_object()
      .field("sequence", entry.sequence)
      .field("at", entry.at)
      .field("namespace", none_if_empty(entry.ns))
      .field("actor", none_if_empty(entry.actor))
      .field("role", none_if_empty(entry.role))
      .field("action", entry.action)
      .field("object", entry.object)
      .field("request_id", none_if_empty(entry.request_id))
      .field("outcome", entry.outcome)
      .field("detail", entry.detail)
      .field("hash", none_if_empty(entry.hash))
      .end_object();
}

core::AuditEntry read_audit(ObjectReader& in) {
  return {.sequence = in.integer("sequence"),
          .at = read_time(in, "at"),
          .ns = text_or_none(in, "namespace"),
          .actor = text_or_none(in, "actor"),
          .role = text_or_none(in, "role"),
          .action = in.text("action"),
          .object = text_or_none(in, "object"),
          .request_id = text_or_none(in, "request_id"),
          .outcome = text_or_none(in, "outcome"),
          .detail = in.json("detail"),
          .hash = text_or_none(in, "hash")};
}

}  // namespace pawl::wire
