// Tasks over HTTP.

#include <memory>

#include <fmt/format.h>

#include "server/body.hpp"
#include "server/calls.hpp"
#include "wire/task.hpp"

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

// Whatever a call on the Api gives, as a response.
template <typename T, typename Write>
Response respond(const Request& request, const Result<T>& result, Write write) {
  return result ? json_response(200, write(*result)) : problem_response(result.problem(), request.id);
}

void enqueue_one(Services& services, Request request, Answer answer) {
  auto spec = read_body(request, wire::read_task_spec);
  if (!spec) return answer(problem_response(spec.problem(), request.id));
  core::EnqueueTasks command{.ns = request.ns, .wants_tasks = true};
  command.tasks.push_back(std::move(*spec));
  if (const core::Status allowed = services.check_enqueue(command); !allowed)
    return answer(problem_response(allowed.problem(), request.id));
  services.submit(std::move(command), [&services, request = std::move(request),
                                       answer = std::move(answer)](const Result<core::Answer>& result) {
    if (!result) return answer(problem_response(result.problem(), request.id));
    const core::Enqueued& enqueued = std::get<std::vector<core::Enqueued>>(*result).front();
    if (enqueued.task) return answer(json_response(201, created_text(true, *enqueued.task)));
    services.blocking([&services, request, answer, id = enqueued.id] {
      const auto found = services.api.get_task(request.ns, id);
      answer(respond(request, found, [](const auto& one) { return created_text(false, one.task); }));
    });
  });
}

void enqueue_many(Services& services, const Request& request, Answer answer) {
  auto specs = read_body(request, wire::read_task_specs);
  if (!specs) return answer(problem_response(specs.problem(), request.id));
  core::EnqueueTasks command{.ns = request.ns, .tasks = std::move(*specs)};
  if (const core::Status allowed = services.check_enqueue(command); !allowed)
    return answer(problem_response(allowed.problem(), request.id));
  services.submit(
      std::move(command), [id = request.id, answer = std::move(answer)](const Result<core::Answer>& result) {
        if (!result) return answer(problem_response(result.problem(), id));
        Writer out;
        out.begin_object().key("results").begin_array();
        for (const core::Enqueued& one : std::get<std::vector<core::Enqueued>>(*result)) {
          out.begin_object().field("created", one.created).field("id", to_string(one.id)).end_object();
        }
        answer(json_response(200, out.end_array().end_object().take()));
      });
}

// What was given to a caller who is not there any more goes back at once, not when its lease ends.
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

void claim(Services& services, Request request, Answer answer) {
  auto claim =
      read_body(request, [&](ObjectReader& in) { return wire::read_claim(in, services.lease_default); });
  if (!claim) return answer(problem_response(claim.problem(), request.id));
  claim->ns = request.ns;
  if (const core::Status valid = core::check(core::Command{*claim}); !valid)
    return answer(problem_response(valid.problem(), request.id));
  const auto room = services.room_for_claim(*claim);
  if (!room) return answer(problem_response(room.problem(), request.id));
  if (*room == 0) return answer(json_response(200, R"({"tasks":[]})"));
  claim->max = *room;
  const std::string worker_id = claim->worker_id;
  services.submit(std::move(*claim), [&services, worker_id, request = std::move(request),
                                      answer = std::move(answer)](const Result<core::Answer>& result) {
    if (!result) return answer(problem_response(result.problem(), request.id));
    const auto& tasks = std::get<std::vector<core::ClaimedTask>>(*result);
    Writer out;
    out.begin_object().key("tasks").begin_array();
    for (const core::ClaimedTask& claimed : tasks) {
      out.begin_object();
      wire::write_task_fields(out, claimed.task);
      out.field("execution_key", claimed.execution_key).end_object();
    }
    Response response = json_response(200, out.end_array().end_object().take());
    response.undelivered = give_back(services, request.ns, worker_id, tasks);
    answer(std::move(response));
  });
}

// The ids that the reports name, for the results of those that could not be read.
std::string results_text(const wire::ReadReports& read,
                         const std::vector<Result<core::ReportAnswer>>& answers) {
  Writer out;
  out.begin_object().key("results").begin_array();
  auto next = answers.begin();
  for (const auto& report : read.reports) {
    if (report) {
      wire::write_report_answer(out, report->task_id, *next++);
    } else {
      wire::write_report_answer(out, core::TaskId{}, report.problem());
    }
  }
  return out.end_array().end_object().take();
}

