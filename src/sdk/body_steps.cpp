// The steps of a workflow's body, and the checks whether the body may continue.

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "pawl/error.hpp"
#include "pawl/json.hpp"
#include "sdk/body.hpp"
#include "sdk/promise.hpp"

namespace pawl::detail {

namespace {

// Excludes names that could be mistaken for a step of a branch or for the n-th use of another name.
bool is_step_name(std::string_view name) {
  const auto hash = name.rfind('#');
  const bool is_counted = hash != std::string_view::npos && hash + 1 < name.size() &&
                          std::all_of(name.begin() + static_cast<std::ptrdiff_t>(hash) + 1, name.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
  return !name.empty() && name.find('/') == std::string_view::npos && !is_counted;
}

Failure bad_name(std::string_view name, std::string_view why) {
  return {"invalid_step_name", fmt::format("'{}': {}", name, why), false};
}

// Whether this worker no longer holds the body, or the body must not continue.
bool is_over(core::ProblemCode code) {
  return code == core::ProblemCode::stale_lease || code == core::ProblemCode::not_found ||
         code == core::ProblemCode::already_completed || code == core::ProblemCode::invalid_state ||
         code == core::ProblemCode::unauthorized || code == core::ProblemCode::forbidden;
}

}  // namespace

// --- what the code has reached ---

void Body::enter(Branch& branch, UndoPlace undo) {
  // First, because a step's function may run concurrently with the branch and must not touch it.
  if (const StepState* step = StepState::here(); step != nullptr && step->run_id() == run_id_)
    throw Failure{"nested_step",
                  fmt::format("the function of step '{}' must not use the workflow: give what it needs to a "
                              "step of its own",
                              step->step_id()),
                  false};
  if (branch.ending != Ending::none) {
    branch.is_swallowed = true;
    throw Unwind{};
  }
  ++branch.calls;
  if (undo == UndoPlace::at_once) undo_if_due(branch);
}

std::string Body::next_id(Branch& branch, std::string_view name) {
  if (!is_step_name(name)) {
    undo_if_due(branch);  // this call ends here
    throw bad_name(name, "a step's name is not empty, has no '/' and does not end in '#' and a number");
  }
  const auto used = branch.uses.try_emplace(std::string{name}, 0).first;
  const int use = ++used->second;
  return use == 1 ? fmt::format("{}{}", branch.prefix, name)
                  : fmt::format("{}{}#{}", branch.prefix, name, use);
}

std::vector<std::string> Body::item_ids(Branch& branch, std::string_view name, std::size_t count) {
  const std::string base = next_id(branch, name);
  std::vector<std::string> ids;
  ids.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    ids.push_back(fmt::format("{}[{}]", base, i));
    const std::string own = ids.back().substr(branch.prefix.size());
    if (branch.uses.emplace(own, 1).second) continue;
    undo_if_due(branch);
    throw bad_name(own, fmt::format("is the name of an item of the map '{}' and of a step before it", name));
  }
  return ids;
}

Issued Body::issue(Branch& branch, std::string_view name, core::StepKind kind, Order order) {
  return issue_id(branch, next_id(branch, name), kind, order);
}

void Body::come_to(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) static_cast<void>(memo_.consume(id));
}

Issued Body::issue_id(Branch& branch, std::string id, core::StepKind kind, Order order) {
  Issued issued{.id = std::move(id), .kind = kind};
  issued.begin = {.action = core::StepAction::begin, .step_id = issued.id, .kind = kind};
  issued.memo = memo_.consume(issued.id);
  if (issued.memo) {
    if (issued.memo->kind != kind)
      park_for(branch, fmt::format("expected step '{}' of kind {}, found kind {}", issued.id,
                                   core::to_string(issued.memo->kind), core::to_string(kind)));
    return issued;
  }
  if (order != Order::begun_soon) come_to_new(branch, issued, order);
  return issued;
}

