#include "sdk/pending.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "pawl/error.hpp"
#include "pawl/json.hpp"

namespace pawl::detail {

std::string given_by(const core::StepMemo& memo) {
  if (memo.state == core::NodeState::completed) return memo.output.empty() ? "null" : memo.output.text;
  const core::TaskError error =
      memo.error.value_or(core::TaskError{.code = "cancelled", .message = "it was cancelled"});
  throw StepFailed{memo.step_id, error.code, error.message};
}

std::string given_by_promise(const core::StepMemo& memo) {
  const Json end = decode<Json>(given_by(memo));
  if (end.is_object() && end.contains("error")) {
    const Json& error = end["error"];
    throw StepFailed{memo.step_id, error.value("code", "failed"), error.value("message", "")};
  }
  return end.is_object() && end.contains("value") ? end["value"].dump() : end.dump();
}

std::string given_by_signal(const core::StepMemo& memo) {
  if (memo.error && memo.error->code == "timeout") return "null";
  return R"({"value":)" + given_by(memo) + "}";
}

// --- a concurrent branch ---

LocalRun::LocalRun(Branch branch, std::function<std::string(Branch&)> call)
    : body_(branch.body),
      pass_(branch.body.this_pass()),
      branch_(std::move(branch)),
      stop_(body_.stop_token_of(branch_)),
      call_(std::move(call)) {
  branch_.stop = stop_.token();
  body_.enqueue(*this);
}

void LocalRun::run() {
  Outcome outcome = Body::call_branch(branch_, [this] { return call_(branch_); });
  body_.branch_ends([&] {
    outcome_ = std::move(outcome);
    is_done_ = true;
  });
}

LocalRun::~LocalRun() {
  if (is_left_over()) return;
  body_.run_if_queued(*this);
  body_.wait_for_branches([this] { return is_done_; });
  if (!is_awaited_) body_.note_unawaited(outcome_, branch_.ending, is_let_go_ || branch_.is_abandoned());
}

void LocalRun::abandon() { branch_.interest->lose(); }

void LocalRun::cancel() {
  branch_.interest->cancel();
  stop_.request();
}

std::string LocalRun::await(Branch& owner) {
  body_.run_if_queued(*this);
  body_.wait_for_branches([this] { return is_done_; });
  is_awaited_ = true;
  if (outcome_.kind == Outcome::Kind::unwound) {
    if (was_canceled()) {
      body_.check_stop(owner);
      throw StepFailed{branch_.prefix, "cancelled", "the workflow canceled it"};
    }
    if (branch_.ending == Ending::stopped) body_.check_stop(owner);
    Body::unwind(owner, branch_.ending);
  }
  owner.now = std::max(owner.now, branch_.now);
  owner.sequence = std::max(owner.sequence, branch_.sequence);
  if (outcome_.kind == Outcome::Kind::completed) return outcome_.output;
  if (outcome_.thrown) std::rethrow_exception(outcome_.thrown);
  throw Failure{outcome_.error.code, outcome_.error.message, false};
}

// --- one pending ---

// A lambda may refer to objects that its owner is about to destroy, so it must end first. It is requested to
// end soon if an exception unwinds the owner or another branch has won.
PendingState::~PendingState() {
  if (!local_ || local_->is_left_over() || owner_.ending != Ending::none) return;
  if (std::uncaught_exceptions() > exceptions_ || local_->is_let_go()) local_->abandon();
}

std::string PendingState::await() {
  owner_.body.enter(owner_);
  if (local_) {
    owner_.body.begin_now(owner_);
    return local_->await(owner_);
  }
  return read_(owner_.body.settle(owner_, *remote_));
}

void PendingState::cancel_soon() {
  Body& body = owner_.body;
  if (remote_) return body.cancel_soon(*remote_);
  local_->let_go();
  local_->cancel();
  if (local_->is_line()) body.cancel_within(local_->prefix());
}

void PendingState::cancel() {
  owner_.body.enter(owner_);
  // The requested steps of its branch must exist before they can be canceled.
  if (local_) owner_.body.begin_now(owner_);
  cancel_soon();
  owner_.body.begin_now(owner_);
}

std::optional<std::int64_t> PendingState::ended_at() {
  if (local_) {
    const bool has_given = owner_.body.is_true([this] { return local_->has_given(); });
    return has_given ? std::optional{local_->sequence()} : std::nullopt;
  }
  const auto memo = owner_.body.find(remote_->id);
  return memo && core::has_ended(memo->state) ? std::optional{memo->sequence} : std::nullopt;
}

std::string await_pending(PendingState& pending) { return pending.await(); }
void cancel_pending(PendingState& pending) { pending.cancel(); }

// --- several pendings ---

namespace {

std::vector<Issued> not_ended(const std::vector<SharedPending>& pendings) {
  std::vector<Issued> waiting;
  for (const SharedPending& pending : pendings) {
    if (pending->remote() && !pending->ended_at()) waiting.push_back(*pending->remote());
  }
  return waiting;
}

std::vector<std::string> names_of(const std::vector<Issued>& steps) {
  std::vector<std::string> names;
  for (const Issued& step : steps) names.push_back(step.id);
  return names;
}

}  // namespace

std::vector<std::string> await_each(Branch& branch, const std::vector<SharedPending>& pendings) {
  Body& body = branch.body;
  body.begin_now(branch);
  body.look_again(branch, not_ended(pendings));
  body.await_here(branch, not_ended(pendings), true);
  if (const std::vector<Issued> waiting = not_ended(pendings); !waiting.empty()) {
    body.check_stop(branch);
    body.suspend(branch, {.steps = names_of(waiting), .wants_all = true});
  }
  std::vector<Outcome> outcomes;
  for (const SharedPending& pending : pendings) {
    outcomes.push_back(outcome_of([&] { return pending->await(); }));
    if (outcomes.back().kind == Outcome::Kind::unwound) throw Unwind{};
  }
  std::vector<std::string> given;
  for (Outcome& outcome : outcomes) {
    if (outcome.thrown) std::rethrow_exception(outcome.thrown);
    given.push_back(std::move(outcome.output));
  }
  return given;
}

namespace {

// While a branch runs here, remote steps are polled at these intervals. Otherwise their end wakes the body.
constexpr core::Duration kFirstLook = std::chrono::milliseconds{5};
constexpr core::Duration kLastLook = std::chrono::milliseconds{500};

std::optional<std::size_t> first_ended(const std::vector<SharedPending>& pendings) {
  std::optional<std::size_t> first;
  std::int64_t first_at = 0;
  for (std::size_t i = 0; i < pendings.size(); ++i) {
    const auto at = pendings[i]->ended_at();
    if (!at || (first && *at >= first_at)) continue;
    first = i;
    first_at = *at;
  }
  return first;
}

// With the body's lock held: whether one has ended, or none runs.
bool is_worth_a_look(const std::vector<SharedPending>& pendings) {
  bool runs = false;
  for (const SharedPending& pending : pendings) {
    if (pending->local() == nullptr) continue;
    if (pending->local()->has_given()) return true;
    runs = runs || !pending->local()->is_done();
  }
  return !runs;
}

LocalRun* first_queued(Body& body, const std::vector<SharedPending>& pendings) {
  LocalRun* queued = nullptr;
  static_cast<void>(body.is_true([&] {
    for (const SharedPending& pending : pendings) {
      if (queued == nullptr && pending->local() != nullptr && pending->local()->is_queued())
        queued = pending->local();
    }
    return true;
  }));
  return queued;
}

// Releases the thread: none has ended, and none can end before the body is woken.
[[noreturn]] void leave_for(Branch& branch, const std::vector<SharedPending>& pendings) {
  const LocalRun* worst = nullptr;
  for (const SharedPending& pending : pendings) {
    const LocalRun* local = pending->local();
    if (local != nullptr && (worst == nullptr || local->ending() > worst->ending())) worst = local;
  }
  if (worst != nullptr && worst->ending() != Ending::suspended) Body::unwind(branch, worst->ending());
  std::vector<std::string> steps = names_of(not_ended(pendings));
  // The waiting branches have registered their waits.
  if (steps.empty()) Body::unwind(branch, Ending::suspended);
  branch.body.suspend(branch, {.steps = std::move(steps)});
}

}  // namespace

std::size_t await_first(Branch& branch, const std::vector<SharedPending>& pendings) {
  if (pendings.empty()) throw Failure{"invalid_argument", "any: there is nothing to wait for", false};
  Body& body = branch.body;
  const std::function<bool()> is_enough = [&] { return is_worth_a_look(pendings); };
  body.begin_now(branch);
  body.look_again(branch, not_ended(pendings));
  for (core::Duration look = kFirstLook;; look = std::min(look * 2, kLastLook)) {
    const bool none_runs = body.is_true(is_enough);
    if (const auto first = first_ended(pendings)) return *first;
    body.check_stop(branch);
    if (none_runs) {
      body.await_here(branch, not_ended(pendings), false);
      if (const auto first = first_ended(pendings)) return *first;
      leave_for(branch, pendings);
    }
    if (LocalRun* queued = first_queued(body, pendings); queued != nullptr && body.is_short_of_threads()) {
      body.run_if_queued(*queued);
      continue;
    }
    const std::vector<Issued> elsewhere = not_ended(pendings);
    if (elsewhere.empty() && first_queued(body, pendings) != nullptr) {
      body.wait_for_branches(is_enough, look);  // this thread may have to run it
    } else if (elsewhere.empty()) {
      body.wait_for_branches(is_enough);
    } else {
      body.wait_for_branches(is_enough, look);
      body.ask(branch, elsewhere);
    }
  }
}

std::vector<std::string> fan_out(Branch& branch, const Fan& fan) {
  Body& body = branch.body;
  std::vector<Outcome> outcomes(fan.count);
  std::atomic<std::size_t> next = 0;
  std::vector<std::unique_ptr<LocalRun>> threads;
  const std::size_t count = std::min(std::max<std::size_t>(fan.parallel, 1), fan.count);
  for (std::size_t t = 0; t < count; ++t) {
    threads.push_back(std::make_unique<LocalRun>(Branch{branch, branch.prefix}, [&](Branch& own) {
      Ending ending = Ending::none;
      for (std::size_t i = next++; i < fan.count; i = next++) {
        own.ending = Ending::none;
        outcomes[i] = outcome_of([&] { return fan.call(own, i); });
        if (outcomes[i].kind != Outcome::Kind::unwound) continue;
        ending = own.ending;
        if (ending != Ending::suspended) break;  // a waiting item does not block the others
      }
      if (ending != Ending::none) Body::unwind(own, ending);
      return std::string{"null"};
    }));
  }
  for (const auto& thread : threads) static_cast<void>(thread->await(branch));
  body.undo_if_due(branch);  // all undos of the items are registered
  std::vector<std::string> given;
  for (Outcome& outcome : outcomes) {
    if (outcome.thrown) std::rethrow_exception(outcome.thrown);
    if (outcome.kind == Outcome::Kind::failed)
      throw Failure{outcome.error.code, outcome.error.message, false};
    given.push_back(std::move(outcome.output));
  }
  return given;
}

}  // namespace pawl::detail
