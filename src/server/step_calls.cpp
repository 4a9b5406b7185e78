#include "server/step_calls.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

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

// The command with the parts that the body gives.
Result<core::WriteSteps> with_step(const Request& request, core::WriteSteps command,
                                   core::StepAction action) {
  auto step = read_body(request, [&](ObjectReader& in) { return wire::read_step(in, action); });
  if (!step) return step.problem();
  command.fence = step->fence;
  step->write.step_id = request.parameters.at(2);
  command.steps.push_back(std::move(step->write));
  return command;
}

Result<core::WriteSteps> with_suspend(const Request& request, core::WriteSteps command) {
  auto asked = read_body(request, wire::read_suspend);
  if (!asked) return asked.problem();
  command.fence = asked->fence;
  command.suspend = std::move(asked->suspend);
  command.undos = std::move(asked->undos);
  return command;
}

Result<core::WriteSteps> with_steps(const Request& request, const core::WriteSteps& command) {
  auto asked = read_body(request, wire::read_write_steps);
  if (!asked) return asked;
  asked->ns = command.ns;
  asked->run_id = command.run_id;
  asked->by = command.by;
  asked->bound_to = command.bound_to;
  return asked;
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

std::optional<Response> admit_steps(Services& services, Submission<core::WriteSteps>& made) {
  const core::Status admitted = services.local.admission().admit(made.command);
  return admitted ? std::nullopt : std::optional{refuse(made.request, admitted.problem())};
}

// Step writes are most of the load of a server with workflows, so they hold no thread.
void submit_steps(Services& services, Request request, Result<core::WriteSteps> command, Respond respond,
                  Answer answer) {
  if (!command) return answer(refuse(request, command.problem()));
  submit<core::WriteSteps>(services, {.request = std::move(request),
                                      .command = std::move(*command),
                                      .answer = std::move(answer),
                                      .admit = admit_steps,
                                      .respond = std::move(respond)});
}

template <core::StepAction kAction>
void write_step(Services& services, Request request, Answer answer) {
  auto command = command_for(request);
  if (command) command = with_step(request, std::move(*command), kAction);
  const core::RunId run = command ? command->run_id : core::RunId{};
  const auto respond = [run](const core::Answer& result) { return one_written_response(run, result); };
  submit_steps(services, std::move(request), std::move(command), respond, std::move(answer));
}

void suspend(Services& services, Request request, Answer answer) {
  auto command = command_for(request);
  if (command) command = with_suspend(request, std::move(*command));
  submit_steps(services, std::move(request), std::move(command), written_response, std::move(answer));
}

void write_steps(Services& services, Request request, Answer answer) {
  auto command = command_for(request);
  if (command) command = with_steps(request, *command);
  submit_steps(services, std::move(request), std::move(command), written_response, std::move(answer));
}

std::string results_text(const std::vector<core::RunId>& runs,
                         const std::vector<Result<core::StepsWritten>>& results,
                         std::string_view request_id) {
  Writer out;
  out.begin_object().key("results").begin_array();
  for (std::size_t i = 0; i < runs.size(); ++i) wire::write_step_result(out, runs[i], results[i], request_id);
  return out.end_array().end_object().take();
}

// Replies for the refused writes too, in the order of the request.
std::optional<Response> admit_steps_of_many(Services& services, Submission<core::WriteStepsOfMany>& made) {
  std::vector<core::RunId> runs;
  for (const core::WriteSteps& one : made.command.writes) runs.push_back(one.run_id);
  std::vector<core::Status> admitted = services.local.admission().admit(made.command);
  const std::string& id = made.request.id;
  if (made.command.writes.empty())
    return json_response(200, results_text(runs, core::with_refused(admitted, {}), id));
  made.respond = [runs = std::move(runs), admitted = std::move(admitted), id](const core::Answer& result) {
    auto results = std::get<std::vector<Result<core::StepsWritten>>>(result);
    return std::optional{
        json_response(200, results_text(runs, core::with_refused(admitted, std::move(results)), id))};
  };
  return std::nullopt;
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
  submit<core::WriteStepsOfMany>(services, {.request = std::move(request),
                                            .command = std::move(*command),
                                            .answer = std::move(answer),
                                            .admit = admit_steps_of_many});
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

}  // namespace

std::span<const Handler> step_calls() {
  static constexpr std::array kHandlers{
      Handler{
          .call = Call::begin_step, .run = write_step<core::StepAction::begin>, .runs_on = RunsOn::network},
      Handler{.call = Call::complete_step,
              .run = write_step<core::StepAction::complete>,
              .runs_on = RunsOn::network},
      Handler{.call = Call::fail_step, .run = write_step<core::StepAction::fail>, .runs_on = RunsOn::network},
      Handler{.call = Call::suspend_run, .run = suspend, .runs_on = RunsOn::network},
      Handler{.call = Call::write_steps, .run = write_steps, .runs_on = RunsOn::network},
      Handler{.call = Call::write_steps_of_many, .run = write_steps_of_many, .runs_on = RunsOn::network},
      Handler{.call = Call::list_steps, .run = replying<list_steps>},
      Handler{.call = Call::list_memo, .run = replying<list_memo>},
      Handler{.call = Call::get_step, .run = replying<get_step>},
  };
  return kHandlers;
}

}  // namespace pawl::server
