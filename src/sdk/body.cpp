#include "sdk/body.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pawl::detail {

Body::Body(BodyServices services, const core::ClaimedTask& claimed)
    : services_(std::move(services)),
      claimed_(claimed),
      run_id_(claimed.task.run_id.value_or(core::RunId{})),
      memo_(claimed.memo.get()),
      stop_token_(services_.lease),
      store_time_(claimed.task.lease->acquired_at),
      store_time_at_(services_.connection.clock().monotonic()) {
  if (claimed.memo) stop_ = claimed.memo->stop;
}

std::optional<bool> Body::run(const WorkflowHandler& handler) {
  for (;;) {
    pass(handler);
    switch (ending_) {
      case Ending::none:
        if (outcome_.kind == Outcome::Kind::completed) return report(outcome_);
        failure_ = outcome_;
        if (undos_.empty()) return report(outcome_);
        break;  // once more, up to there
      case Ending::suspended:
        if (has_suspended()) return std::nullopt;
        break;
      case Ending::stopped:
      case Ending::undone: return report(failure_to_report());
      case Ending::parked: park(); return std::nullopt;
      case Ending::released: services_.reporter.release(claimed_.task); return std::nullopt;
      case Ending::lost: return std::nullopt;
    }
  }
}

void Body::pass(const WorkflowHandler& handler) {
  memo_.rewind();
  is_undoing_ = false;
  {
    const std::lock_guard lock{mutex_};
    undos_.clear();
    waits_.clear();
    unsent_.clear();
    is_winding_down_ = false;
    unawaited_failure_.reset();
    unawaited_ending_ = Ending::none;
  }
  Branch main{*this, "", began_at()};
  main.is_main = true;
  Workflow workflow{main};
  Outcome outcome = call_branch(main, [&] {
    std::string output = handler(workflow, claimed_.task.payload.text);
    if (main.ending == Ending::none) begin_now(main);
    return output;
  });
  {
    const std::lock_guard lock{mutex_};
    if (outcome.kind == Outcome::Kind::failed) is_winding_down_ = true;
  }
  wait_for_branches([] { return false; });
  judge(main, std::move(outcome));
  if (ending_ != Ending::none || outcome_.kind == Outcome::Kind::completed) return;
  if (undo_at_) ending_ = Ending::undone;  // it ended earlier than before: there is no place to undo in
  undo_at_ = main.calls;
}

// What the pass comes to, with what its branches left.
void Body::judge(const Branch& main, Outcome outcome) {
  const std::lock_guard lock{mutex_};
  ending_ = outcome.kind == Outcome::Kind::unwound ? main.ending : Ending::none;
  outcome_ = std::move(outcome);
  if (outcome_.kind != Outcome::Kind::completed) return;
  if (unawaited_failure_) {
    outcome_ = *unawaited_failure_;
  } else if (unawaited_ending_ != Ending::none) {
    ending_ = unawaited_ending_;
  } else if (const auto expected = memo_.first_expected("")) {
    ending_ = Ending::parked;
    parked_because_ = fmt::format("expected step '{}', found the end of the workflow", *expected);
  }
}

// A user's code that catches everything must not be taken for one that has ended.
Outcome Body::call_branch(Branch& branch, const Call& call) {
  Outcome outcome = outcome_of(call);
  const bool is_bad = branch.ending == Ending::suspended || branch.ending == Ending::parked;
  if (!is_bad || (outcome.kind == Outcome::Kind::unwound && !branch.is_swallowed)) return outcome;
  branch.ending = Ending::none;
  return failed_with({.code = "unwinding_swallowed",
                      .message = fmt::format(
                          "the workflow caught what is thrown to suspend it, after its call number {}{}: a "
                          "catch (...) must rethrow it",
                          branch.calls, branch.prefix.empty() ? "" : " of the branch " + branch.prefix),
                      .retryable = false});
}

std::optional<bool> Body::report(const Outcome& outcome) {
  Outcome told = outcome;
  told.error.retryable = false;  // its steps were tried again: the run has failed
  told.retry_after.reset();
  return services_.reporter.finish(claimed_.task, told, services_.lease);
}

Outcome Body::failure_to_report() const {
  if (failure_) {
    Outcome failure = *failure_;
    if (undo_failed_) failure.error.message += "; and " + *undo_failed_;
    return failure;
  }
  const core::StopReason reason = stop_.value_or(core::StopReason::cancelled);
  std::string message =
      reason == core::StopReason::deadline_exceeded ? "the deadline has passed" : "the run was asked to stop";
  if (undo_failed_) message += "; " + *undo_failed_;
  return failed_with({.code = std::string{core::to_string(reason)}, .message = message, .retryable = false});
}

bool Body::has_suspended() {
  core::WriteSteps command = command_of({});
  {
    const std::lock_guard lock{mutex_};
    core::SuspendBody suspend{.wants_all = waits_.size() == 1 && waits_.front().wants_all};
    for (const Waiting& waiting : waits_) {
      suspend.steps.insert(suspend.steps.end(), waiting.steps.begin(), waiting.steps.end());
      if (waiting.until) suspend.until = std::min(suspend.until.value_or(*waiting.until), *waiting.until);
    }
    command.suspend = std::move(suspend);
  }
  Branch end{*this, "", began_at()};
  bool is_over = true;
  const Outcome outcome = outcome_of([&] {
    const auto written = write(end, command);
    if (!written) services_.reporter.say("a workflow could not be suspended: " + written.problem().detail);
    is_over = !written || written->is_suspended;
    return std::string{"null"};
  });
  return is_over || outcome.kind == Outcome::Kind::unwound;
}

void Body::park() {
  core::WriteSteps command = command_of({});
  command.park = parked_because_;
  Branch end{*this, "", began_at()};
  static_cast<void>(outcome_of([&] {
    const auto written = write(end, command);
    if (!written) services_.reporter.say("a run could not be parked: " + written.problem().detail);
    return std::string{"null"};
  }));
  services_.reporter.say(fmt::format("run {} is paused: {}", to_string(run_id_), parked_because_));
}

// --- branches ---

void Body::branch_begins() {
  const std::lock_guard lock{mutex_};
  ++branches_;
}

void Body::branch_ends(const std::function<void()>& change) {
  const std::lock_guard lock{mutex_};
  change();
  --branches_;
  branch_ended_.notify_all();
}

void Body::wait_for_branches(const std::function<bool()>& is_enough) {
  std::unique_lock lock{mutex_};
  branch_ended_.wait(lock, [&] { return branches_ == 0 || is_enough(); });
}

bool Body::is_true(const std::function<bool()>& condition) {
  const std::lock_guard lock{mutex_};
  return condition();
}

void Body::note_unawaited(const Outcome& outcome, Ending ending) {
  const std::lock_guard lock{mutex_};
  if (outcome.kind == Outcome::Kind::failed && !unawaited_failure_) unawaited_failure_ = outcome;
  if (outcome.kind == Outcome::Kind::unwound && unawaited_ending_ == Ending::none) unawaited_ending_ = ending;
}

}  // namespace pawl::detail
