// The calls on steps of code runs.

#include <algorithm>

#include "client/decoded.hpp"
#include "client/http_api.hpp"
#include "wire/step.hpp"

namespace pawl::client {

using core::Result;

namespace {

std::string steps_path(const std::string& ns, const core::RunId& run) {
  return "/v1/" + ns + "/runs/" + to_string(run) + "/steps";
}

bool is_wait(core::StepKind kind) {
  return kind == core::StepKind::sleep || kind == core::StepKind::signal || kind == core::StepKind::child ||
         kind == core::StepKind::task;
}

// A step that is completed again is answered like the first time, a wait that is begun again goes on, and a
// body that was suspended is told that it has lost its lease: it is over either way.
bool does_no_harm_twice(const core::WriteSteps& command) {
  const bool are_harmless =
      std::all_of(command.steps.begin(), command.steps.end(), [](const core::StepWrite& step) {
        if (step.action == core::StepAction::begin) return is_wait(step.kind);
        return step.action == core::StepAction::complete && !step.must_be_new;
      });
  return are_harmless && !command.park && !command.custom_status;
}

}  // namespace

Result<core::StepsWritten> HttpApi::write_steps(core::WriteSteps command) {
  if (const core::Status valid = core::check(command); !valid) return valid.problem();
  core::Writer out;
  wire::write_write_steps(out, command);
  HttpRequest request{.method = "POST", .path = steps_path(command.ns, command.run_id), .body = out.take()};
  request.repeatable = does_no_harm_twice(command);
  return decoded(call(command.ns, std::move(request)), wire::read_steps_written);
}

Result<std::vector<core::StepAttempt>> HttpApi::list_steps(const core::RunRef& ref) {
  return decoded(call(ref.ns, {.path = steps_path(ref.ns, ref.id)}), [](core::ObjectReader& in) {
    std::vector<core::StepAttempt> steps;
    in.objects_leniently("items",
                         [&](core::ObjectReader& one) { steps.push_back(wire::read_step_attempt(one)); });
    return steps;
  });
}

}  // namespace pawl::client
