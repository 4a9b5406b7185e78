#include "wire/task.hpp"

#include <array>

#include <fmt/format.h>

#include "core/task/retry_json.hpp"
#include "wire/parts.hpp"
#include "wire/problem.hpp"
#include "wire/records.hpp"

namespace pawl::wire {

namespace {

constexpr std::array<std::string_view, core::kReportActionCount> kActions{"heartbeat", "start", "complete",
                                                                          "fail", "release"};

// Reads task ids.
void read_after(ObjectReader& in, std::vector<core::TaskId>& after) {
  for (const std::string& text : in.optional_texts("after").value_or(std::vector<std::string>{})) {
    if (const auto id = core::parse_uuid(text)) {
      after.emplace_back(*id);
    } else {
      in.mistake("after", fmt::format("'{}' is not the id of a task", text));
    }
  }
}

// Null if there is no value.
template <typename Enum>
std::optional<std::string> name_of(const std::optional<Enum>& value) {
  if (!value) return std::nullopt;
  return std::string{core::to_string(*value)};
}

}  // namespace

std::string_view to_string(core::ReportAction action) {
  return kActions.at(static_cast<std::size_t>(action));
}

std::optional<core::ReportAction> report_action_from(std::string_view name) {
  for (std::size_t i = 0; i < kActions.size(); ++i) {
    if (kActions.at(i) == name) return static_cast<core::ReportAction>(i);
  }
  return std::nullopt;
}

core::TaskSpec read_task_spec(ObjectReader& in) {
  core::TaskSpec spec;
  spec.type = in.text("type");
  spec.payload = in.json("payload");
  spec.queue = in.optional_text("queue").value_or(spec.queue);
  narrow_into(in, "priority", spec.priority);
  const auto is_given = [&in](std::string_view name) { return in.has(name) && !in.is_null(name); };
  spec.given = {.queue = is_given("queue"),
                .priority = is_given("priority"),
                .retry = is_given("retry") || is_given("max_retries")};
  spec.key = in.optional_text("key");
  spec.idempotency_key = in.optional_text("idempotency_key");
  spec.fairness_key = in.optional_text("fairness_key");
  spec.fairness_weight = in.optional_number("fairness_weight");
  spec.delay = in.optional_duration("delay");
  spec.run_at = in.optional_time("run_at");
  spec.timeout = in.optional_duration("timeout");
  spec.labels = in.optional_text_map("labels").value_or(core::Labels{});
  spec.run_id = optional_id<core::RunTag>(in, "run_id");
  read_after(in, spec.after);
  bool has_attempts = false;
  in.optional_object("retry", [&](ObjectReader& retry) { read_retry(retry, spec.retry, has_attempts); });
  read_max_retries(in, spec.retry, has_attempts);
  return spec;
}

void write_task_spec(Writer& out, const core::TaskSpec& spec) {
  out.begin_object().field("type", spec.type);
  if (!spec.payload.empty()) out.field("payload", spec.payload);
  if (spec.has_queue()) out.field("queue", spec.queue);
  if (spec.has_priority()) out.field("priority", spec.priority);
  field_if(out, "key", spec.key);
  field_if(out, "idempotency_key", spec.idempotency_key);
  field_if(out, "fairness_key", spec.fairness_key);
  field_if(out, "fairness_weight", spec.fairness_weight);
  field_if(out, "delay", spec.delay);
  field_if(out, "run_at", spec.run_at);
  field_if(out, "timeout", spec.timeout);
  if (spec.has_retry()) {
    out.key("retry");
    write_retry(out, spec.retry);
  }
  out.key("labels");
  write_labels(out, spec.labels);
  if (spec.run_id) out.field("run_id", to_string(*spec.run_id));
  if (!spec.after.empty()) {
    out.key("after").begin_array();
    for (const core::TaskId& id : spec.after) out.value(to_string(id));
    out.end_array();
  }
  out.end_object();
}

std::vector<core::TaskSpec> read_task_specs(ObjectReader& in) {
  std::vector<core::TaskSpec> specs;
  in.objects("tasks", [&](ObjectReader& task) { specs.push_back(read_task_spec(task)); });
  return specs;
}

core::ClaimTasks read_claim(ObjectReader& in, core::Duration lease_default) {
  core::ClaimTasks claim;
  claim.worker_id = in.text("worker_id");
  claim.queues = in.optional_texts("queues").value_or(claim.queues);
  claim.types = in.optional_texts("types").value_or(claim.types);
  narrow_into(in, "max", claim.max);
  claim.lease = in.optional_duration("lease");
  claim.lease_default = lease_default;
  claim.wait = in.optional_duration("wait").value_or(claim.wait);
  claim.memo_pages = in.optional_boolean("memo_pages").value_or(false);
  return claim;
}

void write_claim(Writer& out, const core::ClaimTasks& claim) {
  out.begin_object().field("worker_id", claim.worker_id);
  out.key("queues").begin_array();
  for (const std::string& queue : claim.queues) out.value(queue);
  out.end_array();
  if (!claim.types.empty()) {
    out.key("types").begin_array();
    for (const std::string& type : claim.types) out.value(type);
    out.end_array();
  }
  out.field("max", claim.max);
  field_if(out, "lease", claim.lease);
  if (claim.memo_pages) out.field("memo_pages", true);
  out.field("wait", claim.wait).end_object();
}

core::Report read_report(ObjectReader& in, const std::optional<ReportPath>& path) {
  core::Report report;
  if (path) {
    report.task_id = path->task_id;
    report.action = path->action;
  } else {
    const std::string id = in.text("task_id");
    if (const auto uuid = core::parse_uuid(id)) {
      report.task_id = core::TaskId{*uuid};
    } else if (!id.empty()) {
      in.mistake("task_id", "must be a UUID");
    }
    const std::string name = in.text("action");
    if (const auto action = report_action_from(name)) {
      report.action = *action;
    } else if (!name.empty()) {
      in.mistake("action", "must be one of heartbeat, start, complete, fail, release");
    }
  }
  report.fence = in.integer("fence");
  switch (report.action) {
    case core::ReportAction::heartbeat: report.lease = in.optional_duration("lease"); break;
    case core::ReportAction::complete:
      report.output = in.json("output");
      if (in.has("continue_as_new")) report.continue_as_new = in.json("continue_as_new");
      break;
    case core::ReportAction::fail:
      if (!in.has("error")) in.mistake("error", "is required");
      in.optional_object("error", [&](ObjectReader& error) { report.error = read_given_error(error); });
      report.retry_after = in.optional_duration("retry_after");
      break;
    case core::ReportAction::start:
    case core::ReportAction::release: break;
  }
  return report;
}

void write_report(Writer& out, const core::Report& report) {
  out.begin_object()
      .field("task_id", to_string(report.task_id))
      .field("fence", report.fence)
      .field("action", to_string(report.action));
  field_if(out, "lease", report.lease);
  if (!report.output.empty()) out.field("output", report.output);
  if (report.continue_as_new) out.field("continue_as_new", *report.continue_as_new);
  if (report.action == core::ReportAction::fail) {
    out.key("error");
    write_error(out, report.error);
  }
  field_if(out, "retry_after", report.retry_after);
  out.end_object();
}

ReadReports read_reports(ObjectReader& in) {
  ReadReports read;
  read.worker_id = in.text("worker_id");
  for (const std::string_view element : in.elements("reports")) {
    Mistakes mistakes;
    ObjectReader one{element, fmt::format("reports[{}]", read.reports.size()), mistakes};
    core::Report report = read_report(one, std::nullopt);
    one.finish();
    read.ids.push_back(report.task_id);
    if (mistakes.any()) {
      read.reports.emplace_back(mistakes.problem());
    } else {
      read.reports.emplace_back(std::move(report));
    }
  }
  return read;
}

core::TaskQuery read_task_query(ObjectReader& in) {
  core::TaskQuery query;
  for (const std::string& name : read_comma_list(in, "status")) {
    if (const auto status = core::task_status_from(name)) {
      query.statuses.push_back(*status);
    } else {
      in.mistake("status", fmt::format("'{}' is not a status", name));
    }
  }
  query.queue = in.optional_text("queue");
  query.type = in.optional_text("type");
  query.key = in.optional_text("key");
  query.worker_id = in.optional_text("worker_id");
  query.run_id = optional_id<core::RunTag>(in, "run_id");
  query.label = read_label(in);
  query.created_after = in.optional_time("created_after");
  query.created_before = in.optional_time("created_before");
  return query;
}

void write_task_query(Writer& out, const core::TaskQuery& query) {
  out.begin_object();
  if (!query.statuses.empty()) {
    std::string names;
    for (const core::TaskStatus status : query.statuses)
      names += (names.empty() ? "" : ",") + std::string{core::to_string(status)};
    out.field("status", names);
  }
  field_if(out, "queue", query.queue);
  field_if(out, "type", query.type);
  field_if(out, "key", query.key);
  field_if(out, "worker_id", query.worker_id);
  if (query.run_id) out.field("run_id", to_string(*query.run_id));
  if (query.label) out.field("label", query.label->first + ":" + query.label->second);
  field_if(out, "created_after", query.created_after);
  field_if(out, "created_before", query.created_before);
  out.end_object();
}

core::QueuePatch read_queue_patch(ObjectReader& in) {
  core::QueuePatch patch;
  patch.paused = in.optional_boolean("paused");
  if (in.has("max_concurrency")) patch.max_concurrency = in.optional_integer("max_concurrency");
  if (in.has("type_concurrency")) {
    patch.type_concurrency.emplace();
    if (!in.is_null("type_concurrency")) {
      auto& limits = patch.type_concurrency->emplace();
      in.optional_integers("type_concurrency", limits);
    }
  }
  if (in.has("rate")) {
    patch.rate.emplace();
    in.optional_object("rate", [&](ObjectReader& rate) {
      core::Rate& value = patch.rate->emplace();
      value.limit = rate.integer("limit");
      value.per = rate.optional_duration("per").value_or(value.per);
    });
  }
  return patch;
}

void write_queue_patch(Writer& out, const core::QueuePatch& patch) {
  out.begin_object();
  field_if(out, "paused", patch.paused);
  if (patch.max_concurrency) out.field("max_concurrency", *patch.max_concurrency);
  if (patch.type_concurrency) {
    out.key("type_concurrency");
    if (!*patch.type_concurrency) {
      out.null();
    } else {
      out.begin_object();
      for (const auto& [type, limit] : **patch.type_concurrency) out.field(type, limit);
      out.end_object();
    }
  }
  if (patch.rate) {
    out.key("rate");
    if (!*patch.rate) {
      out.null();
    } else {
      out.begin_object().field("limit", (*patch.rate)->limit).field("per", (*patch.rate)->per).end_object();
    }
  }
  out.end_object();
}

void write_task_fields(Writer& out, const core::Task& task) {
  out.field("id", to_string(task.id))
      .field("namespace", task.ns)
      .field("queue", task.queue)
      .field("type", task.type)
      .field("status", core::to_string(task.status))
      .field("priority", task.priority)
      .field("key", task.key)
      .field("idempotency_key", task.idempotency_key);
  if (task.fairness)
    out.field("fairness_key", task.fairness->key).field("fairness_weight", task.fairness->weight);
  out.field("payload", task.payload).field("output", task.output);
  out.key("error");
  write_error(out, task.error);
  out.field("attempt", task.attempt).key("retry");
  write_retry(out, task.retry);
  out.field("timeout", task.timeout);
  id_field(out, "run_id", task.run_id);
  out.field("node_id", task.node_id).key("labels");
  write_labels(out, task.labels);
  field_if(out, "traceparent", task.traceparent);
  field_if(out, "tracestate", task.tracestate);
  out.field("cancel_requested", task.cancel_requested).key("lease");
  if (task.lease) {
    out.begin_object()
        .field("worker_id", task.lease->worker_id)
        .field("fence", task.lease->fence)
        .field("acquired_at", task.lease->acquired_at)
        .field("expires_at", task.lease->expires_at)
        .field("heartbeat_at", task.lease->heartbeat_at)
        .field("renewals", task.lease->renewals)
        .end_object();
  } else {
    out.null();
  }
  out.field("available_at", task.available_at)
      .field("created_at", task.created_at)
      .field("claimed_at", task.claimed_at)
      .field("started_at", task.started_at)
      .field("finished_at", task.finished_at)
      .field("updated_at", task.updated_at);
}

void write_attempt(Writer& out, const core::Task& task, const core::AttemptView& attempt) {
  out.begin_object()
      .field("attempt", attempt.attempt)
      .field("execution_key", core::execution_key(task, attempt.attempt))
      .field("worker_id", attempt.worker_id)
      .field("fence", attempt.fence)
      .field("claimed_at", attempt.claimed_at)
      .field("started_at", attempt.started_at)
      .field("finished_at", attempt.finished_at)
      .field("outcome", name_of(attempt.outcome))
      .field("status_after", name_of(attempt.status_after))
      .key("error");
  write_error(out, attempt.error);
  out.end_object();
}

void write_report_answer(Writer& out, const core::TaskId& id, const core::Result<core::ReportAnswer>& answer,
                         std::string_view request_id) {
  out.begin_object().field("task_id", to_string(id)).field("ok", answer.ok());
  if (answer) {
    out.field("status", core::to_string(answer->status));
    field_if(out, "lease_expires_at", answer->lease_expires_at);
    if (answer->cancel_requested) out.field("cancel_requested", true);
  } else {
    out.key("error");
    write_problem(out, answer.problem(), request_id);
  }
  out.end_object();
}

void write_queue(Writer& out, const core::Queue& queue) {
  const core::QueueSettings& settings = queue.settings;
  out.begin_object()
      .field("name", queue.name)
      .field("paused", settings.paused)
      .field("max_concurrency", settings.max_concurrency);
  out.key("type_concurrency").begin_object();
  for (const auto& [type, limit] : settings.type_concurrency) out.field(type, limit);
  out.end_object().key("rate");
  if (settings.rate) {
    out.begin_object().field("limit", settings.rate->limit).field("per", settings.rate->per).end_object();
  } else {
    out.null();
  }
  out.key("counts")
      .begin_object()
      .field("pending", queue.counts.pending)
      .field("scheduled", queue.counts.scheduled)
      .field("blocked", queue.counts.blocked)
      .field("claimed", queue.counts.claimed)
      .field("running", queue.counts.running)
      .field("dead_letter", queue.counts.dead_letter)
      .end_object();
  out.field("oldest_pending_age", queue.oldest_pending_age).end_object();
}

std::string queues_text(const std::vector<core::Queue>& queues) {
  Writer out;
  out.begin_object().key("items").begin_array();
  for (const core::Queue& queue : queues) write_queue(out, queue);
  return out.end_array().key("next_cursor").null().end_object().take();
}

}  // namespace pawl::wire