void Body::come_to_new(Branch& branch, const Issued& issued, Order order) {
  const bool is_replay = static_cast<bool>(services_.went_beyond);
  const auto expected = memo_.first_expected(branch.prefix);
  const bool is_marker = issued.kind == core::StepKind::marker;
  // Before everything else: changed code must not undo, because it may not have registered all undos.
  if (expected && order == Order::in_line && !is_marker && !undo_at_)
    park_for(branch, fmt::format("expected step '{}', found '{}'", *expected, issued.id));
  // Steps behind a concurrent one may have stored results and undos, so the code continues up to them. The
  // concurrent step itself checks whether it may begin.
  if (!is_replay && order != Order::beside) check_stop(branch);
  if (is_marker) return;
  if (order == Order::in_line) check_is_new(branch, issued.id);
  if (is_replay) services_.went_beyond(issued.id);
}

// --- steps ---

template <typename Make>
core::Result<core::StepsWritten> Body::write_made(Branch& branch, const Make& make) {
  core::Duration wait = kFirstRetry;
  for (;;) {
    auto written = services_.connection.write_steps(make());
    if (written) {
      note_answer(*written);
      return written;
    }
    if (!may_try_again(branch, written.problem(), wait)) return written;
  }
}

std::string Body::execute(Branch& branch, const Issued& issued, const StepPolicy& policy,
                          const StepCall& call) {
  return repeat(branch, issued, [&](int number) {
    const Attempted attempted =
        run_attempt(branch, {.issued = issued, .policy = policy, .number = number}, call);
    if (attempted.outcome.kind == Outcome::Kind::unwound) throw Unwind{};
    // A step that fails because it was requested to stop does not use up an attempt.
    const bool has_failed = attempted.outcome.kind == Outcome::Kind::failed;
    if (has_failed && stop_token().stop_requested()) check_stop(branch);
    if (has_failed && is_to_be_canceled(branch)) return write_cancel(branch, issued);
    return write_outcome(branch, issued, policy.retry, attempted);
  });
}

std::string Body::repeat(Branch& branch, const Issued& issued,
                         const std::function<core::StepMemo(int)>& attempt) {
  std::optional<core::StepMemo> memo = issued.memo;
  for (;;) {
    if (memo && core::has_ended(memo->state)) {
      branch.note(*memo);
      if (memo->state == core::NodeState::completed) return recall(branch, std::move(*memo)).output.text;
      const core::TaskError error =
          memo->error.value_or(core::TaskError{.code = "cancelled", .message = "cancelled"});
      throw StepFailed{issued.id, error.code, error.message};
    }
    // A branch with its own steps is unwound instead, because it would continue with its next step.
    if (!branch.is_line && !branch.is_main && is_to_be_canceled(branch)) {
      memo = write_cancel(branch, issued);
      continue;
    }
    check_stop(branch);  // first: a branch that must end waits for nothing
    if (memo && memo->state == core::NodeState::pending && memo->due_at) {
      wait_until(branch, *memo->due_at);
      check_stop(branch);
    }
    check_is_new(branch, issued.id);
    begin_now(branch);
    const bool is_begun = memo && memo->state == core::NodeState::running;
    const int number = memo ? std::max(1, memo->attempt + (is_begun ? 0 : 1)) : 1;
    memo = attempt(number);
  }
}

core::StepMemo Body::recall(Branch& branch, core::StepMemo memo) {
  if (!memo_.is_dropped(memo.step_id) || !memo.output.empty()) return memo;
  core::Duration wait = kFirstRetry;
  for (;;) {
    auto step = services_.connection.calls().runs().get_step({.ns = services_.connection.ns(), .id = run_id_},
                                                             memo.step_id);
    if (step) return std::move(*step);
    if (!may_try_again(branch, step.problem(), wait)) throw failure_of(step.problem());
  }
}

// The engine cancels steps at the end of a run, so the workflow does not write them.
bool Body::is_to_be_canceled(const Branch& branch) {
  if (!branch.is_canceled() || services_.went_beyond || is_ending()) return false;
  const std::lock_guard lock{mutex_};
  return !is_winding_down_;
}

