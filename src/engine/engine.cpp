#include "engine/engine.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <limits>
#include <utility>

#include "core/base/canary.hpp"
#include "core/base/damage.hpp"
#include "core/base/low_memory.hpp"
#include "engine/claim_round.hpp"
#include "engine/count_effects.hpp"
#include "engine/due.hpp"
#include "engine/due_parts.hpp"
#include "engine/foresight.hpp"

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

constexpr int kTicksOfParts = 100;  // after damage was found
std::int64_t claimed_count(const Answer& answer) {
  return static_cast<std::int64_t>(std::get<std::vector<core::ClaimedTask>>(answer).size());
}

bool has_tasks(const Answer& answer) { return claimed_count(answer) > 0; }

// Limited claims wait for freed slots and for time, and poll again on their own.
bool is_any_limited(const std::vector<WaitingClaim>& claims) {
  return std::any_of(claims.begin(), claims.end(), [](const WaitingClaim& claim) { return claim.limited; });
}

// A group that writes nothing may still reply with what other groups committed, such as an existing task. A
// claim without tasks does not.
bool is_any_settled(const std::vector<WaitingClaim>& claims) {
  return std::any_of(claims.begin(), claims.end(),
                     [](const WaitingClaim& claim) { return claim.settled.has_value(); });
}

}  // namespace

// One group on its way through a transaction; kept across retries.
struct Engine::Group {
  std::vector<const core::Command*> commands;
  std::vector<const core::DoOnce*> onces;  // parallel to `commands`; null: the command is not idempotent
  std::vector<core::Reply> replies;
  std::vector<Result<Answer>> answers;
  std::vector<WaitingClaim> claims;
  std::vector<Result<Answer>> claim_answers;
  std::vector<store::LaneKey> missing_lanes;  // found by a failed try
  Answers done;                               // of the committed part
  std::uint64_t wakes_seen = 0;
  std::vector<Wake> left_ready;  // claimable tasks that it committed but gave to no claim
  int served = 0;                // claims that got tasks
  core::MonotonicTime began_at = {};
  // Set for `transact`: `own` is computed in the transaction, after the user's own statements.
  const OwnWork* work = nullptr;
  core::Command own = {};
  bool is_kept = true;
};

Engine::Engine(store::Store& store, core::Clock& clock, core::Random& random, EngineLimits limits)
    : store_(store),
      clock_(clock),
      random_(random),
      bounds_(limits.runs),
      waiters_(limits.waiting_claims_max),
      lease_notices_(clock),
      types_(clock),
      ids_(random) {}

Engine::Answers Engine::commit(std::vector<Request> requests) {
  Group group;
  group.done.replies.reserve(requests.size());  // so that a refusal for lack of memory allocates nothing
  group.done.answers.reserve(requests.size());
  for (Request& request : requests) {
    const auto* once = std::get_if<core::DoOnce>(&request.command);
    core::Command& command = once == nullptr ? request.command : once->command->value;
    if (auto* claim = std::get_if<core::ClaimTasks>(&command)) {
      const core::MonotonicTime asked_at = clock_.monotonic();
      const core::MonotonicTime until = asked_at + claim->wait;
      WaitingClaim& waiting = group.claims.emplace_back(WaitingClaim{.claim = std::move(*claim),
                                                                     .reply = std::move(request.reply),
                                                                     .asked_at = asked_at,
                                                                     .until = until});
      if (once != nullptr) waiting.once = *once;
    } else {
      group.commands.push_back(&command);
      group.onces.push_back(once);
      group.replies.push_back(std::move(request.reply));
    }
  }
  run_group(group);
  return std::move(group.done);
}

void Engine::settle(Answers& answers) {
  try {
    store_.await_durable(answers.number);
  } catch (const StoreError& error) {
    count_refusal(error);
    answers.answers.assign(answers.replies.size(), error.problem());
    answers.news.clear();
    answers.notices.clear();
  }
  answers.number = store::kDurable;
}

void Engine::tell(Answers answers) {
  settle(answers);
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
  run_group(group);
  tell(std::move(group.done));
  if (!*answer) return answer->problem();
  if (!group.is_kept) return std::optional<Answer>{};
  return std::optional{std::move(**answer)};
}

