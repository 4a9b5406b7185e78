#include "store/postgres/transaction.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "store/postgres/monotonic.hpp"
#include "store/postgres/queues.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/task_writes.hpp"

namespace pawl::store::postgres {

namespace {

using std::chrono::milliseconds;

// How long to query the outcome of a commit whose reply was lost.
constexpr core::Duration kSettleFor = std::chrono::seconds{10};
constexpr core::Duration kFirstAsk = milliseconds{5};
constexpr core::Duration kSlowestAsk = milliseconds{500};
constexpr std::string_view kDuplicateKey = "23505";

enum class Outcome : std::uint8_t { committed, aborted, may_be_repeated, not_known_yet, lost };

Outcome ask_outcome(Connection& connection, std::int64_t number, std::uint64_t life) {
  if (connection.connect(Connection::When::at_once)) return Outcome::not_known_yet;
  if (number == 0) return Outcome::may_be_repeated;
  // After a failover or a crash the id may mean another transaction.
  if (connection.life() != life) return Outcome::lost;
  Params params;
  params.value(std::to_string(number));
  connection.send(sql::find_transaction_status, params);
  std::vector<Rows> answers;
  if (connection.run(answers)) return Outcome::not_known_yet;
  const std::string_view status = answers.front().text(0, 0);  // null, if long ago, reads as empty
  // The reply may have been lost while the commit waited for an absent synchronous standby.
  if (status == "committed") return commit_to_standby(connection) ? Outcome::committed : Outcome::lost;
  if (status == "aborted") return Outcome::aborted;
  return status.empty() ? Outcome::lost : Outcome::not_known_yet;
}

// Whether the writes only end tasks. Other commits need a transaction id: a claim that was applied twice
// would leave the first tasks without a worker.
bool is_of_ends(const std::vector<TaskWrite>& tasks) {
  return std::all_of(tasks.begin(), tasks.end(), [](const TaskWrite& write) {
    return !write.is_new && write.record->place == core::Place::finished;
  });
}

}  // namespace

PostgresTransaction::~PostgresTransaction() {
  if (!is_open_) return;
  const bool is_guess_wrong = is_guessed_ && number_ == 0 && !connection_->is_holding_back();
  if (is_guess_wrong) {  // possibly: the next transaction reads the time first
    shared_.clock.forget_guess();
    shared_.schema_found = 0;
  }
  connection_->roll_back();
  for (const core::TaskId& id : held_) shared_.leases.forget(id);  // possibly outdated
  for (const Taken& taken : taken_) shared_.marks_of(*taken.lane).lower(taken.lane->id, taken.first);
}

PostgresTransaction::Events PostgresTransaction::events_of(const WriteSet& writes) const {
  if (writes.runs.empty()) return Events::all_or_error;
  const bool is_shared = shared_.run_races.is_recent(monotonic_now());
  if (is_guessed_ && appends_alone(writes) && (is_shared || writes.runs.size() == 1))
    return Events::may_be_none;
  return is_shared ? Events::appended : Events::all_or_error;
}

CommitNumber PostgresTransaction::write(const WriteSet& writes, Durability /*durability*/) {
  if (number_ == 0 && !is_of_ends(writes.tasks)) (void)connection_->run_or_throw();
  check_lanes(writes);
  const Events events = events_of(writes);
  const FirstLeases leases = send_writes(writes, events);
  const CommitNumber commit = shared_.replication.begin_commit();
  connection_->send(sql::commit);
  std::vector<Rows> answers;
  (void)connection_->take_warning();
  const auto failure = connection_->run(answers);
  if (failure && failure->sqlstate == kDuplicateKey && !writes.runs.empty())
    shared_.run_races.note(monotonic_now());           // a duplicate event, or another duplicate key
  if (failure && !failure->is_lost) failure->raise();  // the destructor rolls back
  if (failure) settle_lost_commit(*failure, events);
  // COMMIT of a transaction that has already failed succeeds, with the command tag ROLLBACK.
  if (!failure && answers.back().command() != "COMMIT") {
    throw StoreError{StoreError::Kind::retry,
                     "the server rolled back the transaction at COMMIT because a statement had failed"};
  }
  is_open_ = false;
  if (!failure && connection_->take_warning())
    throw StoreError{StoreError::Kind::unknown, "the commit may not be on the synchronous standby"};
  if (events == Events::may_be_none && !has_appended(answers[answers.size() - 2])) lost_run_race();
  if (!writes.is_nothing()) shared_.replication.note_replicated(commit);
  if (is_current()) note_committed(writes);
  if (!failure && is_current()) remember(writes, leases, answers);
  connection_.give_back();  // the next group need not wait for the destructor
  return kDurable;
}

// Queues first: another group may hold one of them and wait for a key that is inserted here.
FirstLeases PostgresTransaction::send_writes(const WriteSet& writes, Events events) {
  send_queues(writes.queues);
  send_records(writes.records);
  send_checkpoints(writes.checkpoints);
  send_held();
  send_runs_seen(writes.depends_on.runs);
  if (events == Events::appended) append_events_first(writes);
  FirstLeases leases =
      send_tasks(*connection_, writes.tasks, addresses_, {.now = start_.now, .claims_at = start_.claims_at});
  send_runs(writes, events);
  send_lines(writes.lines);
  send_turns(writes.turns);
  send_counts(*connection_, writes.counts);
  send_audit(writes.audit);
  send_erased(writes);
  return leases;
}

void PostgresTransaction::check_lanes(const WriteSet& writes) const {
  const auto is_stale = [this](const core::Lane* lane) {
    return lane != nullptr && lane->life != start_.life;
  };
  const auto task_is_stale = [&](const TaskWrite& write) { return is_stale(write.record->lane); };
  const auto is_stale_in = [&](const auto& parts) {
    return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return is_stale(part.lane); });
  };
  if (std::any_of(writes.tasks.begin(), writes.tasks.end(), task_is_stale) || is_stale_in(writes.counts) ||
      is_stale_in(writes.turns))
    throw StoreError{StoreError::Kind::retry, "the database server has failed over"};
}