core::StepMemo Body::write_cancel(Branch& branch, const Issued& issued) {
  const auto written = write(
      branch, command_of({{.action = core::StepAction::cancel, .step_id = issued.id, .kind = issued.kind}}));
  if (!written) throw failure_of(written.problem());
  memo_.keep(written->steps.front().now);
  return written->steps.front().now;
}

core::StepMemo Body::write_outcome(Branch& branch, const Issued& issued, const core::RetryPolicy& retry,
                                   const Attempted& attempted) {
  const Outcome& outcome = attempted.outcome;
  std::vector<std::string> declared;
  auto written = write_made(branch, [&] {
    std::vector<core::StepWrite> steps(1);
    core::StepWrite& step = steps.front();
    step.step_id = issued.id;
    step.kind = issued.kind;
    step.retry = retry;
    step.took = attempted.took;
    if (outcome.kind == Outcome::Kind::completed) {
      step.output = {outcome.output};
    } else {
      step.action = core::StepAction::fail;
      step.error = error_to_keep(outcome);
      step.retry_after = outcome.retry_after;
      step.attempt = attempted.number;
    }
    core::WriteSteps command = command_of(std::move(steps));
    add_undos(command);
    if (command.undos) declared = *command.undos;
    return command;
  });
  if (written) {
    forget_declared(declared);
    memo_.keep(written->steps.front().now);
    return std::move(written->steps.front().now);
  }
  if (outcome.kind != Outcome::Kind::completed) throw failure_of(written.problem());
  // The store rejects the output, and each retry would be rejected too: the step has failed.
  return write_outcome(
      branch, issued, retry,
      {.outcome =
           failed_with({.code = "result_refused", .message = written.problem().detail, .retryable = false}),
       .number = attempted.number,
       .took = attempted.took});
}

std::string Body::keep_marker(Branch& branch, const std::string& id, std::string value) {
  const Issued issued = issue_id(branch, id, core::StepKind::marker);
  if (services_.went_beyond && !issued.memo) return value;  // a replayed history is not extended
  return execute(branch, issued, {}, [&](Step&) { return value; });
}

// The path of a run is decided once and stored for its later passes. A run that is ending does not store it.
bool Body::is_patched(Branch& branch, std::string_view name) {
  const std::string id = fmt::format("patched:{}", name);
  const bool is_new = !memo_.first_expected(branch.prefix);
  if (!is_new && is_ending() && !memo_.find(id)) return false;
  return keep_marker(branch, id, is_new ? "true" : "false") == "true";
}

// No step can have the marker's name. A promise without a marker began before secrets were introduced.
std::string Body::promise_secret(Branch& branch, const Issued& issued) {
  const std::string marker = issued.id + "#0";
  const bool is_drawn = memo_.find(marker).has_value();
  if (issued.memo && !is_drawn) return issued.id;
  if (!is_drawn) come_to_new(branch, issued, Order::in_line);
  return decode<std::string>(keep_marker(branch, marker, encode_argument(draw_promise_secret())));
}

void Body::set_status(Branch& branch, std::string status) {
  const bool is_told = services_.went_beyond || memo_.first_expected(branch.prefix);
  if (is_told || is_ending()) return;  // does not stop here: more undos may be registered behind it
  {
    const std::lock_guard lock{mutex_};
    if (status_ == status) return;
    status_ = status;
  }
  check_stop(branch);
  core::WriteSteps command = command_of({});
  command.custom_status = std::move(status);
  const auto written = write(branch, command);
  if (written) return;
  const Failure refused = failure_of(written.problem());
  throw Failure{refused.code(), fmt::format("set_status: {}", refused.message()), false};
}

