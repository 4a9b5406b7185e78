#include "store/postgres/store_impl.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/ensure.hpp"
#include "store/migrate.hpp"
#include "store/postgres/monotonic.hpp"
#include "store/postgres/queues.hpp"
#include "store/postgres/records.hpp"
#include "store/postgres/sql.hpp"
#include "store/postgres/transaction.hpp"
#include "store/postgres/user_sql.hpp"

namespace pawl::store::postgres {

namespace {

constexpr int kGuests = 4;
constexpr int kSchemaVersion = schema_version_of(sql::kMigrations);

[[noreturn]] void refuse_ended_life() {
  throw StoreError{StoreError::Kind::retry, "another database server has taken over"};
}

struct RollBack {
  explicit RollBack(Connection& on) : connection(on) {}
  RollBack(const RollBack&) = delete;
  RollBack& operator=(const RollBack&) = delete;
  ~RollBack() {
    if (!is_over) connection.roll_back();
  }

  Connection& connection;
  bool is_over = false;
};

}  // namespace

PostgresStore::PostgresStore(PostgresOptions options)
    : shared_(std::move(options)),
      writers_(shared_.server, shared_.options.writers),
      readers_(shared_.server, shared_.options.readers),
      keepers_(shared_.server, 1),
      guests_(shared_.server, kGuests) {
  shared_.server.lives.on_new_life([this](std::uint64_t life) { shared_.begin_life(life); });
}

std::vector<Rows> PostgresStore::run(Connection& connection, const Ask& ask) {
  while (true) {
    const bool is_new = connection.connect_or_throw();
    ask(connection);
    std::vector<Rows> answers;
    const auto failure = connection.run(answers);
    if (!failure) return answers;
    if (!failure->is_lost) connection.roll_back();
    const bool is_worth_another = failure->is_lost ? !is_new : is_pooler_trouble(failure->sqlstate);
    if (!is_worth_another) failure->raise();
  }
}

std::vector<Rows> PostgresStore::read(Connection& connection, const Ask& ask) {
  auto answers = run(connection, [&](Connection& used) {
    used.send(sql::begin_read);
    used.send(sql::pin_plans);
    ask(used);
    used.send(sql::commit);
  });
  connection.expect_identity(answers[1].text(0, 0));
  answers.erase(answers.begin(), answers.begin() + 2);
  answers.pop_back();
  return answers;
}

std::vector<Rows> PostgresStore::read_twice(Connection& connection, const Ask& ask,
                                            const AskAgain& ask_again) {
  auto answers = run(connection, [&](Connection& used) {
    used.send(sql::begin_read);
    used.send(sql::pin_plans);
    ask(used);
  });
  RollBack unless_it_is_read{connection};
  connection.expect_identity(answers[1].text(0, 0));
  answers.erase(answers.begin(), answers.begin() + 2);
  ask_again(connection, answers);
  connection.send(sql::commit);
  auto more = connection.run_or_throw();
  unless_it_is_read.is_over = true;
  more.pop_back();
  std::move(more.begin(), more.end(), std::back_inserter(answers));
  return answers;
}

ServerClock::Time PostgresStore::read_time(Connection& connection) {
  core::MonotonicTime sent;
  const auto answers = run(connection, [&](Connection& used) {
    sent = shared_.clock.elapsed();
    used.send(sql::now);
  });
  return shared_.clock.read(answers.front(), 0, 1, sent);
}

void PostgresStore::record_step(Connection& connection) {
  const ServerClock::Time time = read_time(connection);
  if (!time.step) return;
  const core::RecordRef ref = core::clock_ref();
  const core::RawJson body = core::encode(*time.step);
  (void)run(connection, [&](Connection& used) {
    Params params;
    params.value(core::to_string(ref.kind));
    params.value(std::string_view{ref.ns});
    params.value(std::string_view{ref.key});
    params.value(time.step->steps);
    params.value(std::string_view{body.text});
    params.value(std::optional{time.step->since});
    used.send(sql::put_clock, params);
  });
  (void)read_time(connection);
}

void PostgresStore::ask_to_start(Connection& connection, const Hints& hints) {
  connection.send(sql::start_write);
  connection.send(sql::read_start);
  ask_for_lanes(connection, shared_.lanes);
  for (const core::RecordRef& ref : hints.records) ask_for_record(connection, ref);
  if (!hints.queues.empty()) connection.send(sql::find_queue, refs_of(hints.queues));
  if (hints.holder) ask_for_held_if_free(connection, *hints.holder);
}

std::unique_ptr<Transaction> PostgresStore::started(Pool::Loan connection, std::span<const Rows> answers,
                                                    const Hints& hints, core::MonotonicTime sent) {
  RollBack unless_it_is_the_same{*connection};
  connection->expect_identity(answers[1].text(0, 1));
  shared_.schema_found = answers[1].int4(0, 2);
  expect_schema(shared_.schema_found, kSchemaVersion);
  learn_lanes_or_throw(shared_.lanes, answers[2], *connection);
  ServerClock::Time time = shared_.clock.read(answers[1], 0, 3, sent);
  unless_it_is_the_same.is_over = true;
  if (time.step) {
    connection->roll_back();
    record_step(*connection);
    throw StoreError{StoreError::Kind::retry, "the database's clock was set"};
  }
  PostgresTransaction::Begun begun{.time = std::move(time),
                                   .life = connection->life(),
                                   .number = answers[0].int8(0, 1),
                                   .is_synchronous = answers[0].boolean(0, 2)};
  auto answer = answers.begin() + 3;
  for (const core::RecordRef& ref : hints.records) begun.records.emplace(ref, read_first_record(*answer++));
  const std::vector<QueueRef>& queues = hints.queues;
  if (!queues.empty()) {
    auto settings = read_settings_of(*answer++, queues.size());
    for (std::size_t i = 0; i < queues.size(); ++i) begun.queues.emplace(queues[i], std::move(settings[i]));
  }
  const bool is_locked = hints.holder && answer->count() > 0;
  if (is_locked) begun.held.emplace(*hints.holder, std::next(answer)->int8(0, 0));
  return std::make_unique<PostgresTransaction>(shared_, std::move(connection), std::move(begun));
}

std::unique_ptr<Transaction> PostgresStore::begin_at(ServerClock::Time time, Pool::Loan connection) {
  Connection& held = *connection;
  const core::TimePoint now = time.now;
  const std::int64_t steps = time.state->steps;
  auto transaction = std::make_unique<PostgresTransaction>(
      shared_, std::move(connection),
      PostgresTransaction::Begun{.time = std::move(time), .life = held.life(), .is_guessed = true});
  const auto ask = [this, now, steps](Connection& used) {
    used.send(sql::begin_write);
    used.send(sql::start_write);
    ask_for_lanes(used, shared_.lanes);
    const bool is_servers = shared_.options.clock == nullptr;
    Params params;
    params.value(is_servers ? std::optional{now - HeardClock::kEarlyMax} : std::nullopt);
    params.value(is_servers ? std::optional{now + HeardClock::kLateMax} : std::nullopt);
    params.value(static_cast<std::int32_t>(kSchemaVersion));
    params.value(used.server_identity());
    params.value(steps);
    used.send(sql::expect_start, params);
  };
  held.hold_back(ask, [this, &held, begun = transaction.get()](std::span<const Rows> answers) {
    shared_.clock.confirm(answers[1], 0);
    (void)learn_lanes(shared_.lanes, answers[2], held);  // the server has compared the identity
    begun->set_begun(answers[1].int8(0, 1), answers[1].boolean(0, 2));
  });
  return transaction;
}

std::unique_ptr<Transaction> PostgresStore::begin_after(const Hints& hints, const SqlWork* work) {
  return work == nullptr ? begin_alone(hints) : begin_behind(*work);
}

// If nothing has to be read before the group is decided, the beginning, the writes and the commit go in one
// round trip. If the reply is lost, so is the transaction id for looking up the commit, so this is only for
// groups that may be repeated, and only on a connection that appears to be alive.
std::unique_ptr<Transaction> PostgresStore::begin_alone(const Hints& hints) {
  Pool::Loan connection = writers_.borrow();
  const bool may_go_at_once = hints.is_nothing() && hints.may_be_repeated && connection->is_quiet() &&
                              shared_.schema_found == kSchemaVersion;
  if (auto time = may_go_at_once ? shared_.clock.guess() : std::nullopt)
    return begin_at(std::move(*time), std::move(connection));
  core::MonotonicTime sent;
  const auto answers = run(*connection, [&](Connection& used) {
    sent = shared_.clock.elapsed();
    used.send(sql::begin_write);
    ask_to_start(used, hints);
  });
  return started(std::move(connection), std::span{answers}.subspan(1), hints, sent);
}

// The time is read and the plans are pinned after the user's statements. They use connections of their own,
// so that a slow statement does not hold up a commit loop.
std::unique_ptr<Transaction> PostgresStore::begin_behind(const SqlWork& work) {
  Pool::Loan connection = guests_.borrow();
  (void)run(*connection, [](Connection& used) { used.send(sql::begin_write); });
  RollBack unless_it_goes_on{*connection};
  UserSql sql{*connection};
  const bool goes_on = work(sql);
  sql.throw_if_passing();
  if (!goes_on) return nullptr;
  PAWL_ENSURE(!sql.has_failed(), "a transaction with a failed statement must not be committed");
  const core::MonotonicTime sent = shared_.clock.elapsed();
  ask_to_start(*connection, {});
  const auto answers = connection->run_or_throw();
  unless_it_goes_on.is_over = true;
  return started(std::move(connection), answers, {}, sent);
}

void PostgresStore::await_durable(CommitNumber number) {
  if (shared_.replication.has(number)) return;
  const Pool::Loan connection = writers_.borrow();
  (void)connection->connect_or_throw();
  const CommitNumber commit = shared_.replication.begin_commit();
  if (!commit_to_standby(*connection))
    throw StoreError{StoreError::Kind::unknown, "the rows may not be on the synchronous standby"};
  shared_.replication.note_replicated(commit);
}

core::TimePoint PostgresStore::now() {
  const Pool::Loan connection = readers_.borrow();
  return now(*connection);
}

core::TimePoint PostgresStore::now(Connection& connection) {
  ServerClock::Time time = read_time(connection);
  if (time.step) {
    record_step(connection);
    time = read_time(connection);
  }
  return time.now;
}

std::vector<const core::Lane*> PostgresStore::intern_lanes(std::span<const LaneKey> keys) {
  std::vector<LaneKey> missing;
  for (const LaneKey& key : keys) {
    if (shared_.lanes.find(key) == nullptr) missing.push_back(key);
  }
  if (!missing.empty()) {
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    const Pool::Loan connection = readers_.borrow();
    make_lanes(*connection, missing);
  }
  std::vector<const core::Lane*> lanes;
  lanes.reserve(keys.size());
  for (const LaneKey& key : keys) {
    lanes.push_back(shared_.lanes.find(key));
    if (lanes.back() == nullptr) refuse_ended_life();
  }
  return lanes;
}

void PostgresStore::read_lanes(Connection& connection) {
  const auto answers = run(connection, [&](Connection& used) { ask_for_lanes(used, shared_.lanes); });
  learn_lanes_or_throw(shared_.lanes, answers.front(), connection);
}

void PostgresStore::expect_life_of(const std::vector<const core::Lane*>& lanes,
                                   const Connection& connection) const {
  const std::uint64_t current = life();
  const bool is_current =
      connection.life() == current &&
      std::all_of(lanes.begin(), lanes.end(), [&](const core::Lane* lane) { return lane->life == current; });
  if (!is_current) refuse_ended_life();
}

void PostgresStore::make_lanes(Connection& connection, const std::vector<LaneKey>& keys) {
  const auto schema = run(connection, [](Connection& used) { used.send(sql::schema_version); });
  expect_schema(schema.front().int4(0, 0), kSchemaVersion);
  const auto answers = run(connection, [&](Connection& used) {
    Params params;
    params.column(keys, [](const LaneKey& key) { return std::string_view{key.ns}; });
    params.column(keys, [](const LaneKey& key) { return std::string_view{key.queue}; });
    params.column(keys, [](const LaneKey& key) { return std::string_view{key.type}; });
    params.column(keys, [](const LaneKey& key) { return key.priority; });
    params.column(keys, [](const LaneKey& key) { return key.of_runs; });
    params.column(keys, [](const LaneKey& key) { return key.fair; });
    used.send(sql::begin_write);
    used.send(sql::lock_lanes);
    used.send(sql::insert_lane, params);
    ask_for_lanes(used, shared_.lanes);
    used.send(sql::commit);
  });
  learn_lanes_or_throw(shared_.lanes, answers[3], connection);
}

}  // namespace pawl::store::postgres
