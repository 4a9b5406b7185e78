#include "engine/group_try.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "engine/body_memos.hpp"
#include "engine/claim_round.hpp"
#include "engine/prefetch_hints.hpp"

namespace pawl::engine {

using core::Answer;
using core::Result;

namespace {

// Limited claims wait for freed slots and for time, and poll again on their own.
bool has_limited(const std::vector<WaitingClaim>& claims) {
  return std::any_of(claims.begin(), claims.end(), [](const WaitingClaim& claim) { return claim.limited; });
}

bool has_stored_answer(const std::vector<WaitingClaim>& claims) {
  return std::any_of(claims.begin(), claims.end(),
                     [](const WaitingClaim& claim) { return claim.stored_answer.has_value(); });
}

std::vector<core::ClaimedTask> claimed_tasks(const std::vector<WorkingTask*>& tasks) {
  static const std::vector<core::Attempt> no_history;
  std::vector<core::ClaimedTask> claimed;
  claimed.reserve(tasks.size());
  for (const WorkingTask* task : tasks) {
    core::ClaimedTask& one =
        claimed.emplace_back(core::ClaimedTask{.task = core::view_of(task->record, no_history)});
    one.execution_key = core::execution_key(one.task, one.task.attempt);
  }
  return claimed;
}

}  // namespace

// --- load ---

bool GroupTry::load() {
  group_.answers.clear();
  group_.claim_answers.clear();
  group_.wakes_seen = with_.waiters.wakes();
  lanes_ = intern_lanes(with_.store, group_.commands);
  if (!group_.missing_lanes.empty()) (void)with_.store.intern_lanes(group_.missing_lanes);
  tx_ = begin();
  if (tx_ == nullptr) {
    group_.answers.emplace_back(Answer{core::Done{}});
    return false;
  }
  batch_.emplace(lanes_, Batch::Dependencies{.store = with_.store,
                                             .tx = *tx_,
                                             .ids = with_.ids,
                                             .random = with_.random,
                                             .plans = with_.plans,
                                             .types = with_.types,
                                             .cache = with_.cache,
                                             .bounds = with_.bounds});
  batch_->onces().lock(group_.onces);
  batch_->load(group_.commands);
  return true;
}

// Null: the user's own work returned no command.
std::unique_ptr<store::Transaction> GroupTry::begin() {
  if (group_.work == nullptr) {
    return with_.store.begin(prefetch_hints(
        {.commands = group_.commands, .onces = group_.onces, .lanes = lanes_, .claims = group_.claims},
        with_.waiters, with_.store));
  }
  return with_.store.begin_with([this](store::Sql& sql) {
    auto command = (*group_.work)(sql);
    group_.is_kept = command.has_value();
    if (command) group_.own = std::move(*command);
    return group_.is_kept;
  });
}

// --- decide ---

bool GroupTry::decide() {
  group_.answers.reserve(group_.commands.size());
  for (std::size_t i = 0; i < group_.commands.size(); ++i) group_.answers.push_back(execute(i));
  if (!group_.commands.empty()) note_seen();
  if (group_.work != nullptr && !group_.answers.front()) return false;
  batch_->tasks().advance_lines();
  batch_->tasks().give_turns();
  return true;
}

Result<Answer> GroupTry::execute(std::size_t index) {
  if (const core::DoOnce* once = group_.onces[index]) {
    auto known = batch_->onces().look_up(*once);
    if (!known) return known.problem();
    if (*known) return Answer{std::move(**known)};
  }
  return batch_->execute(*group_.commands[index]);
}

// A group that writes nothing may still reply with what other groups committed, such as an existing task. Its
// replies wait until that is durable.
void GroupTry::note_seen() { group_.done.number = std::max(group_.done.number, tx_->seen()); }

// --- claim ---

void GroupTry::claim() {
  add_waiting_claims();
  look_up_claims();
  if (has_stored_answer(group_.claims))
    note_seen();  // a claim without tasks replies with nothing that was read
  ClaimRound round{with_.store, *tx_, batch_->tasks(), group_.began_at, batch_->run_inputs()};
  answer_claims(round.serve(group_.claims));
  add_memos(group_.claims, group_.claim_answers, batch_->runs(), *tx_);
  batch_->tasks().fill_in_shown();
  keep_answers();
  note_scheduled();
}

void GroupTry::add_waiting_claims() {
  Waiters& waiters = with_.waiters;
  WorkingSet& tasks = batch_->tasks();
  std::vector<WaitingClaim> waiting = waiters.take_for(tasks.wakes());
  const auto add = [&waiting](std::vector<WaitingClaim> more) {
    waiting.insert(waiting.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  for (const auto& [ref, queue] : tasks.queues()) {
    if (queue.is_changed) add(waiters.take_of_queue(ref, false, std::numeric_limits<std::size_t>::max()));
  }
  if (waiters.has_limited()) {
    for (const auto& [ref, count] : tasks.freed())
      add(waiters.take_of_queue(ref, true, static_cast<std::size_t>(count)));
  }
  group_.claims.insert(group_.claims.begin(), std::make_move_iterator(waiting.begin()),
                       std::make_move_iterator(waiting.end()));
}

// Finds the claims that another group served while this group waited.
void GroupTry::look_up_claims() {
  std::vector<const core::DoOnce*> onces;
  for (WaitingClaim& claim : group_.claims) {
    claim.stored_answer.reset();
    if (claim.once) onces.push_back(&*claim.once);
  }
  batch_->onces().lock(onces);
  for (WaitingClaim& claim : group_.claims) {
    if (!claim.once) continue;
    auto known = batch_->onces().look_up(*claim.once);
    if (!known) {
      claim.stored_answer = known.problem();
    } else if (*known) {
      claim.stored_answer = Answer{std::move(**known)};
    }
  }
}

void GroupTry::answer_claims(const std::vector<std::vector<WorkingTask*>>& given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (group_.claims[i].stored_answer) {
      group_.claim_answers.push_back(*group_.claims[i].stored_answer);
    } else {
      group_.claim_answers.emplace_back(Answer{claimed_tasks(given[i])});
    }
  }
}

// A claim that got no tasks has changed nothing and may be repeated, so its answer is not stored.
void GroupTry::keep_answers() {
  OnceRecords& onces = batch_->onces();
  for (std::size_t i = 0; i < group_.commands.size(); ++i) {
    if (group_.onces[i] != nullptr) onces.keep(*group_.onces[i], group_.answers[i]);
  }
  for (std::size_t i = 0; i < group_.claims.size(); ++i) {
    const WaitingClaim& claim = group_.claims[i];
    const bool is_served = !claim.stored_answer && claimed_count(*group_.claim_answers[i]) > 0;
    if (claim.once && is_served) onces.keep(*claim.once, group_.claim_answers[i]);
  }
}

void GroupTry::note_scheduled() {
  if (const auto time = batch_->tasks().earliest_scheduled()) with_.scheduled.note(*time);
  if (const auto time = batch_->runs().earliest_due()) with_.scheduled.note(*time);
}

// --- commit ---

void GroupTry::commit() {
  const store::WriteSet writes = batch_->writes();
  const bool has_commit = !writes.is_nothing() || writes.depends_on.leases;
  if (has_commit) {
    group_.done.number = std::max(group_.done.number, tx_->commit_soon(writes));
    note_commit(writes);
  }
  batch_->keep_in_cache(writes);
  if (!has_commit) return;
  const bool may_be_missed =
      with_.store.writers() > 1 && !group_.commands.empty() && !has_limited(group_.claims);
  if (may_be_missed) group_.unclaimed = batch_->tasks().wakes();
}

void GroupTry::note_commit(const store::WriteSet& writes) {
  if (!writes.is_nothing()) with_.refusals.note_commit(group_.began_at);
  if (!writes.runs.empty()) {
    auto news = with_.run_watch.news_of(batch_->runs().changed());
    group_.done.news.insert(group_.done.news.end(), std::make_move_iterator(news.begin()),
                            std::make_move_iterator(news.end()));
  }
  for (LeaseNotice& notice : batch_->tasks().take_notices()) group_.done.notices.push_back(std::move(notice));
  report_damaged();
  answer_step_waits();
}

void GroupTry::report_damaged() {
  for (const DamagedTask& task : batch_->tasks().damaged()) {
    ++with_.stats.tasks_set_aside;
    with_.damage.report("task " + core::to_string(task.id),
                        task.what + " cannot be read; the task is skipped by claims");
  }
}

// The group sends these replies once it is durable.
void GroupTry::answer_step_waits() {
  StepWaits& waits = with_.step_waits;
  if (waits.is_empty()) return;
  const auto is_awaited = [&waits](const core::RunId& run) { return waits.has(run); };
  for (RunStepChange& change : batch_->runs().step_changes(is_awaited)) {
    change.now = tx_->now();
    for (ReadyReply& ready : waits.take_for(change)) {
      group_.done.replies.push_back(std::move(ready.reply));
      group_.done.answers.emplace_back(Answer{std::move(ready.written)});
    }
  }
}

}  // namespace pawl::engine
