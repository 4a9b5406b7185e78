#include "engine/engine.hpp"

#include <exception>
#include <new>
#include <utility>

#include "core/base/canary.hpp"
#include "core/base/damage.hpp"
#include "core/base/low_memory.hpp"
#include "engine/commands/all.hpp"

namespace pawl::engine {

using core::Answer;
using core::Result;
using store::StoreError;

namespace {

// How often a group is retried immediately: after a deadlock or a lost race, and after a lost connection (the
// first use of a dead connection detects it).
constexpr int kTriesAfterConflict = 50;
constexpr int kTriesAfterLoss = 3;
constexpr core::Duration kTriesFor = std::chrono::seconds{20};  // for all tries: each may wait for a lock

void count_effects(EngineStats& stats, const core::Command& command, const Result<Answer>& answer) {
  if (!answer) return;
  const auto count = [&](const auto& typed) {
    if constexpr (requires { engine::count_effects(typed, *answer, stats); })
      engine::count_effects(typed, *answer, stats);
  };
  std::visit(count, command);
}

// Counts the failed tries of a group.
class Tries {
 public:
  explicit Tries(core::Clock& clock) : clock_(clock), first_at_(clock.monotonic()) {}

  [[nodiscard]] bool may_retry_after(StoreError::Kind kind) {
    const bool is_loss = kind == StoreError::Kind::unavailable || kind == StoreError::Kind::timeout;
    const bool may_retry = (kind == StoreError::Kind::retry && ++conflicts_ < kTriesAfterConflict) ||
                           (is_loss && ++losses_ < kTriesAfterLoss);
    return may_retry && clock_.monotonic() - first_at_ < kTriesFor;
  }