std::unique_ptr<store::Transaction> Engine::begin(Group& group, const Lanes& lanes) {
  if (group.work == nullptr)
    return store_.begin(
        foresee({.commands = group.commands, .onces = group.onces, .lanes = lanes, .claims = group.claims},
                waiters_, store_));
  return store_.begin_with([&group](store::Sql& sql) {
    auto command = (*group.work)(sql);
    group.is_kept = command.has_value();
    if (command) group.own = std::move(*command);
    return group.is_kept;
  });
}

void Engine::run_group(Group& group) {
  int conflicts = 0;
  int losses = 0;
  const core::MonotonicTime first_at = clock_.monotonic();
  while (!group.commands.empty() || !group.claims.empty()) {
    try {
      group.began_at = clock_.monotonic();
      const auto commands = static_cast<std::int64_t>(group.commands.size() + group.claims.size());
      try_group(group);
      ++stats_.groups;
      stats_.commands += commands;
      stats_.group_micros += (clock_.monotonic() - group.began_at).count();
      collect_answers(group);
      serve_parked(group);
      // Claims that are served once more wait for another commit; the other replies need not.
      if (!group.claims.empty()) tell(std::exchange(group.done, {}));
    } catch (const MissingLanes& missing) {
      group.missing_lanes = missing.keys;
    } catch (const StoreError& error) {
      const StoreError::Kind kind = error.kind();
      const bool is_loss = kind == StoreError::Kind::unavailable || kind == StoreError::Kind::timeout;
      const bool may_retry = (kind == StoreError::Kind::retry && ++conflicts < kTriesAfterConflict) ||
                             (is_loss && ++losses < kTriesAfterLoss);
      if (may_retry && clock_.monotonic() - first_at < kTriesFor) continue;
      refuse(group, error);
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

// Defects of rows repeat on every try: run the commands one by one, so that the others succeed.
void Engine::refuse(Group& group, const StoreError& error) {
  const StoreError::Kind kind = error.kind();
  const bool is_of_rows = kind == StoreError::Kind::internal || kind == StoreError::Kind::conflict ||
                          kind == StoreError::Kind::invalid;
  if (is_of_rows && group.work == nullptr && group.commands.size() + group.claims.size() > 1)
    return run_each(group);
  if (is_of_rows) tell_damage("a command", error.what());
  count_refusal(error);
  refuse_group(group, error.problem());
}

// One command may need more memory than there is while the others need little: run them one by one.
void Engine::refuse_for_lack_of_memory(Group& group) {
  if (group.work == nullptr && group.commands.size() + group.claims.size() > 1) return run_each(group);
  ++stats_.refused_groups;
  refuse_group(group, {.code = core::ProblemCode::resource_exhausted, .detail = core::kOutOfMemory});
}

void Engine::run_each(Group& group) {
  Group whole = std::move(group);
  group = {};
  group.done = std::move(whole.done);
  const auto run_one = [this, &group](Group one) {
    run_group(one);
    group.served += one.served;
    tell(std::move(one.done));
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

void Engine::try_group(Group& group) {
  group.answers.clear();
  group.claim_answers.clear();
  group.wakes_seen = waiters_.wakes();
  const Lanes lanes = intern_lanes(store_, group.commands);
  if (!group.missing_lanes.empty()) (void)store_.intern_lanes(group.missing_lanes);

  const auto tx = begin(group, lanes);
  if (tx == nullptr) {
    group.answers.emplace_back(Answer{core::Done{}});
    return;
  }
  Batch batch{lanes,
              {.store = store_,
               .tx = *tx,
               .ids = ids_,
               .random = random_,
               .plans = plans_,
               .types = types_,
               .cache = run_cache_,
               .bounds = bounds_}};
  batch.lock_keys(group.onces);
  batch.load(group.commands);
  execute_commands(group, batch);
  const auto note_seen = [&] { group.done.number = std::max(group.done.number, tx->seen()); };
  if (!group.commands.empty()) note_seen();
  if (group.work != nullptr && !group.answers.front()) return;  // the user's statements are rolled back too
  batch.set().advance_lines();
  batch.set().give_turns();
  join_waiting(group, batch);
  settle_claims(group, batch);
  if (is_any_settled(group.claims)) note_seen();
  ClaimRound round{store_, *tx, batch.set(), group.began_at, batch.run_inputs()};
  answer_claims(group, round.serve(group.claims));
  batch.add_memos(group.claims, group.claim_answers);
  batch.show_made();
  keep_answers(group, batch);
  note_scheduled(batch);

  if (core::planted(core::Canary::answer_before_commit)) {
    collect_answers(group);
    tell(std::exchange(group.done, {}));
  }
  const store::WriteSet writes = batch.writes();
  if (writes.is_nothing() && !writes.depends_on.leases) return batch.keep_in_cache(writes);
  group.done.number = std::max(group.done.number, tx->commit_soon(writes));
  // An empty commit does not prove that the store is writable. Nor does a group that began before the
  // refusal.
  std::int64_t refused = stats_.refused_since;
  if (!writes.is_nothing() && refused < group.began_at.time_since_epoch().count())
    stats_.refused_since.compare_exchange_strong(refused, 0);
  if (!writes.runs.empty()) {
    auto news = run_watch_.news_of(batch.runs().changed());
    group.done.news.insert(group.done.news.end(), std::make_move_iterator(news.begin()),
                           std::make_move_iterator(news.end()));
  }
  for (LeaseNotice& notice : batch.set().take_notices()) group.done.notices.push_back(std::move(notice));
  note_damaged(batch.set());
  answer_step_waits(group, batch, tx->now());
  batch.keep_in_cache(writes);
  const bool may_be_missed = store_.writers() > 1 && !group.commands.empty() && !is_any_limited(group.claims);
  if (may_be_missed) group.left_ready = batch.set().wakes();
}

void Engine::execute_commands(Group& group, Batch& batch) {
  group.answers.reserve(group.commands.size());
  for (std::size_t i = 0; i < group.commands.size(); ++i) {
    if (group.onces[i] != nullptr) {
      auto known = batch.look_up(*group.onces[i]);
      if (!known) {
        group.answers.emplace_back(known.problem());
        continue;
      }
      if (*known) {
        group.answers.emplace_back(Answer{std::move(**known)});
        continue;
      }
    }
    group.answers.push_back(batch.execute(*group.commands[i]));
  }
}

// Settles the claims that another group served while this group waited.
void Engine::settle_claims(Group& group, Batch& batch) {
  std::vector<const core::DoOnce*> onces;
  for (WaitingClaim& claim : group.claims) {
    claim.settled.reset();
    if (claim.once) onces.push_back(&*claim.once);
  }
  batch.lock_keys(onces);
  for (WaitingClaim& claim : group.claims) {
    if (!claim.once) continue;
    auto known = batch.look_up(*claim.once);
    if (!known) {
      claim.settled = known.problem();
    } else if (*known) {
      claim.settled = Answer{std::move(**known)};
    }
  }
}

// A claim that got no tasks has changed nothing and may be repeated, so its answer is not stored.
void Engine::keep_answers(Group& group, Batch& batch) {
  for (std::size_t i = 0; i < group.commands.size(); ++i) {
    if (group.onces[i] != nullptr) batch.keep(*group.onces[i], group.answers[i]);
  }
  for (std::size_t i = 0; i < group.claims.size(); ++i) {
    const bool is_served = !group.claims[i].settled && has_tasks(*group.claim_answers[i]);
    if (group.claims[i].once && is_served) batch.keep(*group.claims[i].once, group.claim_answers[i]);
  }
}

void Engine::join_waiting(Group& group, Batch& batch) {
  std::vector<WaitingClaim> joining = waiters_.take_for(batch.set().wakes());
  const auto add = [&joining](std::vector<WaitingClaim> more) {
    joining.insert(joining.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  for (const auto& [ref, queue] : batch.set().queues()) {
    if (queue.is_changed) add(waiters_.take_of_queue(ref, false, std::numeric_limits<std::size_t>::max()));
  }
  if (waiters_.has_limited()) {
    for (const auto& [ref, count] : batch.set().freed()) {
      add(waiters_.take_of_queue(ref, true, static_cast<std::size_t>(count)));
    }
  }
  group.claims.insert(group.claims.begin(), std::make_move_iterator(joining.begin()),
                      std::make_move_iterator(joining.end()));
}

void Engine::note_scheduled(Batch& batch) {
  auto earliest = batch.set().earliest_scheduled();
  if (const auto due = batch.runs().earliest_due()) earliest = std::min(earliest.value_or(*due), *due);
  if (!earliest) return;
  std::int64_t known = earliest_scheduled_.load();
  while (core::micros(*earliest) < known &&
         !earliest_scheduled_.compare_exchange_weak(known, core::micros(*earliest))) {
  }
}

std::optional<core::TimePoint> Engine::take_earliest_scheduled() {
  const std::int64_t earliest = earliest_scheduled_.exchange(kNeverScheduled);
  if (earliest == kNeverScheduled) return std::nullopt;
  return core::time_from_micros(earliest);
}

void Engine::answer_claims(Group& group, const std::vector<std::vector<WorkingTask*>>& given) {
  static const std::vector<core::Attempt> no_history;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (group.claims[i].settled) {
      group.claim_answers.push_back(*group.claims[i].settled);
      continue;
    }
    const auto& tasks = given[i];
    std::vector<core::ClaimedTask> claimed;
    claimed.reserve(tasks.size());
    for (const WorkingTask* task : tasks) {
      claimed.push_back({.task = core::view_of(task->record, no_history)});
      core::ClaimedTask& shown = claimed.back();
      shown.execution_key = core::execution_key(shown.task, shown.task.attempt);
    }
    group.claim_answers.emplace_back(Answer{std::move(claimed)});
  }
}

void Engine::collect_answers(Group& group) {
  group.done.replies.reserve(group.commands.size() + group.claims.size());
  group.done.answers.reserve(group.commands.size() + group.claims.size());
  const auto answer = [&done = group.done](core::Reply& reply, Result<Answer>& given) {
    done.replies.push_back(std::move(reply));
    done.answers.push_back(std::move(given));
  };
  for (std::size_t i = 0; i < group.commands.size(); ++i) {
    count_effects(stats_, *group.commands[i], group.answers[i]);
    const auto* steps = std::get_if<core::WriteSteps>(group.commands[i]);
    const bool may_wait = steps != nullptr && group.onces[i] == nullptr && group.work == nullptr;
    if (may_wait && has_parked(*steps, group.replies[i], group.answers[i])) continue;
    answer(group.replies[i], group.answers[i]);
  }
  group.commands.clear();
  group.onces.clear();
  group.replies.clear();

  std::vector<WaitingClaim> again;
  const core::MonotonicTime now = clock_.monotonic();
  for (std::size_t i = 0; i < group.claims.size(); ++i) {
    WaitingClaim& claim = group.claims[i];
    const bool is_served = !claim.settled && has_tasks(*group.claim_answers[i]);
    if (is_served) stats_.tasks_claimed += claimed_count(*group.claim_answers[i]);
    group.served += is_served ? 1 : 0;
    if (is_served || claim.settled || claim.until <= now) {
      answer(claim.reply, group.claim_answers[i]);
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

// The group sends these replies once it is durable.
void Engine::answer_step_waits(Group& group, const Batch& batch, core::TimePoint now) {
  if (step_waits_.is_empty()) return;
  const auto is_awaited = [this](const core::RunId& run) { return step_waits_.has(run); };
  for (RunStepChange& change : batch.runs().step_changes(is_awaited)) {
    change.now = now;
    for (ReadyReply& ready : step_waits_.take_for(change)) {
      group.done.replies.push_back(std::move(ready.reply));
      group.done.answers.emplace_back(Answer{std::move(ready.written)});
    }
  }
}

// A claim that read the store before this group committed missed its tasks. It may have been parked too late
// to join the group, so it is served now.
void Engine::serve_parked(Group& group) {
  if (group.left_ready.empty()) return;
  for (WaitingClaim& claim : waiters_.take_for(std::exchange(group.left_ready, {})))
    group.claims.push_back(std::move(claim));
}

void Engine::refuse_group(Group& group, const core::Problem& problem) {
  const auto refuse = [&](core::Reply& reply) {
    group.done.replies.push_back(std::move(reply));
    group.done.answers.emplace_back(problem);
  };
  for (core::Reply& reply : group.replies) refuse(reply);
  for (WaitingClaim& claim : group.claims) refuse(claim.reply);
  group.commands.clear();
  group.onces.clear();
  group.replies.clear();
  group.claims.clear();
}

void Engine::serve_waiting(bool only_limited) {
  bool may_have_more = true;  // after a claim was served, the next of its kind may get tasks too
  while (may_have_more) {
    Group group;
    group.claims = waiters_.take_oldest_of_each_kind(only_limited);
    run_group(group);
    tell(std::move(group.done));
    may_have_more = group.served > 0;
  }
}

TickResult Engine::tick(std::size_t page) {
  TickResult result;
  std::vector<Request> requests;
  std::vector<std::pair<core::ParkRun, core::ProblemCode>> failed;
  try {
    for (core::Command& command : find_due(page, result.next_due)) {
      if (const auto* runs = std::get_if<core::WakeRuns>(&command))
        stats_.deadlines_passed += static_cast<std::int64_t>(runs->deadlines.size());
      int& count = std::holds_alternative<core::SweepLeases>(command)  ? result.leases
                   : std::holds_alternative<core::PromoteDue>(command) ? result.promoted
                                                                       : result.woken;
      const auto note = [this, &count](const Result<Answer>& answer) {
        if (answer) count += std::get<core::Swept>(*answer).changed;
        if (!answer && answer.problem().code != core::ProblemCode::unavailable)
          ticks_of_parts_ = kTicksOfParts;
      };
      for (core::Command& part : parts_of(command, ticks_of_parts_ > 0)) {
        auto run = only_run_of(part);
        core::Reply reply = note;
        if (run) {
          reply = [note, run = std::move(*run), &failed](const Result<Answer>& answer) mutable {
            note(answer);
            if (answer) return;
            run.why = answer.problem().detail;
            failed.emplace_back(std::move(run), answer.problem().code);
          };
        }
        requests.push_back({.command = std::move(part), .reply = std::move(reply)});
      }
    }
    if (ticks_of_parts_ > 0) --ticks_of_parts_;
    result.store_now = store_.now();
    note_clock();
  } catch (const StoreError&) {
    return {};  // the next tick tries again; health is judged by commits, not here
  }
  if (!requests.empty()) execute(std::move(requests));
  for (auto& [run, code] : failed) park(std::move(run), code);
  stats_.leases_expired += result.leases;
  return result;
}

int Engine::sweep_records(std::size_t page) {
  std::vector<DueWork> due;
  try {
    for (const core::RecoveryCheck check : {core::RecoveryCheck::workers, core::RecoveryCheck::retention}) {
      auto found = engine::find_due(store_, check, {.page = page});
      if (check == core::RecoveryCheck::workers)
        stats_.workers_lost += static_cast<std::int64_t>(found.size());
      due.insert(due.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    }
  } catch (const StoreError&) {
    return 0;  // the next sweep tries again
  }
  const int count = static_cast<int>(due.size());
  for (DueWork& work : due) {  // one transaction each: a lost worker does not delay the others
    std::vector<Request> group;
    group.push_back({.command = std::move(work.command), .reply = [](const Result<Answer>&) {}});
    execute(std::move(group));
  }
  return count;
}

void Engine::look_into_stuck(std::size_t page, core::Duration stuck_after) {
  std::vector<Request> group;
  try {
    for (DueWork& work :
         engine::find_due(store_, core::RecoveryCheck::stuck, {.page = page, .stuck_after = stuck_after}))
      group.push_back({.command = std::move(work.command), .reply = [this](const Result<Answer>& answer) {
                         if (answer) stats_.runs_stuck += std::get<core::Swept>(*answer).changed;
                       }});
  } catch (const StoreError&) {
    return;  // the next check tries again
  }
  if (!group.empty()) execute(std::move(group));
}

bool Engine::may_have_changed() {
  try {
    return store_.may_have_changed();
  } catch (const StoreError&) {
    return false;
  }
}

void Engine::maintain() {
  try {
    store_.maintain();
  } catch (const StoreError&) {
    return;  // housekeeping runs again in a second
  }
}

}  // namespace pawl::engine