void Body::continue_as_new(Branch& branch, std::string input) {
  if (!branch.is_main)
    throw Failure{"invalid_state",
                  "continue_as_new: only the workflow's own function may call it, not a branch", false};
  if (const auto expected = memo_.first_expected(branch.prefix))
    park_for(branch, fmt::format("expected step '{}', found continue_as_new", *expected));
  check_stop(branch);
  {
    const std::lock_guard lock{mutex_};
    if (!undos_.empty())
      throw Failure{
          "undo_registered",
          fmt::format("continue_as_new: the undo '{}' is registered, and the next run could not run "
                      "it; continue before the first undo",
                      undos_.front().id),
          false};
    unsent_.clear();
    is_winding_down_ = true;  // branches start no new step
  }
  next_input_ = std::move(input);
  unwind(branch, Ending::continued);
}

// --- whether to continue ---

std::optional<core::StopReason> Body::stop_reason(worker::LeaseState lease) {
  const std::lock_guard lock{mutex_};
  if (!stop_ && lease == worker::LeaseState::cancelled) stop_ = core::StopReason::cancelled;
  return stop_;
}

bool Body::is_paused() {
  const std::lock_guard lock{mutex_};
  return is_paused_;
}

void Body::check_stop(Branch& branch) {
  if (services_.went_beyond) unwind(branch, Ending::released);
  const worker::LeaseState state = services_.lease.state();
  if (state == worker::LeaseState::lost) unwind(branch, Ending::lost);
  const bool is_leaving = state == worker::LeaseState::abandoned || services_.is_draining() || is_paused();
  if (branch.is_main && is_undoing_) {
    if (is_leaving) unwind(branch, Ending::released);
    return;
  }
  if (branch.is_main && (undo_at_ || stop_reason(state))) undo_here(branch);
  const auto is_winding_down = [&] {
    const std::lock_guard lock{mutex_};
    return is_winding_down_;
  };
  if (!branch.is_main && (is_winding_down() || branch.is_abandoned() || stop_reason(state)))
    unwind(branch, Ending::stopped);
  if (is_leaving) unwind(branch, Ending::released);
}

// --- writing ---

Failure Body::failure_of(const core::Problem& problem) {
  return {std::string{core::kind_of(problem.code).name}, problem.detail, false};
}

core::WriteSteps Body::command_of(std::vector<core::StepWrite> steps) const {
  return {.ns = services_.connection.ns(),
          .run_id = run_id_,
          .body = claimed_.task.id,
          .fence = claimed_.task.lease->fence,
          .steps = std::move(steps)};
}

// The write of a step also declares the undos that were registered before it.
void Body::add_undos(core::WriteSteps& command) {
  const std::lock_guard lock{mutex_};
  if (!undeclared_.empty()) command.undos = undeclared_;
  if (is_undoing_ && failure_) command.failure = error_to_keep(*failure_);
}

core::Result<core::StepsWritten> Body::write(Branch& branch, const core::WriteSteps& command) {
  return write_made(branch, [&command] { return command; });
}

bool Body::may_try_again(Branch& branch, const core::Problem& problem, core::Duration& wait) {
  if (is_over(problem.code)) {
    if (problem.code != core::ProblemCode::stale_lease)
      services_.reporter.say(
          fmt::format("run {}: a step was refused: {}", to_string(run_id_), problem.detail));
    unwind(branch, Ending::lost);
  }
  if (!is_passing(problem.code)) return false;
  if (services_.lease.state() == worker::LeaseState::lost) unwind(branch, Ending::lost);
  services_.lease.wait(wait);
  wait = std::min<core::Duration>(wait * 2, std::chrono::seconds{2});
  return true;
}

void Body::note_answer(const core::StepsWritten& written) {
  const std::lock_guard lock{mutex_};
  store_time_ = written.now;
  store_time_at_ = services_.connection.clock().monotonic();
  if (written.stop) stop_ = written.stop;
  is_paused_ = written.is_paused;
}

core::TimePoint Body::store_time() {
  const std::lock_guard lock{mutex_};
  return store_time_ + (services_.connection.clock().monotonic() - store_time_at_);
}

}  // namespace pawl::detail
