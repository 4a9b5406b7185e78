// The steps of a workflow's body, and what it waits for.

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "pawl/error.hpp"
#include "sdk/body.hpp"

namespace pawl::detail {

namespace {

constexpr core::Duration kLeaseLook = std::chrono::milliseconds{200};
constexpr core::Duration kLookSoon = std::chrono::milliseconds{5};
constexpr int kLooksMax = 100;

// So that no name can be taken for a step of a branch, or for the second use of another name.
void check_step_name(std::string_view name) {
  const auto hash = name.rfind('#');
  const bool is_counted = hash != std::string_view::npos && hash + 1 < name.size() &&
                          std::all_of(name.begin() + static_cast<std::ptrdiff_t>(hash) + 1, name.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
  if (name.empty() || name.find('/') != std::string_view::npos || is_counted)
    throw Failure{
        "invalid_step_name",
        fmt::format("'{}': a step's name is not empty, has no '/' and does not end in '#' and a number",
                    name),
        false};
}

Failure failure_of(const core::Problem& problem) {
  return {std::string{core::kind_of(problem.code).name}, problem.detail, false};
}

// The body is not ours any more, or not to go on.
bool is_over(core::ProblemCode code) {
  return code == core::ProblemCode::stale_lease || code == core::ProblemCode::not_found ||
         code == core::ProblemCode::already_completed || code == core::ProblemCode::invalid_state ||
         code == core::ProblemCode::unauthorized || code == core::ProblemCode::forbidden;
}

}  // namespace

// --- what the code has come to ---

void Body::enter(Branch& branch) {
  if (branch.ending != Ending::none) {
    branch.is_swallowed = true;
    throw Unwind{};
  }
  if (branch.running_key)
    throw Failure{"nested_step",
                  "a step's function must not use the workflow: give what it needs to a step of its own",
                  false};
  ++branch.calls;
}

std::string Body::next_id(Branch& branch, std::string_view name) {
  check_step_name(name);
  const auto used = branch.uses.try_emplace(std::string{name}, 0).first;
  const int use = ++used->second;
  return use == 1 ? fmt::format("{}{}", branch.prefix, name)
                  : fmt::format("{}{}#{}", branch.prefix, name, use);
}

Issued Body::issue(Branch& branch, std::string_view name, core::StepKind kind, Order order) {
  undo_if_due(branch);
  return issue_id(branch, next_id(branch, name), kind, order);
}

void Body::come_to(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) static_cast<void>(memo_.consume(id));
}

Issued Body::issue_id(Branch& branch, std::string id, core::StepKind kind, Order order) {
  Issued issued{.id = std::move(id), .kind = kind};
  issued.begin = {.action = core::StepAction::begin, .step_id = issued.id, .kind = kind};
  issued.memo = memo_.consume(issued.id);
  const auto park_for = [&](std::string why) {
    {
      const std::lock_guard lock{mutex_};
      parked_because_ = std::move(why);
    }
    unwind(branch, Ending::parked);
  };
  if (issued.memo) {
    if (issued.memo->kind != kind)
      park_for(fmt::format("expected step '{}' of kind {}, found kind {}", issued.id,
                           core::to_string(issued.memo->kind), core::to_string(kind)));
    return issued;
  }
  const bool is_replay = static_cast<bool>(services_.went_beyond);
  if (!is_replay) check_stop(branch);
  if (kind == core::StepKind::marker) return issued;
  if (const auto expected = memo_.first_expected(branch.prefix); expected && order == Order::in_line)
    park_for(fmt::format("expected step '{}', found '{}'", *expected, issued.id));
  if (is_replay) services_.went_beyond(issued.id);
  return issued;
}

// --- steps ---

std::string Body::execute(Branch& branch, const Issued& issued, const core::RetryPolicy& retry,
                          const Call& call) {
  return repeat(branch, issued, [&] {
    const Outcome outcome = outcome_of(call);
    branch.running_key.reset();
    if (outcome.kind == Outcome::Kind::unwound) throw Unwind{};
    return write_outcome(branch, issued, retry, outcome);
  });
}

std::string Body::repeat(Branch& branch, const Issued& issued,
                         const std::function<core::StepMemo()>& attempt) {
  std::optional<core::StepMemo> memo = issued.memo;
  for (;;) {
    if (memo && core::has_ended(memo->state)) {
      branch.note(*memo);
      if (memo->state == core::NodeState::completed) return memo->output.text;
      const core::TaskError error =
          memo->error.value_or(core::TaskError{.code = "cancelled", .message = "cancelled"});
      throw StepFailed{issued.id, error.code, error.message};
    }
    if (memo && memo->state == core::NodeState::pending && memo->due_at) wait_until(branch, *memo->due_at);
    check_stop(branch);
    const bool is_begun = memo && memo->state == core::NodeState::running;
    const int number = memo ? std::max(1, memo->attempt + (is_begun ? 0 : 1)) : 1;
    branch.running_key = core::execution_key(run_id_, issued.id, number);
    memo = attempt();
  }
}

core::StepMemo Body::write_outcome(Branch& branch, const Issued& issued, const core::RetryPolicy& retry,
                                   const Outcome& outcome) {
  core::StepWrite step{.step_id = issued.id, .kind = issued.kind, .retry = retry};
  if (outcome.kind == Outcome::Kind::completed) {
    step.output = {outcome.output};
  } else {
    step.action = core::StepAction::fail;
    step.error = error_to_keep(outcome);
    step.retry_after = outcome.retry_after;
  }
  begin_now(branch);
  std::vector<core::StepWrite> steps;
  steps.push_back(std::move(step));
  auto written = write(branch, command_of(std::move(steps)));
  if (written) {
    memo_.keep(written->steps.front().now);
    return std::move(written->steps.front().now);
  }
  if (outcome.kind != Outcome::Kind::completed) throw failure_of(written.problem());
  // What it gave cannot be kept: it has failed, and will each time.
  return write_outcome(
      branch, issued, retry,
      failed_with({.code = "result_refused", .message = written.problem().detail, .retryable = false}));
}

std::string Body::keep_marker(Branch& branch, const std::string& id, std::string value) {
  const Issued issued = issue_id(branch, id, core::StepKind::marker);
  if (services_.went_beyond && !issued.memo) return value;  // a history is not added to
  return execute(branch, issued, {}, [&] { return value; });
}

void Body::set_status(Branch& branch, std::string status) {
  const bool is_told = services_.went_beyond || memo_.first_expected(branch.prefix);
  if (is_told) return;
  {
    const std::lock_guard lock{mutex_};
    if (status_ == status) return;
    status_ = status;
  }
  check_stop(branch);
  core::WriteSteps command = command_of({});
  command.custom_status = std::move(status);
  const auto written = write(branch, command);
  if (!written) throw failure_of(written.problem());
}

// --- what ends by itself ---

void Body::begin_soon(Branch& /*branch*/, const Issued& issued) {
  if (issued.memo) return;
  const std::lock_guard lock{mutex_};
  unsent_.push_back(issued.begin);
}

void Body::begin_now(Branch& branch) {
  std::vector<core::StepWrite> steps;
  {
    const std::lock_guard lock{mutex_};
    steps = std::exchange(unsent_, {});
  }
  if (steps.empty()) return;
  const auto written = write(branch, command_of(std::move(steps)));
  if (!written) throw failure_of(written.problem());
  for (const core::StepAnswer& answer : written->steps) memo_.keep(answer.now);
}

void Body::look_again(Branch& branch, const std::vector<Issued>& waiting) {
  std::vector<core::StepWrite> steps;
  for (const Issued& issued : waiting) {
    const auto memo = memo_.find(issued.id);
    if (!memo || (!core::has_ended(memo->state) && memo_.is_old(issued.id))) steps.push_back(issued.begin);
  }
  if (steps.empty()) return;
  const auto written = write(branch, command_of(std::move(steps)));
  if (!written) throw failure_of(written.problem());
  for (const core::StepAnswer& answer : written->steps) memo_.keep(answer.now);
}

core::StepMemo Body::settle(Branch& branch, const Issued& issued) {
  begin_now(branch);
  for (int looks = 0;; ++looks) {
    look_again(branch, {issued});
    const core::StepMemo memo = memo_.find(issued.id).value_or(core::StepMemo{});
    if (core::has_ended(memo.state)) {
      branch.note(memo);
      return memo;
    }
    check_stop(branch);
    const bool is_timed = issued.kind == core::StepKind::sleep && memo.due_at;
    const core::Duration left = is_timed ? *memo.due_at - store_time() : core::Duration{0};
    if (!is_timed || left > services_.suspend_after || looks > kLooksMax)
      suspend(branch, {.steps = {issued.id}});
    wait_here(branch, std::max(left, kLookSoon));
    const auto written = write(branch, command_of({issued.begin}));
    if (!written) throw failure_of(written.problem());
    memo_.keep(written->steps.front().now);
  }
}

void Body::wait_until(Branch& branch, core::TimePoint due) {
  const core::Duration left = due - store_time();
  if (left <= core::Duration{0}) return;
  if (left > services_.suspend_after) suspend(branch, {.until = due});
  wait_here(branch, left);
}

void Body::wait_here(Branch& branch, core::Duration wait) {
  core::Clock& clock = services_.connection.clock();
  const core::MonotonicTime until = clock.monotonic() + wait;
  for (core::Duration left = wait; left > core::Duration{0}; left = until - clock.monotonic()) {
    services_.lease.wait(std::min(left, kLeaseLook));
    check_stop(branch);
  }
}

void Body::suspend(Branch& branch, Waiting waiting) {
  {
    const std::lock_guard lock{mutex_};
    waits_.push_back(std::move(waiting));
  }
  unwind(branch, Ending::suspended);
}

void Body::unwind(Branch& branch, Ending ending) {
  branch.ending = ending;
  throw Unwind{};
}

// --- whether to go on ---

std::optional<core::StopReason> Body::stop_reason() {
  const std::lock_guard lock{mutex_};
  if (!stop_ && services_.lease.state() == worker::LeaseState::cancelled) stop_ = core::StopReason::cancelled;
  return stop_;
}

void Body::check_stop(Branch& branch) {
  if (services_.went_beyond) unwind(branch, Ending::released);
  const worker::LeaseState state = services_.lease.state();
  if (state == worker::LeaseState::lost) unwind(branch, Ending::lost);
  const bool is_leaving = state == worker::LeaseState::abandoned || services_.is_draining();
  if (branch.is_main && is_undoing_) {
    if (is_leaving) unwind(branch, Ending::released);
    return;
  }
  if (branch.is_main && (undo_at_ || stop_reason())) undo_here(branch);
  const bool is_winding_down = [&] {
    const std::lock_guard lock{mutex_};
    return is_winding_down_;
  }();
  if (!branch.is_main && (is_winding_down || branch.is_abandoned || stop_reason()))
    unwind(branch, Ending::stopped);
  if (is_leaving) unwind(branch, Ending::released);
}

// --- writing ---

core::WriteSteps Body::command_of(std::vector<core::StepWrite> steps) const {
  return {.ns = services_.connection.ns(),
          .run_id = run_id_,
          .body = claimed_.task.id,
          .fence = claimed_.task.lease->fence,
          .steps = std::move(steps)};
}

core::Result<core::StepsWritten> Body::write(Branch& branch, const core::WriteSteps& command) {
  core::Duration wait = std::chrono::milliseconds{20};
  for (;;) {
    auto written = services_.connection.write_steps(command);
    if (written) {
      note_answer(*written);
      return written;
    }
    if (!may_try_again(branch, written.problem(), wait)) return written;
  }
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
}

core::TimePoint Body::store_time() {
  const std::lock_guard lock{mutex_};
  return store_time_ + (services_.connection.clock().monotonic() - store_time_at_);
}

}  // namespace pawl::detail
