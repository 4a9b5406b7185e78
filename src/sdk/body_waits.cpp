// The waits of a workflow's body: for remote steps and for time.

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "pawl/error.hpp"
#include "sdk/body.hpp"
#include "sdk/step_size.hpp"

namespace pawl::detail {

namespace {

constexpr core::Duration kLeaseLook = std::chrono::milliseconds{200};
constexpr core::Duration kLookSoon = std::chrono::milliseconds{5};
constexpr core::Duration kFirstAwait = std::chrono::milliseconds{50};
constexpr int kLooksMax = 100;
constexpr std::size_t kBeginBytesMax = 1U << 20U;  // per write; a larger step is written alone

}  // namespace

// --- remote steps ---

void Body::begin_soon(Branch& branch, Issued& issued) {
  if (issued.memo) return;
  // An invalid step is not in the record either: it is rejected here, in the same way in each pass.
  if (const core::Status valid = core::check(command_of({issued.begin})); !valid) {
    keep_refused(issued.begin, valid.problem());
    issued.memo = memo_.consume(issued.id);
    return;
  }
  come_to_new(branch, issued, Order::in_line);
  const std::lock_guard lock{mutex_};
  unsent_.push_back(issued.begin);
}

void Body::begin_now(Branch& branch, const Await& await) {
  // Also waits for a thread that is writing them: later steps of the code must not be written first.
  const std::lock_guard one_at_a_time{beginning_};
  std::vector<core::StepWrite> steps;
  {
    const std::lock_guard lock{mutex_};
    if (unsent_.empty()) return;
    steps = std::exchange(unsent_, {});
  }
  // A rejected step fails alone, not the branch that happens to write it.
  begin_all(
      branch, std::move(steps),
      [this](const core::StepWrite& step, const core::Problem& problem) { keep_refused(step, problem); },
      await);
}

void Body::cancel_soon(const Issued& issued) {
  const auto memo = memo_.find(issued.id);
  const bool is_over = (memo && core::has_ended(memo->state)) || services_.went_beyond || is_ending();
  if (is_over) return;
  const std::lock_guard lock{mutex_};
  unsent_.push_back({.action = core::StepAction::cancel, .step_id = issued.id, .kind = issued.kind});
}

void Body::cancel_within(const std::string& prefix) {
  for (const core::StepMemo& open : memo_.open_within(prefix))
    cancel_soon({.id = open.step_id, .kind = open.kind});
}

void Body::keep_refused(const core::StepWrite& step, const core::Problem& problem) {
  memo_.keep({.step_id = step.step_id,
              .kind = step.kind,
              .state = core::NodeState::failed,
              .error = core::TaskError{.code = std::string{core::kind_of(problem.code).name},
                                       .message = problem.detail,
                                       .retryable = false}});
}

void Body::begin_all(Branch& branch, std::vector<core::StepWrite> steps, const Refuse& refuse,
                     const Await& await) {
  std::vector<core::StepWrite> some;
  std::size_t bytes = 0;
  for (core::StepWrite& step : steps) {
    const std::size_t more = size_of(step);
    if (!some.empty() && bytes + more > kBeginBytesMax) {
      begin_some(branch, std::exchange(some, {}), refuse, {});
      bytes = 0;
    }
    bytes += more;
    some.push_back(std::move(step));
  }
  if (!some.empty()) begin_some(branch, std::move(some), refuse, await);
}

void Body::begin_some(Branch& branch, std::vector<core::StepWrite> steps, const Refuse& refuse,
                      const Await& await) {
  core::WriteSteps command = command_of(std::move(steps));
  command.await = await;
  const auto written = write(branch, command);
  if (written) {
    for (const core::StepAnswer& answer : written->steps) memo_.keep(answer.now);
    return;
  }
  if (command.steps.size() == 1) return refuse(command.steps.front(), written.problem());
  const auto middle = command.steps.begin() + static_cast<std::ptrdiff_t>(command.steps.size() / 2);
  std::vector<core::StepWrite> second{std::make_move_iterator(middle),
                                      std::make_move_iterator(command.steps.end())};
  command.steps.erase(middle, command.steps.end());
  begin_some(branch, std::move(command.steps), refuse, {});
  begin_some(branch, std::move(second), refuse, {});
}

void Body::look_again(Branch& branch, const std::vector<Issued>& waiting) {
  std::vector<Issued> unheard;
  for (const Issued& issued : waiting) {
    const auto memo = memo_.find(issued.id);
    if (!memo || (!core::has_ended(memo->state) && memo_.is_old(issued.id))) unheard.push_back(issued);
  }
  ask(branch, unheard);
}

void Body::ask(Branch& branch, const std::vector<Issued>& waiting, const Await& await) {
  std::vector<core::StepWrite> steps;
  steps.reserve(waiting.size());
  for (const Issued& issued : waiting) steps.push_back(issued.begin);
  begin_all(
      branch, std::move(steps),
      [](const core::StepWrite&, const core::Problem& problem) { throw failure_of(problem); }, await);
}

std::vector<Issued> Body::not_ended(const std::vector<Issued>& steps) const {
  std::vector<Issued> waiting;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(waiting), [this](const Issued& one) {
    const auto memo = memo_.find(one.id);
    return !memo || !core::has_ended(memo->state);
  });
  return waiting;
}

bool Body::may_wait_here() const {
  return services_.suspend_after > core::Duration{0} && services_.has_free_slot && services_.has_free_slot();
}

// Other branches would have to wait too before they begin anything.
bool Body::may_await_alone() {
  return may_wait_here() && is_true([this] { return branches_ == 0; });
}

// The engine replies as soon as enough steps have ended, but it does not see the commits of other nodes. So
// each wait is short, and then the store is read.
void Body::await_here(Branch& branch, const std::vector<Issued>& steps, bool wants_all) {
  core::Clock& clock = services_.connection.clock();
  const core::MonotonicTime until = clock.monotonic() + services_.suspend_after;
  core::Duration wait = kFirstAwait;
  for (std::vector<Issued> waiting = not_ended(steps);
       !waiting.empty() && (wants_all || waiting.size() == steps.size()); waiting = not_ended(steps)) {
    check_stop(branch);
    const core::Duration left = until - clock.monotonic();
    if (left <= core::Duration{0} || !may_wait_here()) return;
    ask(branch, waiting, core::AwaitSteps{.at_most = std::min(left, wait), .wants_all = wants_all});
    wait *= 2;
  }
}

core::StepMemo Body::settle(Branch& branch, const Issued& issued) {
  const bool ends_elsewhere = issued.kind != core::StepKind::sleep;
  const bool begins_here = ends_elsewhere && !memo_.find(issued.id);
  begin_now(branch, begins_here && may_await_alone() ? Await{{.at_most = kFirstAwait}} : Await{});
  if (ends_elsewhere) await_here(branch, {issued}, true);
  for (int looks = 0;; ++looks) {
    look_again(branch, {issued});
    const core::StepMemo memo = memo_.find(issued.id).value_or(core::StepMemo{});
    if (core::has_ended(memo.state)) {
      branch.note(memo);
      return recall(branch, memo);
    }
    check_stop(branch);
    const bool is_timed = issued.kind == core::StepKind::sleep && memo.due_at;
    const core::Duration left = is_timed ? *memo.due_at - store_time() : core::Duration{0};
    if (!is_timed || left > services_.suspend_after || looks > kLooksMax)
      suspend(branch, {.steps = {issued.id}});
    wait_here(branch, std::max(left, kLookSoon));
    ask(branch, {issued});
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
  waiting.interest = branch.interest;
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

}  // namespace pawl::detail
