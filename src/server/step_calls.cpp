// Steps of code runs over HTTP.

#include <utility>

#include <fmt/format.h>

#include "server/calls.hpp"
#include "server/respond.hpp"
#include "server/slice.hpp"
#include "server/submit.hpp"
#include "wire/step.hpp"

namespace pawl::server {

using core::Result;
using wire::Call;
using wire::ObjectReader;
using wire::Writer;

namespace {

Result<core::WriteSteps> command_for(const Request& request) {
  const auto id = core::parse_uuid(request.parameters.at(1));
  if (!id) return core::invalid_field("id", "must be a UUID");
  return core::WriteSteps{
      .ns = request.ns, .run_id = core::RunId{*id}, .by = request.actor, .bound_to = request.queues};
}

core::StepAction step_action_of(Call call) {
  if (call == Call::begin_step) return core::StepAction::begin;
  return call == Call::complete_step ? core::StepAction::complete : core::StepAction::fail;
}

Result<core::WriteSteps> command_of(const Request& request) {
  const Call call = request.route->call;
  auto command = command_for(request);
  if (!command) return command;
  if (call == Call::write_steps) {
    auto asked = read_body(request, wire::read_write_steps);
    if (!asked) return asked;
    asked->ns = command->ns;
    asked->run_id = command->run_id;
    asked->by = command->by;
    asked->bound_to = command->bound_to;
    return asked;
  }
  if (call == Call::suspend_run) {
    auto asked = read_body(request, wire::read_suspend);
    if (!asked) return asked.problem();
    command->fence = asked->fence;
    command->suspend = std::move(asked->suspend);
    command->undos = std::move(asked->undos);
    return command;
  }
  auto step = read_body(request, [&](ObjectReader& in) { return wire::read_step(in, step_action_of(call)); });
  if (!step) return step.problem();
  command->fence = step->fence;
  step->write.step_id = request.parameters.at(2);
  command->steps.push_back(std::move(step->write));
  return command;
}

std::optional<Response> written_response(const core::Answer& result) {
  Writer out;
  wire::write_steps_written(out, std::get<core::StepsWritten>(result));
  return json_response(200, out.take());
}

std::optional<Response> one_written_response(const core::RunId& run, const core::Answer& result) {
  Writer out;
  wire::write_one_step_written(out, run, std::get<core::StepsWritten>(result));
  return json_response(200, out.take());
}

// Step writes are most of the load of a server with workflows, so they hold no thread.
void write_steps(Services& services, Request request, Answer answer) {
  const Call call = request.route->call;
  auto command = command_of(request);
  if (!command) return answer(refuse(request, command.problem()));
  at_gates(
      services, std::move(*command),
      [&services, call, request = std::move(request), answer = std::move(answer)](core::WriteSteps gated) {
        const core::Status admitted = services.local.admission().admit(gated);
        if (!admitted) return answer(refuse(request, admitted.problem()));
        const bool is_one = call != Call::write_steps && call != Call::suspend_run;
        const auto shown = [is_one, run = gated.run_id](const core::Answer& result) {
          return is_one ? one_written_response(run, result) : written_response(result);
        };
        submit(services, request, std::move(gated), shown, answer);
      });
}

std::string results_text(const std::vector<core::RunId>& runs,
                         const std::vector<Result<core::StepsWritten>>& results,
                         std::string_view request_id) {
  Writer out;
  out.begin_object().key("results").begin_array();
  for (std::size_t i = 0; i < runs.size(); ++i) wire::write_step_result(out, runs[i], results[i], request_id);
  return out.end_array().end_object().take();
}

void write_steps_of_many(Services& services, Request request, Answer answer) {
  auto command = read_body(request, wire::read_steps_of_many);
  if (!command) return answer(refuse(request, command.problem()));
  command->ns = request.ns;
  for (core::WriteSteps& one : command->writes) {
    one.ns = request.ns;
    one.by = request.actor;
    one.bound_to = request.queues;
  }
  if (const core::Status valid = core::check(*command); !valid)
    return answer(refuse(request, valid.problem()));
  at_gates(
      services, std::move(*command),
      [&services, request = std::move(request), answer = std::move(answer)](core::WriteStepsOfMany gated) {
        std::vector<core::RunId> runs;
        for (const core::WriteSteps& one : gated.writes) runs.push_back(one.run_id);
        const std::vector<core::Status> admitted = services.local.admission().admit(gated);
        if (gated.writes.empty())
          return answer(json_response(200, results_text(runs, core::with_refused(admitted, {}), request.id)));
        const auto shown = [runs = std::move(runs), admitted, id = request.id](const core::Answer& result) {
          auto results = std::get<std::vector<Result<core::StepsWritten>>>(result);
          return std::optional{
              json_response(200, results_text(runs, core::with_refused(admitted, std::move(results)), id))};
        };
        submit(services, request, std::move(gated), shown, answer);
      });
}

Response list_steps(Services& services, const Request& request) {
  const auto command = command_for(request);
  if (!command) return refuse(request, command.problem());
  const auto slice = read_query(request, read_slice);
  if (!slice) return refuse(request, slice.problem());
  const auto steps = services.runs.list_steps({.ns = request.ns, .id = command->run_id});
  return respond_page(request, page_of(steps, *slice), wire::write_step_attempt);
}

Response list_memo(Services& services, const Request& request) {
  const auto command = command_for(request);
  if (!command) return refuse(request, command.problem());
  const auto from = read_query(request, [](ObjectReader& in) {
    const auto cursor = in.optional_text("cursor");
    const auto key = cursor ? core::key_from_cursor(*cursor) : core::NodeKey{};
    if (!key) in.mistake("cursor", fmt::format("'{}' is not a valid cursor", *cursor));
    return key.value_or(core::NodeKey{});
  });
  if (!from) return refuse(request, from.problem());
  const auto page = services.runs.list_memo({.ns = request.ns, .id = command->run_id}, *from);
  if (!page) return refuse(request, page.problem());
  Writer out;
  wire::write_memo_page(out, *page);
  return json_response(200, out.take());
}

Response get_step(Services& services, const Request& request) {
  const auto command = command_for(request);
  if (!command) return refuse(request, command.problem());
  const auto step =
      services.runs.get_step({.ns = request.ns, .id = command->run_id}, request.parameters.at(2));
  if (!step) return refuse(request, step.problem());
  Writer out;
  wire::write_step_memo(out, *step);
  return json_response(200, out.take());
}

Response read_steps(Services& services, const Request& request) {
  switch (request.route->call) {
    case Call::list_memo: return list_memo(services, request);
    case Call::get_step: return get_step(services, request);
    default: return list_steps(services, request);
  }
}

}  // namespace

void call_step(Services& services, Request request, Answer answer) {
  if (request.route->call == Call::write_steps_of_many)
    return write_steps_of_many(services, std::move(request), std::move(answer));
  if (request.route->method != wire::Method::get)
    return write_steps(services, std::move(request), std::move(answer));
  services.blocking([&services, request = std::move(request), answer = std::move(answer)] {
    answer(read_steps(services, request));
  });
}

}  // namespace pawl::server
