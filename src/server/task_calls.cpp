#include "server/task_calls.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "server/body.hpp"
#include "server/deny.hpp"
#include "server/once.hpp"
#include "server/reach.hpp"
#include "server/submit.hpp"
#include "server/waiting_call.hpp"
#include "wire/step.hpp"
#include "wire/task.hpp"
#include "wire/trace.hpp"

namespace pawl::server {

namespace {

using core::Result;
using wire::Call;
using wire::ObjectReader;
using wire::Writer;

std::string task_text(const core::Task& task) {
  Writer out;
  out.begin_object();
  wire::write_task_fields(out, task);
  return out.end_object().take();
}

std::string created_text(bool created, const core::Task& task) {
  Writer out;
  out.begin_object().field("created", created).key("task").begin_object();
  wire::write_task_fields(out, task);
  return out.end_object().end_object().take();
}

// Converts any Api result to a response.
template <typename T, typename Write>
Response respond_text(const Request& request, const Result<T>& result, Write write) {
  return result ? json_response(200, write(*result)) : problem_response(result.problem(), request.id);
}

// Whether the caller may act on all of these queues.
template <typename Names>
core::Status check_queues(const Request& request, const Names& names) {
  for (const std::string& name : names) {
    if (const core::Status allowed = check_queue(request, name); !allowed) return allowed;
  }
  return core::Done{};
}

// An open run accepts tasks of any queue, so a token bound to queues may not add any.
core::Status check_reach(const Request& request, const core::EnqueueTasks& command) {
  std::set<std::string> queues;
  for (const core::TaskSpec& spec : command.tasks) {
    queues.insert(spec.queue);
    if (spec.run_id && !request.queues.empty()) {
      return core::Problem{
          .code = core::ProblemCode::forbidden,
          .detail = fmt::format("the tasks of the run {} may be in any queue, the token is bound to queues",
                                to_string(*spec.run_id))};
    }
  }
  return check_queues(request, queues);
}

std::optional<Response> admit_enqueue(Services& services, Submission<core::EnqueueTasks>& made) {
  if (const core::Status allowed = services.local.admission().admit(made.command); !allowed)
    return problem_response(allowed.problem(), made.request.id);
  if (const core::Status allowed = check_reach(made.request, made.command); !allowed)
    return problem_response(allowed.problem(), made.request.id);
  made.command.by = made.request.actor;
  return std::nullopt;
}

std::optional<Response> created_response(const core::Answer& result) {
  const core::Enqueued& enqueued = std::get<std::vector<core::Enqueued>>(result).front();
  if (!enqueued.task) return std::nullopt;
  return json_response(201, created_text(true, *enqueued.task));
}

// The parts of a task that a token which only enqueues may see, because another caller may have created it.
core::Task without_values(core::Task task) {
  task.payload = {};
  task.output = {};
  task.error.reset();
  task.labels.clear();
  return task;
}

// Reads an existing task; nothing was created, so there is no response to store.
ReadMore read_existing_task(Services& services, const Request& request) {
  const Request brief{.id = request.id,
                      .route = request.route,
                      .ns = request.ns,
                      .actor = request.actor,
                      .queues = request.queues};  // without the body
  return [&services, brief](const core::Answer& result, const Answer& found) {
    const core::TaskId id = std::get<std::vector<core::Enqueued>>(result).front().id;
    services.server.blocking(brief.owner(WorkKind::read), [&services, brief, found, id] {
      const auto task = services.api.get_task(brief.ns, id);
      if (task) {
        if (const core::Status allowed = check_queue(brief, task->task.queue); !allowed)
          return deny(services, brief, allowed.problem(), found);
      }
      found(respond_text(brief, task, [&](const auto& one) {
        return created_text(false, reads_nothing(brief) ? without_values(one.task) : one.task);
      }));
    });
  };
}

core::Boxed<core::TraceContext> trace_of(const Request& request) {
  if (request.traceparent.empty()) return {};
  auto trace = wire::parse_trace(request.traceparent, request.tracestate);
  if (!trace) return {};
  return std::move(*trace);
}

void enqueue_task(Services& services, Request request, Answer answer) {
  auto spec = read_body(request, wire::read_task_spec);
  if (!spec) return answer(problem_response(spec.problem(), request.id));
  core::EnqueueTasks command{.ns = request.ns, .wants_tasks = true, .trace = trace_of(request)};
  command.tasks.push_back(std::move(*spec));
  ReadMore read_more = read_existing_task(services, request);
  submit<core::EnqueueTasks>(services, {.request = std::move(request),
                                        .command = std::move(command),
                                        .answer = std::move(answer),
                                        .admit = admit_enqueue,
                                        .respond = created_response,
                                        .read_more = std::move(read_more)});
}

std::optional<Response> batch_response(const core::Answer& result) {
  Writer out;
  out.begin_object().key("results").begin_array();
  for (const core::Enqueued& one : std::get<std::vector<core::Enqueued>>(result))
    out.begin_object().field("created", one.created).field("id", to_string(one.id)).end_object();
  return json_response(200, out.end_array().end_object().take());
}

void enqueue_tasks(Services& services, Request request, Answer answer) {
  auto specs = read_body(request, wire::read_task_specs);
  if (!specs) return answer(problem_response(specs.problem(), request.id));
  core::EnqueueTasks command{.ns = request.ns, .tasks = std::move(*specs), .trace = trace_of(request)};
  submit<core::EnqueueTasks>(services, {.request = std::move(request),
                                        .command = std::move(command),
                                        .answer = std::move(answer),
                                        .admit = admit_enqueue,
                                        .respond = batch_response});
}

// Tasks claimed for a disconnected client are released immediately instead of when their lease expires.
std::function<void()> give_back(Services& services, const std::string& ns, const std::string& worker_id,
                                const std::vector<core::ClaimedTask>& tasks) {
  if (tasks.empty()) return {};
  core::ReportTasks release{.ns = ns, .worker_id = worker_id};
  for (const core::ClaimedTask& claimed : tasks) {
    release.reports.push_back({.task_id = claimed.task.id,
                               .fence = claimed.task.lease->fence,
                               .action = core::ReportAction::release});
  }
  return [&services, release = std::move(release)] {
    services.server.submit(release, [](const Result<core::Answer>&) {});
  };
}

Response claimed_response(const core::Answer& result) {
  Writer out;
  out.begin_object().key("tasks").begin_array();
  for (const core::ClaimedTask& claimed : std::get<std::vector<core::ClaimedTask>>(result)) {
    out.begin_object();
    wire::write_task_fields(out, claimed.task);
    out.field("operation_key", core::operation_key(claimed.task));
    out.field("execution_key", claimed.execution_key);
    if (claimed.memo) wire::write_memo_fields(out, *claimed.memo);
    out.end_object();
  }
  return json_response(200, out.end_array().end_object().take());
}

std::optional<Response> admit_claim(Services& services, Submission<core::ClaimTasks>& made) {
  const Request& request = made.request;
  const core::ClaimTasks& claim = made.command;
  const auto is_admitted = services.local.admission().admit(made.command);
  if (!is_admitted) return problem_response(is_admitted.problem(), request.id);
  if (!*is_admitted) return json_response(200, R"({"tasks":[]})");
  auto answer = with_place(services, request, claim.wait, made.answer);
  if (!answer) return problem_response(answer.problem(), request.id);
  made.answer = std::move(*answer);
  // A claim that is being executed right now is not found; `undelivered` releases its tasks. Other waiting
  // claims of the worker are answered too, and the worker repeats them.
  if (claim.wait > core::Duration{0})
    request.when_gone([&engine = services.server.engine, ns = claim.ns, worker_id = claim.worker_id] {
      engine.end_waits_of(ns, worker_id);
    });
  return std::nullopt;
}

void claim_tasks(Services& services, Request request, Answer answer) {
  auto claim = read_body(request, [&](ObjectReader& in) {
    return wire::read_claim(in, services.server.settings.lease_default);
  });
  if (!claim) return answer(problem_response(claim.problem(), request.id));
  claim->ns = request.ns;
  claim->by = request.actor;
  if (const core::Status valid = core::check(core::Command{*claim}); !valid)
    return answer(problem_response(valid.problem(), request.id));
  if (const core::Status allowed = check_queues(request, claim->queues); !allowed)
    return deny(services, request, allowed.problem(), answer);
  // A client with a key retries and receives the same tasks.
  const bool has_key = !request.hash.empty();
  auto respond = [&services, has_key, ns = request.ns,
                  worker_id = claim->worker_id](const core::Answer& result) {
    Response response = claimed_response(result);
    const auto& tasks = std::get<std::vector<core::ClaimedTask>>(result);
    response.undelivered = give_back(services, ns, worker_id, tasks);
    response.is_kept = has_key;
    return std::optional{std::move(response)};
  };
  submit<core::ClaimTasks>(services, {.request = std::move(request),
                                      .command = std::move(*claim),
                                      .answer = std::move(answer),
                                      .admit = admit_claim,
                                      .respond = std::move(respond)});
}

core::ReportTasks reports_by(const Request& request) {
  return {.ns = request.ns, .queues = request.queues, .by = request.actor};
}

std::optional<Response> admit_reports(Services& services, Submission<core::ReportTasks>& made) {
  const core::Status allowed = services.local.admission().admit(made.command);
  return allowed ? std::nullopt : std::optional{problem_response(allowed.problem(), made.request.id)};
}

// Uses the ids in the reports for results of reports that could not be parsed.
std::string results_text(const wire::ReadReports& read,
                         const std::vector<Result<core::ReportAnswer>>& answers,
                         std::string_view request_id) {
  Writer out;
  out.begin_object().key("results").begin_array();
  auto next = answers.begin();
  for (std::size_t i = 0; i < read.reports.size(); ++i) {
    const auto& report = read.reports[i];
    wire::write_report_answer(out, read.ids[i],
                              report ? *next++ : Result<core::ReportAnswer>{report.problem()}, request_id);
  }
  return out.end_array().end_object().take();
}

void report_tasks(Services& services, Request request, Answer answer) {
  auto read = read_body(request, wire::read_reports);
  if (!read) return answer(problem_response(read.problem(), request.id));
  core::ReportTasks command = reports_by(request);
  command.worker_id = read->worker_id;
  for (const auto& report : read->reports) {
    if (report) command.reports.push_back(*report);
  }
  if (command.reports.empty() && !read->reports.empty())
    return answer(json_response(200, results_text(*read, {}, request.id)));
  auto respond = [read = std::move(*read), id = request.id](const core::Answer& result) {
    const auto& answers = std::get<std::vector<Result<core::ReportAnswer>>>(result);
    return std::optional{json_response(200, results_text(read, answers, id))};
  };
  submit<core::ReportTasks>(services, {.request = std::move(request),
                                       .command = std::move(command),
                                       .answer = std::move(answer),
                                       .admit = admit_reports,
                                       .respond = std::move(respond)});
}

// Removes the list index from errors of a single report.
core::Problem as_of_one(core::Problem problem) {
  constexpr std::string_view kList = "reports[0].";
  const auto strip = [&](std::string& text) {
    if (const auto place = text.find(kList); place != std::string::npos) text.erase(place, kList.size());
  };
  strip(problem.detail);
  for (core::FieldError& error : problem.errors) strip(error.field);
  return problem;
}

void report_task(Services& services, Request request, Answer answer) {
  const auto task = task_id_of(request, 1);
  if (!task) return answer(problem_response(task.problem(), request.id));
  const auto action = wire::report_action_from(request.parameters.at(2));
  if (!action) {
    const std::string what = fmt::format("there is no action '{}' of a task", request.parameters.at(2));
    return answer(problem_response({.code = core::ProblemCode::not_found, .detail = what}, request.id));
  }
  core::ReportTasks command = reports_by(request);
  auto report = read_body(request, [&](ObjectReader& in) {
    command.worker_id = in.text("worker_id");
    return wire::read_report(in, wire::ReportPath{.task_id = *task, .action = *action});
  });
  if (!report) return answer(problem_response(report.problem(), request.id));
  command.reports.push_back(std::move(*report));
  const auto respond = [id = request.id, task = *task](const core::Answer& result) {
    const auto& one = std::get<std::vector<Result<core::ReportAnswer>>>(result).front();
    if (!one) return std::optional{problem_response(as_of_one(one.problem()), id)};
    Writer out;
    wire::write_report_answer(out, task, one, id);
    return std::optional{json_response(200, out.take())};
  };
  submit<core::ReportTasks>(services, {.request = std::move(request),
                                       .command = std::move(command),
                                       .answer = std::move(answer),
                                       .admit = admit_reports,
                                       .respond = respond});
}

Response get_task(Services& services, const Request& request) {
  const auto id = task_id_of(request, 1);
  if (!id) return problem_response(id.problem(), request.id);
  const auto found = services.api.get_task(request.ns, *id);
  return respond_text(request, found, [](const core::TaskWithAttempts& one) {
    Writer out;
    out.begin_object();
    wire::write_task_fields(out, one.task);
    out.field("operation_key", core::operation_key(one.task));
    out.key("attempts").begin_array();
    for (const core::AttemptView& attempt : one.attempts) wire::write_attempt(out, one.task, attempt);
    return out.end_array().end_object().take();
  });
}

core::ListTasks read_list(ObjectReader& in) {
  core::ListTasks list{.query = wire::read_task_query(in)};
  const std::string order = in.optional_text("order").value_or("desc");
  if (order != "asc" && order != "desc") in.mistake("order", "must be asc or desc");
  list.newest_first = order != "asc";
  list.limit = read_number(in, "limit").value_or(list.limit);
  list.cursor = in.optional_text("cursor").value_or("");
  return list;
}

// A token bound to one queue lists that queue; a token bound to several must name one at a time.
core::Status fit_to_queues(const Request& request, core::TaskQuery& query) {
  if (request.queues.empty()) return core::Done{};
  if (query.queue) return check_queue(request, *query.queue);
  if (request.queues.size() > 1)
    return core::invalid_field("queue", fmt::format("is required: the token is bound to the queues {}",
                                                    fmt::join(request.queues, ", ")));
  query.queue = request.queues.front();
  return core::Done{};
}

Response list_tasks(Services& services, const Request& request) {
  auto asked = read_query(request, read_list);
  if (!asked) return problem_response(asked.problem(), request.id);
  asked->query.ns = request.ns;
  if (const core::Status allowed = fit_to_queues(request, asked->query); !allowed)
    return problem_response(allowed.problem(), request.id);
  return respond_text(request, services.api.list_tasks(*asked), [](const core::Page<core::Task>& page) {
    Writer out;
    out.begin_object().key("items").begin_array();
    for (const core::Task& task : page.items) {
      out.begin_object();
      wire::write_task_fields(out, task);
      out.end_object();
    }
    return out.end_array().field("next_cursor", page.next_cursor).end_object().take();
  });
}

// `move`: changes the task through the Api.
template <typename Move>
Response move_task(const Request& request, Move move) {
  const auto id = task_id_of(request, 1);
  if (!id) return problem_response(id.problem(), request.id);
  const auto nothing = read_body(request, [](ObjectReader&) { return 0; });
  if (!nothing) return problem_response(nothing.problem(), request.id);
  const auto moved = move(core::MoveTask{.ns = request.ns, .id = *id, .by = request.actor});
  return respond_text(request, moved, task_text);
}

Response retry_task(Services& services, const Request& request) {
  return move_task(request, [&](const core::MoveTask& move) { return services.api.retry_task(move); });
}

Response cancel_task(Services& services, const Request& request) {
  return move_task(request, [&](const core::MoveTask& move) { return services.api.cancel_task(move); });
}

template <typename Move>
Response move_tasks(const Request& request, Move move) {
  auto bulk = read_body(request, [](ObjectReader& in) {
    core::BulkTasks asked;
    in.optional_object("filter", [&](ObjectReader& filter) { asked.query = wire::read_task_query(filter); });
    asked.limit = static_cast<int>(std::clamp<std::int64_t>(
        in.optional_integer("limit").value_or(asked.limit), -1, core::kBulkTasksMax + 1));
    asked.dry_run = in.optional_boolean("dry_run").value_or(false);
    return asked;
  });
  if (!bulk) return problem_response(bulk.problem(), request.id);
  bulk->query.ns = request.ns;
  bulk->by = request.actor;
  return respond_text(request, move(*bulk), [](const core::BulkResult& result) {
    Writer out;
    return out.begin_object()
        .field("matched", result.matched)
        .field("changed", result.changed)
        .end_object()
        .take();
  });
}

Response retry_tasks(Services& services, const Request& request) {
  return move_tasks(request, [&](const core::BulkTasks& bulk) { return services.api.retry_tasks(bulk); });
}

Response cancel_tasks(Services& services, const Request& request) {
  return move_tasks(request, [&](const core::BulkTasks& bulk) { return services.api.cancel_tasks(bulk); });
}

}  // namespace

std::span<const Handler> task_calls() {
  static constexpr std::array kHandlers{
      Handler{.call = Call::enqueue_task, .run = enqueue_task, .runs_on = RunsOn::network},
      Handler{.call = Call::enqueue_tasks, .run = enqueue_tasks, .runs_on = RunsOn::network},
      Handler{.call = Call::claim_tasks, .run = claim_tasks, .runs_on = RunsOn::network, .waits = true},
      Handler{.call = Call::report_tasks, .run = report_tasks, .runs_on = RunsOn::network},
      Handler{.call = Call::report_task, .run = report_task, .runs_on = RunsOn::network},
      Handler{.call = Call::get_task, .run = replying<get_task>},
      Handler{.call = Call::list_tasks, .run = replying<list_tasks>},
      Handler{.call = Call::retry_task, .run = replying<retry_task>},
      Handler{.call = Call::cancel_task, .run = replying<cancel_task>},
      Handler{.call = Call::retry_tasks, .run = replying<retry_tasks>, .is_bulk = true},
      Handler{.call = Call::cancel_tasks, .run = replying<cancel_tasks>, .is_bulk = true},
  };
  return kHandlers;
}

}  // namespace pawl::server
