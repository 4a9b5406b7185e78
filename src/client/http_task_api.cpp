#include "client/http_task_api.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "client/decoded.hpp"
#include "wire/step.hpp"
#include "wire/task.hpp"
#include "wire/task_read.hpp"

namespace pawl::client {

namespace {

using core::Result;
using wire::ObjectReader;
using wire::Writer;

// Limits for the answer to a claim: all memos, and one task, with room for their fields and escapes.
constexpr std::size_t kClaimMemosBytesMax = 2 * core::kClaimWholeMemoBytesMax;
constexpr std::size_t kClaimedTaskBytesMax = core::kPayloadBytesMax + (256U << 10U);

std::string tasks_path(const std::string& ns, const std::string& rest = "") {
  return fmt::format("/v1/{}/tasks{}", wire::percent_encoded(ns), rest);
}

// Refuses here what the server would refuse, with the field's name: a value that is not JSON would break the
// whole body.
template <typename Command>
core::Status checked(Command& command) {
  core::Command whole{std::move(command)};
  core::Status status = core::check(whole);
  command = std::move(std::get<Command>(whole));
  return status;
}

std::string query_of(const core::ListTasks& list) {
  std::string query = fmt::format("?limit={}&order={}", list.limit, list.newest_first ? "desc" : "asc");
  const auto add = [&query](std::string_view name, const std::string& value) {
    query += fmt::format("&{}={}", name, wire::percent_encoded(value));
  };
  const core::TaskQuery& filter = list.query;
  std::string statuses;
  for (const core::TaskStatus status : filter.statuses)
    statuses += (statuses.empty() ? "" : ",") + std::string{core::to_string(status)};
  if (!statuses.empty()) add("status", statuses);
  if (filter.queue) add("queue", *filter.queue);
  if (filter.type) add("type", *filter.type);
  if (filter.key) add("key", *filter.key);
  if (filter.worker_id) add("worker_id", *filter.worker_id);
  if (filter.run_id) add("run_id", to_string(*filter.run_id));
  if (filter.label) add("label", filter.label->first + ":" + filter.label->second);
  if (filter.created_after) add("created_after", core::format_time(*filter.created_after));
  if (filter.created_before) add("created_before", core::format_time(*filter.created_before));
  if (!list.cursor.empty()) add("cursor", list.cursor);
  return query;
}

HttpHeaders headers_of(const core::TraceContext& trace) {
  HttpHeaders headers{{"traceparent", trace.traceparent}};
  if (!trace.tracestate.empty()) headers.emplace("tracestate", trace.tracestate);
  return headers;
}

}  // namespace

Result<core::EnqueuedTask> HttpTaskApi::enqueue(const std::string& ns, core::TaskSpec spec) {
  core::EnqueueTasks command{.ns = ns};
  command.tasks.push_back(std::move(spec));
  if (const core::Status valid = checked(command); !valid) return valid.problem();
  Writer out;
  wire::write_task_spec(out, command.tasks.front());
  return decoded(connection_.call(ns, {.method = "POST", .path = tasks_path(ns), .body = out.take()}),
                 [](ObjectReader& in) {
                   core::EnqueuedTask enqueued{.created = in.optional_boolean("created").value_or(false)};
                   in.optional_object_leniently(
                       "task", [&](ObjectReader& task) { enqueued.task = wire::read_task(task); });
                   return enqueued;
                 });
}

Result<std::vector<core::Enqueued>> HttpTaskApi::enqueue_batch(core::EnqueueTasks command) {
  if (const core::Status valid = checked(command); !valid) return valid.problem();
  Writer out;
  out.begin_object().key("tasks").begin_array();
  for (const core::TaskSpec& spec : command.tasks) wire::write_task_spec(out, spec);
  out.end_array().end_object();
  HttpRequest request{.method = "POST", .path = tasks_path(command.ns, "/batch"), .body = out.take()};
  if (command.trace) request.headers = headers_of(*command.trace);
  const auto body = connection_.call(command.ns, std::move(request));
  return decoded(body, [](ObjectReader& in) {
    std::vector<core::Enqueued> results;
    in.objects_leniently("results", [&](ObjectReader& one) {
      results.push_back({.created = one.optional_boolean("created").value_or(false),
                         .id = core::TaskId{one.optional_uuid("id").value_or(core::Uuid{})}});
    });
    return results;
  });
}

Result<std::vector<core::ClaimedTask>> HttpTaskApi::claim(core::ClaimTasks command) {
  if (const core::Status valid = checked(command); !valid) return valid.problem();
  Writer out;
  wire::write_claim(out, command);
  // Without a key: a repeated claim may return other tasks, and the first ones become claimable again when
  // their leases expire.
  HttpRequest request{.method = "POST", .path = tasks_path(command.ns, "/claim"), .body = out.take()};
  request.timeout = command.wait + std::chrono::seconds{30};
  request.repeatable = true;
  const auto max = static_cast<std::size_t>(std::max(command.max, 1));
  request.body_max = kClaimMemosBytesMax + max * kClaimedTaskBytesMax;
  auto tasks = decoded(connection_.call(command.ns, std::move(request)), [](ObjectReader& in) {
    std::vector<core::ClaimedTask> claimed;
    in.objects_leniently("tasks", [&](ObjectReader& one) {
      core::Task task = wire::read_task(one);
      claimed.push_back({.task = std::move(task),
                         .execution_key = one.text("execution_key"),
                         .memo = wire::read_memo(one)});
    });
    return claimed;
  });
  if (tasks && tasks->size() > max) {
    return core::Problem{
        .code = core::ProblemCode::internal,
        .detail = fmt::format("the server returned {} tasks, {} were requested at most", tasks->size(), max)};
  }
  return tasks;
}

Result<std::vector<Result<core::ReportAnswer>>> HttpTaskApi::report(core::ReportTasks command) {
  if (const core::Status valid = checked(command); !valid) return valid.problem();
  std::vector<core::Status> checks;
  Writer out;
  out.begin_object().field("worker_id", command.worker_id).key("reports").begin_array();
  for (const core::Report& report : command.reports) {
    checks.push_back(core::check(report, checks.size()));
    if (checks.back()) wire::write_report(out, report);
  }
  out.end_array().end_object();
  std::vector<Result<core::ReportAnswer>> results;
  const auto add_refused = [&] {
    while (results.size() < checks.size() && !checks[results.size()])
      results.emplace_back(checks[results.size()].problem());
  };
  add_refused();
  if (results.size() == checks.size()) return results;
  // A repeated report gets the same answer without a key.
  HttpRequest request{.method = "POST", .path = tasks_path(command.ns, "/report"), .body = out.take()};
  request.repeatable = true;
  return decoded(connection_.call(command.ns, std::move(request)), [&](ObjectReader& in) {
    in.objects_leniently("results", [&](ObjectReader& one) {
      results.push_back(wire::read_report_answer(one));
      add_refused();
    });
    return results;
  });
}

Result<core::Task> HttpTaskApi::move_one(const core::MoveTask& request, const std::string& verb) {
  const std::string path = tasks_path(request.ns, fmt::format("/{}/{}", to_string(request.id), verb));
  return decoded(connection_.call(request.ns, {.method = "POST", .path = path}), wire::read_task);
}

Result<core::Task> HttpTaskApi::cancel_task(const core::MoveTask& request) {
  return move_one(request, "cancel");
}

Result<core::Task> HttpTaskApi::retry_task(const core::MoveTask& request) {
  return move_one(request, "retry");
}

Result<core::BulkResult> HttpTaskApi::move_many(const core::BulkTasks& bulk, const std::string& verb) {
  Writer out;
  out.begin_object().key("filter");
  wire::write_task_query(out, bulk.query);
  out.field("limit", bulk.limit).field("dry_run", bulk.dry_run).end_object();
  const auto body = connection_.call(
      bulk.query.ns, {.method = "POST", .path = tasks_path(bulk.query.ns, "/" + verb), .body = out.take()});
  return decoded(body, [](ObjectReader& in) {
    return core::BulkResult{.matched = static_cast<int>(in.integer("matched")),
                            .changed = static_cast<int>(in.integer("changed"))};
  });
}

Result<core::BulkResult> HttpTaskApi::cancel_tasks(const core::BulkTasks& bulk) {
  return move_many(bulk, "cancel");
}

Result<core::BulkResult> HttpTaskApi::retry_tasks(const core::BulkTasks& bulk) {
  return move_many(bulk, "retry");
}

Result<core::TaskWithAttempts> HttpTaskApi::get_task(const std::string& ns, const core::TaskId& id) {
  return decoded(connection_.call(ns, {.path = tasks_path(ns, "/" + to_string(id))}), [](ObjectReader& in) {
    core::TaskWithAttempts found{.task = wire::read_task(in)};
    in.objects_leniently("attempts",
                         [&](ObjectReader& one) { found.attempts.push_back(wire::read_attempt(one)); });
    return found;
  });
}

Result<core::Page<core::Task>> HttpTaskApi::list_tasks(const core::ListTasks& list) {
  return decoded(connection_.call(list.query.ns, {.path = tasks_path(list.query.ns, query_of(list))}),
                 [](ObjectReader& in) {
                   core::Page<core::Task> page;
                   in.objects_leniently(
                       "items", [&](ObjectReader& one) { page.items.push_back(wire::read_task(one)); });
                   page.next_cursor = in.optional_text("next_cursor");
                   return page;
                 });
}

Result<std::vector<core::Queue>> HttpTaskApi::list_queues(const std::string& ns) {
  const std::string path = fmt::format("/v1/{}/queues", wire::percent_encoded(ns));
  return decoded(connection_.call(ns, {.path = path}), [](ObjectReader& in) {
    std::vector<core::Queue> queues;
    in.objects_leniently("items", [&](ObjectReader& one) { queues.push_back(wire::read_queue(one)); });
    return queues;
  });
}

Result<core::Done> HttpTaskApi::set_queue(core::SetQueue command) {
  if (const core::Status valid = checked(command); !valid) return valid.problem();
  Writer out;
  wire::write_queue_patch(out, command.patch);
  const std::string path =
      fmt::format("/v1/{}/queues/{}", wire::percent_encoded(command.ns), wire::percent_encoded(command.name));
  const auto body = connection_.call(command.ns, {.method = "PUT", .path = path, .body = out.take()});
  if (!body) return body.problem();
  return core::Done{};
}

}  // namespace pawl::client