void report_many(Services& services, const Request& request, Answer answer) {
  auto read = read_body(request, wire::read_reports);
  if (!read) return answer(problem_response(read.problem(), request.id));
  core::ReportTasks command{.ns = request.ns, .worker_id = read->worker_id};
  for (const auto& report : read->reports) {
    if (report) command.reports.push_back(*report);
  }
  if (command.reports.empty() && !read->reports.empty())
    return answer(json_response(200, results_text(*read, {})));
  services.submit(std::move(command), [read = std::move(*read), id = request.id,
                                       answer = std::move(answer)](const Result<core::Answer>& result) {
    if (!result) return answer(problem_response(result.problem(), id));
    answer(
        json_response(200, results_text(read, std::get<std::vector<Result<core::ReportAnswer>>>(*result))));
  });
}

void report_one(Services& services, Request request, Answer answer) {
  const auto task = task_id_of(request, 1);
  if (!task) return answer(problem_response(task.problem(), request.id));
  const auto action = wire::report_action_from(request.parameters.at(2));
  if (!action) {
    const std::string what = fmt::format("there is no action '{}' of a task", request.parameters.at(2));
    return answer(problem_response({.code = core::ProblemCode::not_found, .detail = what}, request.id));
  }
  core::ReportTasks command{.ns = request.ns};
  auto report = read_body(request, [&](ObjectReader& in) {
    command.worker_id = in.text("worker_id");
    return wire::read_report(in, wire::ReportPath{.task_id = *task, .action = *action});
  });
  if (!report) return answer(problem_response(report.problem(), request.id));
  command.reports.push_back(std::move(*report));
  services.submit(std::move(command), [id = request.id, task = *task,
                                       answer = std::move(answer)](const Result<core::Answer>& result) {
    if (!result) return answer(problem_response(result.problem(), id));
    const auto& one = std::get<std::vector<Result<core::ReportAnswer>>>(*result).front();
    if (!one) return answer(problem_response(one.problem(), id));
    Writer out;
    wire::write_report_answer(out, task, one);
    answer(json_response(200, out.take()));
  });
}

Response get_one(Services& services, const Request& request) {
  const auto id = task_id_of(request, 1);
  if (!id) return problem_response(id.problem(), request.id);
  const auto found = services.api.get_task(request.ns, *id);
  return respond(request, found, [](const core::TaskWithAttempts& one) {
    Writer out;
    out.begin_object();
    wire::write_task_fields(out, one.task);
    out.key("attempts").begin_array();
    for (const core::Attempt& attempt : one.attempts) wire::write_attempt(out, one.task.id, attempt);
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

Response list(Services& services, const Request& request) {
  auto asked = read_query(request, read_list);
  if (!asked) return problem_response(asked.problem(), request.id);
  asked->query.ns = request.ns;
  return respond(request, services.api.list_tasks(*asked), [](const core::Page<core::Task>& page) {
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
  const auto moved = request.route->call == Call::retry_task ? api.retry_task(request.ns, *id)
                                                             : api.cancel_task(request.ns, *id);
  return respond(request, moved, task_text);
}

Response move_many(Services& services, const Request& request) {
  auto bulk = read_body(request, [](ObjectReader& in) {
    core::BulkTasks asked;
    in.optional_object("filter", [&](ObjectReader& filter) { asked.query = wire::read_task_query(filter); });
    asked.limit = static_cast<int>(std::clamp<std::int64_t>(
        in.optional_integer("limit").value_or(asked.limit), -1, core::kBulkTasksMax + 1));
    return asked;
  });
  if (!bulk) return problem_response(bulk.problem(), request.id);
  bulk->query.ns = request.ns;
  core::Api& api = services.api;
  const auto moved =
      request.route->call == Call::retry_tasks ? api.retry_tasks(*bulk) : api.cancel_tasks(*bulk);
  return respond(request, moved, [](const core::BulkResult& result) {
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
    case Call::enqueue_tasks: return enqueue_many(services, request, std::move(answer));
    case Call::claim_tasks: return claim(services, std::move(request), std::move(answer));
    case Call::report_tasks: return report_many(services, request, std::move(answer));
    case Call::report_task: return report_one(services, std::move(request), std::move(answer));
    default: break;
  }
  services.blocking([&services, request = std::move(request), answer = std::move(answer)] {
    switch (request.route->call) {
      case Call::get_task: return answer(get_one(services, request));
      case Call::list_tasks: return answer(list(services, request));
      case Call::retry_tasks:
      case Call::cancel_tasks: return answer(move_many(services, request));
      default: return answer(move_one(services, request));
    }
  });
}

}  // namespace pawl::server
