// Tasks over HTTP.

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "server/body.hpp"
#include "server/calls.hpp"
#include "server/once.hpp"
#include "server/reach.hpp"
#include "server/submit.hpp"
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

// The command if it may be submitted; otherwise the request is rejected here.
std::optional<core::EnqueueTasks> admitted(Services& services, const Request& request,
                                           core::EnqueueTasks command, const Answer& answer) {
  if (const core::Status allowed = services.local.admission().admit(command); !allowed) {
    answer(problem_response(allowed.problem(), request.id));
    return std::nullopt;
  }
  if (const core::Status allowed = check_reach(request, command); !allowed) {
    deny(services, request, allowed.problem(), answer);
    return std::nullopt;
  }
  command.by = request.actor;
  return command;
}

std::optional<Response> made_response(const core::Answer& result) {
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
Look look_for_task(Services& services, const Request& request) {
  const Request brief{.id = request.id,
                      .route = request.route,
                      .ns = request.ns,
                      .actor = request.actor,
                      .queues = request.queues};  // without the body
  return [&services, brief](const core::Answer& result, const Answer& found) {
    const core::TaskId id = std::get<std::vector<core::Enqueued>>(result).front().id;
    services.blocking(brief.owner(WorkKind::read), [&services, brief, found, id] {
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

void enqueue_one(Services& services, Request request, Answer answer) {
  auto spec = read_body(request, wire::read_task_spec);
  if (!spec) return answer(problem_response(spec.problem(), request.id));
  core::EnqueueTasks asked{.ns = request.ns, .wants_tasks = true, .trace = trace_of(request)};
  asked.tasks.push_back(std::move(*spec));
  at_gates(services, std::move(asked),
           [&services, request = std::move(request), answer = std::move(answer)](core::EnqueueTasks gated) {
             auto command = admitted(services, request, std::move(gated), answer);
             if (!command) return;
             submit(services, request, std::move(*command), made_response, answer,
                    look_for_task(services, request));
           });
}

std::optional<Response> batch_response(const core::Answer& result) {
  Writer out;
  out.begin_object().key("results").begin_array();
  for (const core::Enqueued& one : std::get<std::vector<core::Enqueued>>(result))
    out.begin_object().field("created", one.created).field("id", to_string(one.id)).end_object();
  return json_response(200, out.end_array().end_object().take());
}

void enqueue_many(Services& services, Request request, Answer answer) {
  auto specs = read_body(request, wire::read_task_specs);
  if (!specs) return answer(problem_response(specs.problem(), request.id));
  core::EnqueueTasks asked{.ns = request.ns, .tasks = std::move(*specs), .trace = trace_of(request)};
  at_gates(services, std::move(asked),
           [&services, request = std::move(request), answer = std::move(answer)](core::EnqueueTasks gated) {
             auto command = admitted(services, request, std::move(gated), answer);
             if (command) submit(services, request, std::move(*command), batch_response, answer);
           });
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
    services.submit(release, [](const Result<core::Answer>&) {});
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

void submit_claim(Services& services, const Request& request, core::ClaimTasks claim, const Answer& answer) {
  const auto is_admitted = services.local.admission().admit(claim);
  if (!is_admitted)
    return answer_or_deny(services, request, problem_response(is_admitted.problem(), request.id), answer);
  if (!*is_admitted) return answer(json_response(200, R"({"tasks":[]})"));
  // A client with a key retries and receives the same tasks.
  const bool has_key = !request.hash.empty();
  const auto shown = [&services, has_key, ns = request.ns,
                      worker_id = claim.worker_id](const core::Answer& result) {
    Response response = claimed_response(result);
    const auto& tasks = std::get<std::vector<core::ClaimedTask>>(result);
    response.undelivered = give_back(services, ns, worker_id, tasks);
    response.is_kept = has_key;
    return std::optional{std::move(response)};
  };
  auto answered = with_place(services, request, claim.wait, answer);
  if (!answered) return answer(problem_response(answered.problem(), request.id));
  // A claim that is being executed right now is not found; `undelivered` releases its tasks. Other waiting
  // claims of the worker are answered too, and the worker repeats them.
  if (claim.wait > core::Duration{0})
    request.when_gone([&engine = services.engine, ns = claim.ns, worker_id = claim.worker_id] {
      engine.end_waits_of(ns, worker_id);
    });
  submit(services, request, std::move(claim), shown, std::move(*answered));
}

void claim(Services& services, Request request, Answer answer) {
  auto claim =
      read_body(request, [&](ObjectReader& in) { return wire::read_claim(in, services.lease_default); });
  if (!claim) return answer(problem_response(claim.problem(), request.id));
  claim->ns = request.ns;
  claim->by = request.actor;
  if (const core::Status valid = core::check(core::Command{*claim}); !valid)
    return answer(problem_response(valid.problem(), request.id));
  if (const core::Status allowed = check_queues(request, claim->queues); !allowed)
    return deny(services, request, allowed.problem(), answer);
  at_gates(services, std::move(*claim),
           [&services, request = std::move(request), answer = std::move(answer)](core::ClaimTasks gated) {
             submit_claim(services, request, std::move(gated), answer);
           });
}

core::ReportTasks reports_by(const Request& request) {
  return {.ns = request.ns, .queues = request.queues, .by = request.actor};
}

void submit_admitted(Services& services, const Request& request, core::ReportTasks command,
                     const Respond& shown, const Answer& answer) {
  if (const core::Status allowed = services.local.admission().admit(command); !allowed)
    return answer_or_deny(services, request, problem_response(allowed.problem(), request.id), answer);
  submit(services, request, std::move(command), shown, answer);
}

// The request, with its body, is copied only if it has to wait.
void submit_reports(Services& services, const Request& request, core::ReportTasks command,
                    const Respond& shown, const Answer& answer) {
  if (services.local.admission().is_cached(command))
    return submit_admitted(services, request, std::move(command), shown, answer);
  services.blocking(request.owner(WorkKind::other),
                    [&services, request, command = std::move(command), shown, answer]() mutable {
                      submit_admitted(services, request, std::move(command), shown, answer);
                    });
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

void report_many(Services& services, const Request& request, const Answer& answer) {
  auto read = read_body(request, wire::read_reports);
  if (!read) return answer(problem_response(read.problem(), request.id));
  core::ReportTasks command = reports_by(request);
  command.worker_id = read->worker_id;
  for (const auto& report : read->reports) {
    if (report) command.reports.push_back(*report);
  }
  if (command.reports.empty() && !read->reports.empty())
    return answer(json_response(200, results_text(*read, {}, request.id)));
  const auto shown = [read = std::move(*read), id = request.id](const core::Answer& result) {
    const auto& answers = std::get<std::vector<Result<core::ReportAnswer>>>(result);
    return std::optional{json_response(200, results_text(read, answers, id))};
  };
  submit_reports(services, request, std::move(command), shown, answer);
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

void report_one(Services& services, const Request& request, const Answer& answer) {
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
  const auto shown = [id = request.id, task = *task](const core::Answer& result) {
    const auto& one = std::get<std::vector<Result<core::ReportAnswer>>>(result).front();
    if (!one) return std::optional{problem_response(as_of_one(one.problem()), id)};
    Writer out;
    wire::write_report_answer(out, task, one, id);
    return std::optional{json_response(200, out.take())};
  };
  submit_reports(services, request, std::move(command), shown, answer);
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

Response move_one(Services& services, const Request& request) {
  const auto id = task_id_of(request, 1);
  if (!id) return problem_response(id.problem(), request.id);
  const auto nothing = read_body(request, [](ObjectReader&) { return 0; });
  if (!nothing) return problem_response(nothing.problem(), request.id);
  core::Api& api = services.api;
  const core::MoveTask move{.ns = request.ns, .id = *id, .by = request.actor};
  const auto moved = request.route->call == Call::retry_task ? api.retry_task(move) : api.cancel_task(move);
  return respond_text(request, moved, task_text);
}

Response move_many(Services& services, const Request& request) {
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
  core::Api& api = services.api;
  const auto moved =
      request.route->call == Call::retry_tasks ? api.retry_tasks(*bulk) : api.cancel_tasks(*bulk);
  return respond_text(request, moved, [](const core::BulkResult& result) {
    Writer out;
    return out.begin_object()
        .field("matched", result.matched)
        .field("changed", result.changed)
        .end_object()
        .take();
  });
}

}  // namespace

void call_task(Services& services, Request request, Answer answer) {
  switch (request.route->call) {
    case Call::enqueue_task: return enqueue_one(services, std::move(request), std::move(answer));
    case Call::enqueue_tasks: return enqueue_many(services, std::move(request), std::move(answer));
    case Call::claim_tasks: return claim(services, std::move(request), std::move(answer));
    case Call::report_tasks: return report_many(services, request, answer);
    case Call::report_task: return report_one(services, request, answer);
    default: break;
  }
  services.blocking([&services, request = std::move(request), answer = std::move(answer)] {
    switch (request.route->call) {
      case Call::get_task: return answer(get_task(services, request));
      case Call::list_tasks: return answer_or_deny(services, request, list_tasks(services, request), answer);
      case Call::retry_tasks:
      case Call::cancel_tasks: return answer(move_many(services, request));
      default: return answer(move_one(services, request));
    }
  });
}

}  // namespace pawl::server
