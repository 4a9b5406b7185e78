// The calls on steps of code runs.

#include <utility>

#include "server/calls.hpp"
#include "server/respond.hpp"
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
  return core::WriteSteps{.ns = request.ns, .run_id = core::RunId{*id}, .by = request.actor};
}

core::StepAction step_action_of(Call call) {
  if (call == Call::begin_step) return core::StepAction::begin;
  return call == Call::complete_step ? core::StepAction::complete : core::StepAction::fail;
}

Response write_one(Services& services, const Request& request) {
  auto command = command_for(request);
  if (!command) return refuse(request, command.problem());
  auto step = read_body(
      request, [&](ObjectReader& in) { return wire::read_step(in, step_action_of(request.route->call)); });
  if (!step) return refuse(request, step.problem());
  command->fence = step->fence;
  step->write.step_id = request.parameters.at(2);
  command->steps.push_back(std::move(step->write));
  return respond(request, services.runs.write_steps(std::move(*command)),
                 [](Writer& out, const core::StepsWritten& written) {
                   wire::write_step_answer(out, written.steps.front());
                 });
}

Response write_all(Services& services, const Request& request) {
  auto command = command_for(request);
  if (!command) return refuse(request, command.problem());
  auto asked = read_body(request, wire::read_write_steps);
  if (!asked) return refuse(request, asked.problem());
  asked->ns = command->ns;
  asked->run_id = command->run_id;
  asked->by = command->by;
  return respond(request, services.runs.write_steps(std::move(*asked)), wire::write_steps_written);
}

Response suspend(Services& services, const Request& request) {
  auto command = command_for(request);
  if (!command) return refuse(request, command.problem());
  auto asked = read_body(request, wire::read_suspend);
  if (!asked) return refuse(request, asked.problem());
  command->fence = asked->fence;
  command->suspend = std::move(asked->suspend);
  return respond(request, services.runs.write_steps(std::move(*command)), wire::write_steps_written);
}

Response list_steps(Services& services, const Request& request) {
  const auto command = command_for(request);
  if (!command) return refuse(request, command.problem());
  const auto steps = services.runs.list_steps({.ns = request.ns, .id = command->run_id});
  return respond(request, steps, [](Writer& out, const std::vector<core::StepAttempt>& attempts) {
    out.begin_object().key("items").begin_array();
    for (const core::StepAttempt& attempt : attempts) wire::write_step_attempt(out, attempt);
    out.end_array().key("next_cursor").null().end_object();
  });
}

}  // namespace

void call_step(Services& services, Request request, Answer answer) {
  services.blocking([&services, request = std::move(request), answer = std::move(answer)] {
    switch (request.route->call) {
      case Call::list_steps: return answer(list_steps(services, request));
      case Call::write_steps: return answer(write_all(services, request));
      case Call::suspend_run: return answer(suspend(services, request));
      default: return answer(write_one(services, request));
    }
  });
}

}  // namespace pawl::server
