// The branches of a workflow's body: how they end, how they wait for each other, and whether they match the
// run's history.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sdk/body.hpp"

namespace pawl::detail {

namespace {

// Poll interval: a branch that passes a step with a stored result notifies no other branch.
constexpr core::Duration kMoveLook = std::chrono::milliseconds{1};

}  // namespace

// --- their ends ---

// User code that catches everything must not be mistaken for a function that has returned. If the branch had
// to wait or to park, it has failed; otherwise its result is ignored.
Outcome Body::call_branch(Branch& branch, const Call& call) {
  Outcome outcome = outcome_of(call);
  if (branch.ending == Ending::none)
    return branch.is_line ? branch.body.checked_end(branch, std::move(outcome)) : outcome;
  if (outcome.kind == Outcome::Kind::unwound && !branch.is_swallowed) return outcome;
  const std::string where = fmt::format(
      "the workflow caught what is thrown to suspend it, after its call number {}{}: a "
      "catch (...) must rethrow it",
      branch.calls, branch.prefix.empty() ? "" : " of the branch " + branch.prefix);
  if (branch.ending != Ending::suspended && branch.ending != Ending::parked) {
    const Body& body = branch.body;
    body.services_.reporter.say(fmt::format("run {}: {}", to_string(body.run_id_), where));
    return {.kind = Outcome::Kind::unwound};
  }
  branch.ending = Ending::none;
  return failed_with({.code = "unwinding_swallowed", .message = where, .retryable = false});
}

Outcome Body::checked_end(Branch& line, Outcome outcome) {
  const auto expected = memo_.first_expected(line.prefix);
  if (!expected || is_ending()) return outcome;
  {
    const std::lock_guard lock{mutex_};
    parked_because_ = missed_by(*expected, outcome, "branch");
  }
  line.ending = Ending::parked;
  return {.kind = Outcome::Kind::unwound};
}

std::string Body::missed_by(const std::string& expected, const Outcome& outcome, std::string_view line) {
  if (outcome.kind == Outcome::Kind::failed) {
    const core::TaskError error = error_to_keep(outcome);
    return fmt::format("expected step '{}', found the failure '{}': {}", expected, error.code, error.message);
  }
  return fmt::format("expected step '{}', found the end of the {}", expected, line);
}

void Body::note_unawaited(const Outcome& outcome, Ending ending, bool is_let_go) {
  const std::lock_guard lock{mutex_};
  if (is_let_go && ending < Ending::parked) return;
  if (outcome.kind == Outcome::Kind::failed && !unawaited_failure_) unawaited_failure_ = outcome;
  if (outcome.kind == Outcome::Kind::unwound) unawaited_ending_ = std::max(unawaited_ending_, ending);
}

// --- how they wait ---

void Body::branch_ends(const std::function<void()>& change) {
  const std::lock_guard lock{mutex_};
  change();
  --branches_;
  branch_ended_.notify_all();
}

void Body::wait_for_branches(const std::function<bool()>& is_enough) {
  std::unique_lock lock{mutex_};
  const WaitingThread waiting{*this, is_enough};
  branch_ended_.wait(lock, is_enough);
}

void Body::wait_for_branches(const std::function<bool()>& is_enough, core::Duration at_most) {
  std::unique_lock lock{mutex_};
  const WaitingThread waiting{*this, is_enough};
  branch_ended_.wait_for(lock, at_most, is_enough);
}

bool Body::is_true(const std::function<bool()>& condition) {
  const std::lock_guard lock{mutex_};
  return condition();
}

bool Body::nothing_moves() const {
  // A queued branch cannot move if no thread can be started for it, nor can a branch whose thread runs
  // another one.
  const std::size_t queued = idle_threads_ == 0 && !may_start_thread() ? queued_.size() : 0;
  return waiting_.size() + run_here_ + queued == static_cast<std::size_t>(branches_) + 1 &&
         std::none_of(waiting_.begin(), waiting_.end(), [](const auto* goes_on) { return (*goes_on)(); });
}

// --- comparison with the history ---

void Body::begin_line(Branch& line, const Branch& owner) {
  begin_beside(line, owner, memo_.come_to_branch(line.prefix));
  line.is_line = true;
}

void Body::begin_beside(Branch& beside, const Branch& owner, bool is_known) {
  beside.around.push_back(owner.prefix);
  beside.is_known = is_known;
}

std::optional<std::string> Body::missed_around(const Branch& branch) const {
  for (const std::string& line : branch.around) {
    if (auto expected = memo_.first_expected(line)) return expected;
  }
  return std::nullopt;
}

// A concurrent branch may be about to reach a recorded step: then the code is unchanged, and that branch is
// only slower. It may also never reach the step. If nothing else moves without this branch, and the history
// does not have this branch, it is a renamed branch, and the run is parked.
void Body::check_is_new(Branch& branch, const std::string& id) {
  if (branch.around.empty()) return;
  if (missed_around(branch)) {
    const std::function<bool()> goes_on = [&] {
      return is_winding_down_ || branch.is_abandoned() || !missed_around(branch);
    };
    {
      std::unique_lock lock{mutex_};
      const WaitingThread waiting{*this, goes_on};
      while (!goes_on() && !nothing_moves()) branch_ended_.wait_for(lock, kMoveLook);
    }
    check_stop(branch);
    if (const auto expected = missed_around(branch); expected && !branch.is_known)
      park_for(branch, fmt::format("expected step '{}', found '{}'", *expected, id));
  }
  branch.around.clear();
}

void Body::park_for(Branch& branch, std::string why) {
  {
    const std::lock_guard lock{mutex_};
    parked_because_ = std::move(why);
  }
  unwind(branch, Ending::parked);
}

}  // namespace pawl::detail