void PostgresTransaction::send_held() {
  if (held_.empty()) return;
  Params params;
  params.column(held_, [this](const core::TaskId& id) { return addresses_.at(id); });
  params.column(held_, [](const core::TaskId& id) { return id; });
  params.value(kFirstFence);
  params.value(static_cast<std::int64_t>(held_.size()));
  connection_->send(sql::expect_leases, params);
}

// The connection was lost during COMMIT. Returns if the transaction was committed nevertheless. A group
// without a transaction id is retried as soon as there is a connection; its outcome cannot be determined
// before.
void PostgresTransaction::settle_lost_commit(const Failure& failure, Events events) {
  const core::MonotonicTime until = monotonic_now() + kSettleFor;
  for (core::Duration pause = kFirstAsk; monotonic_now() < until; pause = std::min(pause * 2, kSlowestAsk)) {
    switch (ask_outcome(*connection_, number_, start_.life)) {
      case Outcome::committed:
        // Only the lost reply shows whether events were inserted; the group may be repeated.
        if (events == Events::may_be_none) throw StoreError{StoreError::Kind::retry, failure.message};
        return;
      case Outcome::may_be_repeated:
      case Outcome::aborted: throw StoreError{StoreError::Kind::retry, failure.message};
      case Outcome::lost: throw StoreError{StoreError::Kind::unknown, failure.message};
      case Outcome::not_known_yet: wait(shared_.server.jitter.spread(pause)); break;
    }
  }
  throw StoreError{StoreError::Kind::unknown, failure.message};
}

void PostgresTransaction::note_committed(const WriteSet& writes) {
  std::map<const core::Lane*, Position> first_ready;
  std::int64_t left_dead = static_cast<std::int64_t>(taken_.empty() ? 0 : 1);
  for (const TaskWrite& write : writes.tasks) {
    if (!write.is_new) ++left_dead;
    const core::TaskRecord& record = *write.record;
    if (record.place != core::Place::ready) continue;
    const Position position{.available_at = core::lane_time(record), .id = record.id};
    const auto [entry, is_first] = first_ready.emplace(record.lane, position);
    if (!is_first) entry->second = std::min(entry->second, position);
  }
  for (const auto& [lane, first] : first_ready) shared_.marks_of(*lane).lower(lane->id, first);
  shared_.rows_left_dead += left_dead;
  shared_.counts_written += static_cast<std::int64_t>(writes.counts.size());
}

void PostgresTransaction::remember(const WriteSet& writes, const FirstLeases& leases,
                                   const std::vector<Rows>& answers) {
  shared_.facts.remember(writes.tasks);
  if (leases.writes.empty()) return;
  const Rows& rows = answers[leases.answer];
  std::vector<Address> addresses;
  addresses.reserve(leases.writes.size());
  for (int row = 0; row < rows.count(); ++row) addresses.push_back(rows.address(row, 0));
  shared_.leases.remember(leases.writes, addresses);
}

}  // namespace pawl::store::postgres