 private:
  core::Clock& clock_;
  core::MonotonicTime first_at_;
  int conflicts_ = 0;
  int losses_ = 0;
};

}  // namespace

Engine::Engine(store::Store& store, core::Clock& clock, core::Random& random, EngineLimits limits)
    : store_(store),
      clock_(clock),
      waiters_(limits.waiting_claims_max),
      lease_notices_(clock),
      types_(clock),
      ids_(random),
      refusals_(stats_, clock),
      sweeper_(*this, store, clock, stats_, damage_),
      for_tries_{.store = store,
                 .ids = ids_,
                 .random = random,
                 .plans = plans_,
                 .types = types_,
                 .cache = run_cache_,
                 .bounds = limits.runs,
                 .waiters = waiters_,
                 .step_waits = step_waits_,
                 .run_watch = run_watch_,
                 .scheduled = scheduled_,
                 .refusals = refusals_,
                 .damage = damage_,
                 .stats = stats_} {}

// --- execute and reply ---

Engine::Answers Engine::commit(std::vector<Request> requests) {
  Group group;
  group.done.replies.reserve(requests.size());  // so that a refusal for lack of memory allocates nothing
  group.done.answers.reserve(requests.size());
  for (Request& request : requests) group.add(request, clock_);
  run(group);
  return std::move(group.done);
}

void Engine::await_durable(Answers& answers) {
  try {
    store_.await_durable(answers.number);
  } catch (const StoreError& error) {
    refusals_.note(error);
    answers.answers.assign(answers.replies.size(), error.problem());
    answers.news.clear();
    answers.notices.clear();
  }
  answers.number = store::kDurable;
}

void Engine::reply(Answers answers) {
  await_durable(answers);
  for (std::size_t i = 0; i < answers.replies.size(); ++i) {
    // A reply that cannot be sent for lack of memory is dropped, which ends the waiting connection.
    (void)core::has_memory_for([&] { answers.replies[i](std::move(answers.answers[i])); });
  }
  for (const RunWatch::News& news : answers.news) news.tell(*news.run);
  if (!answers.notices.empty()) lease_notices_.post(answers.notices);
}

Result<std::optional<Answer>> Engine::transact(const OwnWork& work) {
  std::optional<Result<Answer>> answer;
  Group group;
  group.work = &work;
  group.commands.push_back(&group.own);
  group.onces.push_back(nullptr);
  group.replies.emplace_back([&answer](Result<Answer> given) { answer.emplace(std::move(given)); });
  run(group);
  reply(std::move(group.done));
  if (!*answer) return answer->problem();
  if (!group.is_kept) return std::optional<Answer>{};
  return std::optional{std::move(**answer)};
}

void Engine::run(Group& group) {
  Tries tries{clock_};
  while (!group.is_done()) {
    try {
      group.began_at = clock_.monotonic();
      const auto commands = static_cast<std::int64_t>(group.commands.size() + group.claims.size());
      try_once(group);
      ++stats_.groups;
      stats_.commands += commands;
      stats_.group_micros += (clock_.monotonic() - group.began_at).count();
      collect_answers(group);
      add_missed_claims(group);
      // Claims that are served once more wait for another commit; the other replies need not.
      if (!group.claims.empty()) reply(std::exchange(group.done, {}));
    } catch (const MissingLanes& missing) {
      group.missing_lanes = missing.keys;
    } catch (const StoreError& error) {
      if (!tries.may_retry_after(error.kind())) refuse(group, error);
    } catch (const std::bad_alloc&) {  // the transaction was rolled back, or its outcome is unknown
      refuse_for_lack_of_memory(group);
    } catch (const core::DamagedRun& error) {
      refuse(group, StoreError{StoreError::Kind::internal, error.what()});
    } catch (const std::exception& error) {
      if (group.work != nullptr) throw;  // thrown by the user's code, on the user's thread
      refuse(group, StoreError{StoreError::Kind::internal, error.what()});
    }
  }
}

void Engine::try_once(Group& group) {
  GroupTry attempt{group, for_tries_};
  if (!attempt.load()) return;
  if (!attempt.decide()) return;
  attempt.claim();
  if (core::planted(core::Canary::answer_before_commit)) {
    collect_answers(group);
    reply(std::exchange(group.done, {}));
  }
  attempt.commit();
}

// --- the answers of a committed group ---

void Engine::collect_answers(Group& group) {
  group.done.replies.reserve(group.commands.size() + group.claims.size());
  group.done.answers.reserve(group.commands.size() + group.claims.size());
  for (std::size_t i = 0; i < group.commands.size(); ++i) {
    count_effects(stats_, *group.commands[i], group.answers[i]);
    const auto* steps = std::get_if<core::WriteSteps>(group.commands[i]);
    const bool may_wait = steps != nullptr && group.onces[i] == nullptr && group.work == nullptr;
    if (may_wait && has_parked(*steps, group.replies[i], group.answers[i])) continue;
    group.done.replies.push_back(std::move(group.replies[i]));
    group.done.answers.push_back(std::move(group.answers[i]));
  }
  group.forget_commands();
  collect_claim_answers(group);
}

// A claim that got no tasks waits again.
void Engine::collect_claim_answers(Group& group) {
  std::vector<WaitingClaim> again;
  const core::MonotonicTime now = clock_.monotonic();
  for (std::size_t i = 0; i < group.claims.size(); ++i) {
    WaitingClaim& claim = group.claims[i];
    const std::size_t claimed = claim.stored_answer ? 0 : claimed_count(*group.claim_answers[i]);
    stats_.tasks_claimed += static_cast<std::int64_t>(claimed);
    group.served += claimed > 0 ? 1 : 0;
    if (claimed > 0 || claim.stored_answer || claim.until <= now) {
      group.done.replies.push_back(std::move(claim.reply));
      group.done.answers.push_back(std::move(group.claim_answers[i]));
    } else if (!waiters_.park(claim, group.wakes_seen)) {
      again.push_back(std::move(claim));
    }
  }
  group.claims = std::move(again);
}

bool Engine::has_parked(const core::WriteSteps& command, core::Reply& reply, Result<Answer>& answer) {
  auto* written = answer ? std::get_if<core::StepsWritten>(&*answer) : nullptr;
  if (written == nullptr || !is_awaiting(command, *written)) return false;
  step_waits_.park(command, {.reply = std::move(reply), .written = std::move(*written)},
                   clock_.monotonic() + command.await->at_most);
  return true;
}

// A claim that read the store before this group committed missed its tasks. It may have been parked too late
// to join the group, so it is served now.
void Engine::add_missed_claims(Group& group) {
  if (group.unclaimed.empty()) return;
  for (WaitingClaim& claim : waiters_.take_for(std::exchange(group.unclaimed, {})))
    group.claims.push_back(std::move(claim));
}

// --- a refused group ---

// Defects of rows repeat on every try: run the commands one by one, so that the others succeed.
void Engine::refuse(Group& group, const StoreError& error) {
  const StoreError::Kind kind = error.kind();
  const bool is_of_rows = kind == StoreError::Kind::internal || kind == StoreError::Kind::conflict ||
                          kind == StoreError::Kind::invalid;
  if (is_of_rows && !group.has_one_part()) return run_each(group);
  if (is_of_rows) damage_.report("a command", error.what());
  refusals_.note(error);
  group.refuse(error.problem());
}

// One command may need more memory than there is while the others need little: run them one by one.
void Engine::refuse_for_lack_of_memory(Group& group) {
  if (!group.has_one_part()) return run_each(group);
  ++stats_.refused_groups;
  group.refuse({.code = core::ProblemCode::resource_exhausted, .detail = core::kOutOfMemory});
}

void Engine::run_each(Group& group) {
  Group whole = std::move(group);
  group = {};
  group.done = std::move(whole.done);
  const auto run_one = [this, &group](Group one) {
    run(one);
    group.served += one.served;
    reply(std::move(one.done));
  };
  // A command is dropped if there is no memory even for its group. This ends the call that waits for it.
  for (std::size_t i = 0; i < whole.commands.size(); ++i) {
    (void)core::has_memory_for([&] {
      Group one;
      one.commands.push_back(whole.commands[i]);
      one.onces.push_back(whole.onces[i]);
      one.replies.push_back(std::move(whole.replies[i]));
      run_one(std::move(one));
    });
  }
  for (WaitingClaim& claim : whole.claims) {
    (void)core::has_memory_for([&] {
      Group one;
      one.claims.push_back(std::move(claim));
      run_one(std::move(one));
    });
  }
}

// --- waits ---

void Engine::serve_waiting(bool only_limited) {
  bool may_have_more = true;  // after a claim was served, the next of its kind may get tasks too
  while (may_have_more) {
    Group group;
    group.claims = waiters_.take_oldest_of_each_kind(only_limited);
    run(group);
    reply(std::move(group.done));
    may_have_more = group.served > 0;
  }
}

void Engine::end_waits() {
  for (const WaitingClaim& claim : waiters_.take_expired(clock_.monotonic()))
    claim.reply(Answer{std::vector<core::ClaimedTask>{}});
  for (ReadyReply& ready : step_waits_.take_expired(clock_.monotonic()))
    ready.reply(Answer{std::move(ready.written)});
  lease_notices_.end_expired();
}

void Engine::end_waits_of(const std::string& ns, const std::string& worker_id) {
  for (const WaitingClaim& claim : waiters_.take_of_worker(ns, worker_id))
    claim.reply(Answer{std::vector<core::ClaimedTask>{}});
  lease_notices_.end_of(ns, worker_id);
}

void Engine::abandon_waits() {
  for (const WaitingClaim& claim : waiters_.take_all()) claim.reply(Answer{std::vector<core::ClaimedTask>{}});
  for (ReadyReply& ready : step_waits_.take_all()) ready.reply(Answer{std::move(ready.written)});
  lease_notices_.end_all();
}

}  // namespace pawl::engine
