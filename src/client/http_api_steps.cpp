// HttpApi's calls on steps of code runs.

#include <algorithm>

#include <fmt/format.h>

#include "client/decoded.hpp"
#include "client/http_api.hpp"
#include "wire/percent.hpp"
#include "wire/step.hpp"

namespace pawl::client {

using core::Result;

namespace {

std::string steps_path(const std::string& ns, const core::RunId& run) {
  return "/v1/" + ns + "/runs/" + to_string(run) + "/steps";
}

}  // namespace

Result<core::StepsWritten> HttpApi::write_steps(core::WriteSteps command) {
  if (const core::Status valid = core::check(command); !valid) return valid.problem();
  core::Writer out;
  wire::write_write_steps(out, command);
  HttpRequest request{.method = "POST", .path = steps_path(command.ns, command.run_id), .body = out.take()};
  request.repeatable = core::may_be_repeated(command);
  return decoded(call(command.ns, std::move(request)), wire::read_steps_written);
}

Result<std::vector<Result<core::StepsWritten>>> HttpApi::write_steps_of_many(core::WriteStepsOfMany command) {
  if (const core::Status valid = core::check(command); !valid) return valid.problem();
  core::Writer out;
  wire::write_steps_of_many(out, command);
  HttpRequest request{.method = "POST", .path = "/v1/" + command.ns + "/steps", .body = out.take()};
  request.repeatable = std::all_of(command.writes.begin(), command.writes.end(), core::may_be_repeated);
  return decoded(call(command.ns, std::move(request)), [](core::ObjectReader& in) {
    std::vector<Result<core::StepsWritten>> results;
    in.objects_leniently("results",
                         [&](core::ObjectReader& one) { results.push_back(wire::read_step_result(one)); });
    return results;
  });
}

Result<std::vector<core::StepAttempt>> HttpApi::list_steps(const core::RunRef& ref) {
  return decoded(call(ref.ns, {.path = steps_path(ref.ns, ref.id)}), [](core::ObjectReader& in) {
    std::vector<core::StepAttempt> steps;
    in.objects_leniently("items",
                         [&](core::ObjectReader& one) { steps.push_back(wire::read_step_attempt(one)); });
    return steps;
  });
}

Result<core::StepMemoPage> HttpApi::list_memo(const core::RunRef& ref, core::NodeKey from) {
  const std::string path =
      fmt::format("/v1/{}/runs/{}/memo?cursor={}", ref.ns, to_string(ref.id), core::cursor_of(from));
  return decoded(call(ref.ns, {.path = path}), wire::read_memo_page);
}

Result<core::StepMemo> HttpApi::get_step(const core::RunRef& ref, const std::string& step_id) {
  const std::string path = steps_path(ref.ns, ref.id) + "/" + wire::percent_encoded(step_id);
  return decoded(call(ref.ns, {.path = path}), wire::read_step_memo);
}

}  // namespace pawl::client
