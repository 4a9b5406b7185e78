// One attempt at a step: its stop token, its timeout, and how an attempt that does not stop is given up.

#include <functional>
#include <utility>

#include <fmt/format.h>

#include "sdk/body.hpp"
#include "sdk/linked_stop.hpp"
#include "sdk/step_state.hpp"

namespace pawl::detail {

namespace {

constexpr int kGiveUpTries = 5;

Outcome call_step(const StepState& state, const Body::StepCall& call) {
  const StepHere here{state};
  Step step{state};
  return outcome_of([&] { return call(step); });
}

}  // namespace

core::TaskError Body::timeout_error(core::Duration timeout) {
  return {.code = "timeout",
          .message =
              fmt::format("the attempt ran longer than its timeout of {}", core::format_duration(timeout))};
}

StepState Body::state_of(const Issued& issued, int number, std::stop_token stop) const {
  return {{.run_id = run_id_, .step_id = issued.id, .number = number}, std::move(stop)};
}

std::stop_token Body::stop_token_of(const Branch& branch) const {
  return branch.stop.stop_possible() ? branch.stop : stop_token();
}

Body::Attempted Body::run_attempt(Branch& branch, const StepAttempt& of, const StepCall& call) {
  AttemptWatch* watch = services_.attempts;
  if (watch == nullptr || of.issued.kind == core::StepKind::marker)
    return {.outcome = call_step(state_of(of.issued, of.number, stop_token_of(branch)), call),
            .number = of.number};
  AttemptWatch::Attempt attempt;
  std::optional<LinkedStop> stop;
  if (of.policy.timeout) {
    stop.emplace(stop_token_of(branch));
    attempt.stop = stop->source();
    attempt.timeout_at = services_.connection.clock().monotonic() + *of.policy.timeout;
    attempt.give_up = [&] { return giving_up(of); };
  }
  const bool is_shown = services_.connection.shows_started_steps();
  core::Clock& clock = services_.connection.clock();
  const auto begin_step = [&] { return begun(of, clock.monotonic() - attempt.started_at); };
  if (is_shown) attempt.begin = std::cref(begin_step);  // a reference: no allocation for each step
  watch->begin(attempt);
  Outcome outcome =
      call_step(state_of(of.issued, of.number, stop ? stop->token() : stop_token_of(branch)), call);
  const AttemptWatch::End end = watch->end(attempt);
  if (end == AttemptWatch::End::given_up) unwind(branch, Ending::lost);
  if (end == AttemptWatch::End::timed_out && outcome.kind != Outcome::Kind::unwound)
    outcome = failed_with(timeout_error(*of.policy.timeout));
  return {.outcome = std::move(outcome),
          .number = of.number,
          .took = is_shown ? clock.monotonic() - attempt.started_at : core::Duration{0}};
}

core::WriteSteps Body::begun(const StepAttempt& of, core::Duration took) const {
  return command_of({{.action = core::StepAction::begin,
                      .step_id = of.issued.id,
                      .kind = of.issued.kind,
                      .retry = of.policy.retry,
                      .took = took,
                      .attempt = of.number}});
}

// Writes the attempt as failed and releases the body. The next claim runs the workflow's function from its
// beginning, up to this step. The function that hangs here keeps its stack, which the step may refer to; its
// later writes are rejected, because its lease has ended.
std::function<void()> Body::giving_up(const StepAttempt& of) const {
  core::WriteSteps command = command_of({{.action = core::StepAction::fail,
                                          .step_id = of.issued.id,
                                          .kind = of.issued.kind,
                                          .retry = of.policy.retry,
                                          .error = timeout_error(*of.policy.timeout),
                                          .attempt = of.number}});
  command.suspend =
      core::SuspendBody{.until = claimed_.task.lease->acquired_at, .always = true, .may_undo = true};
  std::string what = fmt::format("run {}: step '{}'", to_string(run_id_), of.issued.id);
  return [&connection = services_.connection, command = std::move(command), hung = services_.on_hung,
          what = std::move(what)] {
    for (int tries = 0; tries < kGiveUpTries; ++tries) {
      const auto written = connection.write_steps(command);
      if (written || !is_passing(written.problem().code)) break;
    }
    hung(what);  // also if nothing was written: then the lease expires
  };
}

}  // namespace pawl::detail
