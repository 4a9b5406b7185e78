#include "sdk/body.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace pawl::detail {

Body::Body(BodyServices services, const core::ClaimedTask& claimed)
    : services_(std::move(services)),
      claimed_(claimed),
      run_id_(claimed.task.run_id.value_or(core::RunId{})),
      memo_(claimed.memo.get(), services_.memo_bytes_max),
      stop_token_(services_.lease),
      store_time_(claimed.task.lease->acquired_at),
      store_time_at_(services_.connection.clock().monotonic()) {
  if (claimed.memo) stop_ = claimed.memo->stop;
}

bool Body::has_read_memo() {
  if (!claimed_.memo) return true;
  Branch reader{*this, "", began_at()};
  std::optional<core::NodeKey> next = claimed_.memo->next;
  const Outcome outcome = outcome_of([&] {
    core::Duration wait = kFirstRetry;
    while (next) {
      const auto page = services_.connection.calls().runs().list_memo(
          {.ns = services_.connection.ns(), .id = run_id_}, *next);
      if (page) {
        memo_.add(page->steps);
        next = page->next;
      } else if (!may_try_again(reader, page.problem(), wait)) {
        throw failure_of(page.problem());
      }
    }
    return std::string{"null"};
  });
  if (outcome.kind == Outcome::Kind::completed) return true;
  if (outcome.kind == Outcome::Kind::failed) {
    services_.reporter.say(
        fmt::format("run {}: its steps could not be read: {}", to_string(run_id_), outcome.error.message));
    services_.reporter.release(claimed_.task);
  }
  return false;
}

std::optional<bool> Body::run(const WorkflowHandler& handler) {
  if (!has_read_memo()) return std::nullopt;
  for (;;) {
    pass(handler);
    if (has_failed()) {
      if (undo_at_) {
        give_up_undoing();
      } else if (has_planned_undoing()) {
        continue;  // one more pass, up to the last call
      } else {
        return report(failure_to_report());
      }
    }
    switch (ending_) {
      case Ending::none:
      case Ending::stopped: return report(outcome_);
      case Ending::continued: return report({.continue_as_new = next_input_});
      case Ending::suspended:
        if (has_suspended()) return std::nullopt;
        break;
      case Ending::undone: return report(failure_to_report());
      case Ending::parked:
        // A run that must stop cannot wait for another version of its code: it ends and reports why.
        if (!is_ending() && has_parked()) return std::nullopt;
        return report(failed_with(
            {.code = std::string{core::kCodeChanged}, .message = parked_because_, .retryable = false}));
      case Ending::released:
        declare_undos();
        services_.reporter.release(claimed_.task);
        return std::nullopt;
      case Ending::lost: return std::nullopt;
    }
  }
}

// A run that is being undone or must stop can no longer complete, whatever its code returns.
bool Body::has_failed() {
  if (ending_ == Ending::stopped) return true;
  if (ending_ == Ending::continued) return memo_.has_compensations();
  return ending_ == Ending::none &&
         (outcome_.kind != Outcome::Kind::completed || is_ending() || memo_.has_compensations());
}

void Body::pass(const WorkflowHandler& handler) {
  memo_.rewind();
  this_pass_ = std::make_shared<bool>(true);
  is_undoing_ = false;
  {
    const std::lock_guard lock{mutex_};
    undos_.clear();
    undeclared_.clear();
    waits_.clear();
    unsent_.clear();
    is_winding_down_ = undo_at_.has_value();  // branches start no new step
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
  wait_for_all_branches();
  this_pass_.reset();
  calls_ = main.calls;
  judge(main, std::move(outcome));
  if (ending_ == Ending::none && outcome_.kind == Outcome::Kind::failed && !undo_at_) failure_ = outcome_;
}

// Determines the result of the pass, including what its branches left behind.
void Body::judge(const Branch& main, Outcome outcome) {
  const std::lock_guard lock{mutex_};
  ending_ = outcome.kind == Outcome::Kind::unwound ? main.ending : Ending::none;
  outcome_ = std::move(outcome);
  if (outcome_.kind == Outcome::Kind::unwound) return;
  const bool is_completed = outcome_.kind == Outcome::Kind::completed;
  const bool is_over = unawaited_ending_ >= Ending::parked;  // overrides every other result
  if (!is_over && is_completed && unawaited_failure_) {
    outcome_ = *unawaited_failure_;
  } else if (is_over || (is_completed && unawaited_ending_ != Ending::none)) {
    ending_ = unawaited_ending_;
  } else if (const auto expected = memo_.first_expected(""); expected && (is_completed || !undo_at_)) {
    ending_ = Ending::parked;
    parked_because_ = missed_by(*expected, outcome_, "workflow");
  }
}

std::optional<bool> Body::report(const Outcome& outcome) {
  Outcome told = outcome;
  told.error.retryable = false;  // the steps' own retries are used up, so the run has failed
  told.retry_after.reset();
  return services_.reporter.finish(claimed_.task, told, services_.lease);
}

Outcome Body::failure_to_report() const {
  if (failure_) return *failure_;
  const core::StopReason reason = stop_.value_or(core::StopReason::cancelled);
  const std::string message =
      reason == core::StopReason::deadline_exceeded ? "the deadline has passed" : "the run was asked to stop";
  return failed_with({.code = std::string{core::to_string(reason)}, .message = message, .retryable = false});
}

bool Body::has_suspended() {
  core::WriteSteps command = command_of({});
  {
    const std::lock_guard lock{mutex_};
    // Drop the waits of branches whose results are no longer needed.
    std::erase_if(waits_, [](const Waiting& one) { return one.interest && one.interest->is_lost(); });
    core::SuspendBody suspend{.wants_all = waits_.size() == 1 && waits_.front().wants_all,
                              .may_undo = undo_at_ || is_undoing_ || !undos_.empty()};
    for (const Waiting& waiting : waits_) {
      // The known state may be stale, so the body is claimed again with the stored state.
      suspend.always = suspend.always || waiting.before_undoing;
      if (waiting.before_undoing && failure_) command.failure = error_to_keep(*failure_);
      suspend.steps.insert(suspend.steps.end(), waiting.steps.begin(), waiting.steps.end());
      if (waiting.until) suspend.until = std::min(suspend.until.value_or(*waiting.until), *waiting.until);
    }
    if (suspend.steps.empty() && !suspend.until) return false;
    command.suspend = std::move(suspend);
    command.undos = std::exchange(undeclared_, {});
  }
  Branch end{*this, "", began_at()};
  bool is_over = true;
  const Outcome outcome = outcome_of([&] {
    const auto written = write(end, command);
    if (!written) services_.reporter.say("cannot suspend a workflow: " + written.problem().detail);
    is_over = !written || written->is_suspended;
    return std::string{"null"};
  });
  return is_over || outcome.kind == Outcome::Kind::unwound;
}

bool Body::has_parked() {
  core::WriteSteps command = command_of({});
  command.park = parked_because_;
  Branch end{*this, "", began_at()};
  std::optional<core::Problem> refused;
  static_cast<void>(outcome_of([&] {
    if (const auto written = write(end, command); !written) refused = written.problem();
    return std::string{"null"};
  }));
  services_.reporter.say(fmt::format("run {} {}: {}", to_string(run_id_),
                                     refused ? "cannot go on" : "is paused", parked_because_));
  if (refused) services_.reporter.say("it could not be paused: " + refused->detail);
  return !refused;
}

}  // namespace pawl::detail
