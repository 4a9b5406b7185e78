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

// --- a branch on its own thread ---

LocalRun::LocalRun(Body& body, std::string prefix, core::TimePoint now,
                   std::function<std::string(Branch&)> call)
    : body_(body), branch_(body, std::move(prefix), now), call_(std::move(call)) {
  body_.branch_begins();
  thread_ = std::thread{[this] {
    Outcome outcome = Body::call_branch(branch_, [this] { return call_(branch_); });
    body_.branch_ends([&] {
      outcome_ = std::move(outcome);
      is_done_ = true;
    });
  }};
}

LocalRun::~LocalRun() {
  thread_.join();
  if (!is_awaited_) body_.note_unawaited(outcome_, branch_.ending);
}

std::string LocalRun::await(Branch& owner) {
  body_.wait_for_branches([this] { return is_done_; });
  is_awaited_ = true;
  if (outcome_.kind == Outcome::Kind::unwound) {
    if (branch_.ending == Ending::stopped) body_.check_stop(owner);
    Body::unwind(owner, branch_.ending);
  }
  owner.now = std::max(owner.now, branch_.now);
  owner.sequence = std::max(owner.sequence, branch_.sequence);
  if (outcome_.kind == Outcome::Kind::completed) return outcome_.output;
  if (outcome_.thrown) std::rethrow_exception(outcome_.thrown);
  throw Failure{outcome_.error.code, outcome_.error.message, false};
}

bool LocalRun::has_given() {
  return body_.is_true([this] { return has_given_unlocked(); });
}

// --- one ---

// A lambda may refer to what its owner is about to lose: it ends first. One whose owner failed is to end
// soon.
PendingState::~PendingState() {
  if (local_ && std::uncaught_exceptions() > 0 && owner_.ending == Ending::none) local_->abandon();
}

std::string PendingState::await() {
  owner_.body.enter(owner_);
  owner_.body.undo_if_due(owner_);
  if (local_) return local_->await(owner_);
  return read_(owner_.body.settle(owner_, *remote_));
}

bool PendingState::has_ended() {
  if (local_) return local_->has_given();
  const auto memo = owner_.body.find(remote_->id);
  return memo && core::has_ended(memo->state);
}

std::string await_pending(PendingState& pending) { return pending.await(); }

// --- several ---

namespace {

std::vector<Issued> not_ended(const std::vector<SharedPending>& pendings) {
  std::vector<Issued> waiting;
  for (const SharedPending& pending : pendings) {
    if (pending->remote() && !pending->has_ended()) waiting.push_back(*pending->remote());
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

std::size_t await_first(Branch& branch, const std::vector<SharedPending>& pendings) {
  if (pendings.empty()) throw Failure{"invalid_argument", "any: there is nothing to wait for", false};
  Body& body = branch.body;
  body.begin_now(branch);
  body.look_again(branch, not_ended(pendings));
  const auto first_ended = [&]() -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < pendings.size(); ++i) {
      if (pendings[i]->has_ended()) return i;
    }
    return std::nullopt;
  };
  std::optional<std::size_t> first = first_ended();
  // With the lock of the body held, so that no end is missed.
  const auto is_one_done = [&] {
    return std::any_of(pendings.begin(), pendings.end(),
                       [](const SharedPending& pending) { return pending->is_done_here(); });
  };
  if (!first) {
    body.wait_for_branches(is_one_done);
    first = first_ended();
  }
  if (first) return *first;
  body.check_stop(branch);
  const std::vector<Issued> waiting = not_ended(pendings);
  if (waiting.empty()) static_cast<void>(pendings.front()->await());  // all were unwound, and so is this
  body.suspend(branch, {.steps = names_of(waiting)});
}

std::vector<std::string> fan_out(Branch& branch, const Fan& fan) {
  Body& body = branch.body;
  std::vector<Outcome> outcomes(fan.count);
  std::atomic<std::size_t> next = 0;
  std::vector<std::unique_ptr<LocalRun>> threads;
  const std::size_t count = std::min(std::max<std::size_t>(fan.parallel, 1), fan.count);
  for (std::size_t t = 0; t < count; ++t) {
    threads.push_back(std::make_unique<LocalRun>(body, branch.prefix, branch.now, [&](Branch& own) {
      Ending ending = Ending::none;
      for (std::size_t i = next++; i < fan.count; i = next++) {
        own.ending = Ending::none;
        outcomes[i] = outcome_of([&] { return fan.call(own, i); });
        if (outcomes[i].kind != Outcome::Kind::unwound) continue;
        ending = own.ending;
        if (ending != Ending::suspended) break;  // one that waits holds up no other
      }
      if (ending != Ending::none) Body::unwind(own, ending);
      return std::string{"null"};
    }));
  }
  for (const auto& thread : threads) static_cast<void>(thread->await(branch));
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
