// One attempt at a step: its stop token, its timeout, and what becomes of one that does not stop.

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

Outcome Body::run_attempt(Branch& branch, const StepAttempt& of, const StepCall& call) {
  AttemptWatch* watch = services_.attempts;
  if (watch == nullptr || of.issued.kind == core::StepKind::marker)
    return call_step(state_of(of.issued, of.number, stop_token_of(branch)), call);
  AttemptWatch::Attempt attempt;
  std::optional<LinkedStop> stop;
  if (of.policy.timeout) {
    stop.emplace(stop_token_of(branch));
    attempt.stop = stop->source();
    attempt.timeout_at = services_.connection.clock().monotonic() + *of.policy.timeout;
    attempt.give_up = [&] { return giving_up(of); };
  }
  if (services_.connection.shows_started_steps()) attempt.begin = [&] { return begun(of); };
  watch->begin(attempt);
  Outcome outcome =
      call_step(state_of(of.issued, of.number, stop ? stop->token() : stop_token_of(branch)), call);
  const AttemptWatch::End end = watch->end(attempt);
  if (end == AttemptWatch::End::given_up) unwind(branch, Ending::lost);
  if (end == AttemptWatch::End::timed_out && outcome.kind != Outcome::Kind::unwound)
    return failed_with(timeout_error(*of.policy.timeout));
  return outcome;
}

core::WriteSteps Body::begun(const StepAttempt& of) const {
  return command_of({{.action = core::StepAction::begin,
                      .step_id = of.issued.id,
                      .kind = of.issued.kind,
                      .retry = of.policy.retry,
                      .attempt = of.number}});
}

// The attempt has failed, and the body is given back: whoever claims it runs the workflow's function from its
// beginning, up to this step. The function that hangs here keeps its stack, which the step may refer to; what
// it does when it goes on is refused, since its lease has ended.
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
    hung(what);  // also where nothing was written: then the lease expires
  };
}

}  // namespace pawl::detail
