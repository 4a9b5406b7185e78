// Every verb of the store: written rows are read back unchanged.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/store/postgres_support.hpp"

namespace pawl::store {
namespace {

using namespace std::chrono_literals;
using core::Place;
using core::TaskStatus;
using postgres_test::Database;
using postgres_test::Hands;
using postgres_test::Session;

class PostgresRoundTrip : public ::testing::Test {
 protected:
  Database database;
  Hands hands{database.conninfo(), 0ms};
  Store& store = *hands.store;

  core::TaskRecord load(const core::TaskId& id, bool facts = true) {
    const auto tx = store.begin();
    return tx->load({.tasks = {{.id = id, .facts = facts}}}).tasks.front().value();
  }
  void write(Transaction& tx, const TaskWrite& task) { tx.commit({.tasks = {task}}); }
};

core::TaskSpec rich_spec() {
  return {
      .type = "mail",
      .payload =
          {"{\"a\":1e400,\"\\u0000\":\"\xc3\xa9\xf0\x9f\xa6\x89\",\"a\":-0, \"big\":18446744073709551615}"},
      .priority = -7,
      .key = "ent'ity \"1\" \\",
      .idempotency_key = "once {,\"}",
      .retry = {.max_attempts = -1, .jitter = 0.5, .non_retryable = {"E1", "E,2"}},
      .timeout = 1500ms,
      .labels = {{"team", "a\"b"}, {"π", "ü"}}};
}

TEST_F(PostgresRoundTrip, KeepsAllFactsOfAReadyTask) {
  const auto tx = store.begin();
  const core::TaskRecord record = hands.new_task(rich_spec(), tx->now());
  tx->commit({.tasks = {{.is_new = true, .record = &record}}});

  const auto stored = store.find_task(record.id);
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->record.facts, record.facts);
  EXPECT_EQ(stored->record.place, Place::ready);
  EXPECT_EQ(stored->record.status, TaskStatus::pending);
  EXPECT_EQ(stored->record.available_at, record.available_at);
  EXPECT_EQ(stored->record.lane, record.lane);

  EXPECT_EQ(load(record.id).facts, record.facts);
  EXPECT_EQ(load(record.id, false).facts.key, record.facts.key);
}

TEST_F(PostgresRoundTrip, FindsNoMissingTask) {
  EXPECT_FALSE(store.find_task(core::TaskId{hands.ids.next(hands.clock.now())}));
  const auto tx = store.begin();
  const auto loaded = tx->load({.tasks = {{.id = core::TaskId{}}}});
  EXPECT_FALSE(loaded.tasks.front());
}

TEST_F(PostgresRoundTrip, KeepsTheLeaseThroughStartAndHeartbeat) {
  const auto tx = store.begin();
  const core::TaskRecord created = hands.new_task(rich_spec(), tx->now());
  tx->commit({.tasks = {{.is_new = true, .record = &created}}});
  const auto claimed = hands.claim(1);
  ASSERT_EQ(claimed.size(), 1U);
  EXPECT_EQ(claimed[0].facts, created.facts);

  core::TaskRecord leased = load(created.id, false);
  EXPECT_EQ(leased.lease, claimed[0].lease);
  EXPECT_EQ(leased.progress, claimed[0].progress);
  EXPECT_EQ(leased.status, TaskStatus::claimed);
  EXPECT_EQ(leased.facts.key, created.facts.key);
  EXPECT_FALSE(leased.has_facts);

  hands.clock.advance(3s);
  auto renewal = store.begin();
  core::TaskRecord now = renewal->load({.tasks = {{.id = created.id}}}).tasks.front().value();
  now.lease->heartbeat_at = renewal->now();
  now.lease->started_at = renewal->now();
  now.lease->timeout_at = renewal->now() + 7s;
  now.lease->expires_at = renewal->now() + 60s;
  now.lease->renewals = 1;
  now.lease->cancel_requested = true;
  write(*renewal, Hands::written(now, Place::leased, now.progress.fence));
  const core::TaskRecord after = load(created.id);
  EXPECT_EQ(after.lease, now.lease);
  EXPECT_EQ(after.status, TaskStatus::running);
  EXPECT_EQ(after.facts, created.facts);
  EXPECT_EQ(store.find_task(created.id)->record.lease, now.lease);
}

TEST_F(PostgresRoundTrip, KeepsTheEndOfACompletedTask) {
  const auto made = hands.enqueue(3);
  const auto claimed = hands.claim(2);
  hands.clock.advance(1s);
  hands.complete(claimed);
  const core::TaskRecord ended = load(made[0]);
  EXPECT_EQ(ended.place, Place::finished);
  EXPECT_EQ(ended.status, TaskStatus::completed);
  EXPECT_EQ(ended.end->output.text, R"({"ok":true})");
  EXPECT_EQ(ended.end->worker_id, "worker-1");
  EXPECT_EQ(ended.end->finished_at, hands.clock.now());
  EXPECT_EQ(ended.end->claimed_at, claimed[0].lease->acquired_at);
  EXPECT_EQ(ended.end->fence, 1);
  EXPECT_EQ(store.find_task(made[0])->record.end, ended.end);
  EXPECT_EQ(load(made[2]).place, Place::ready);
}

TEST_F(PostgresRoundTrip, KeepsAttemptsAndCheckpointsInOrder) {
  const auto id = hands.enqueue(1).front();
  (void)hands.claim(1);
  auto tx = store.begin();
  core::TaskRecord record = tx->load({.tasks = {{.id = id, .facts = true}}}).tasks.front().value();
  hands.clock.advance(31s);
  tx.reset();
  tx = store.begin();
  const auto change = core::decide_sweep(record, 1, {.now = tx->now()});
  ASSERT_TRUE(change);
  core::apply(record, *change);
  TaskWrite back = Hands::written(record, Place::leased, 1);
  back.attempts = {*change->attempt};
  back.error_boundaries = {*change->error_boundary, {R"({"second":true})"}};
  (void)tx->load({.tasks = {{.id = id}}});
  write(*tx, back);

  const auto stored = store.find_task(id);
  ASSERT_EQ(stored->attempts.size(), 1U);
  EXPECT_EQ(stored->attempts[0], *change->attempt);
  EXPECT_EQ(stored->record.progress.fence, 2);
  const auto checkpoints = store.list_checkpoints({.owner = id});
  ASSERT_EQ(checkpoints.size(), 2U);
  EXPECT_EQ(checkpoints[0].sequence, 1);
  EXPECT_EQ(checkpoints[0].type, "error_boundary");
  EXPECT_EQ(checkpoints[0].snapshot, *change->error_boundary);
  EXPECT_EQ(checkpoints[1].sequence, 2);
  EXPECT_EQ(checkpoints[0].created_at, hands.clock.now());

  tx = store.begin();
  const std::vector<core::LeaseRef> refs{{.task_id = id, .fence = 9}, {.task_id = id, .fence = 1}};
  const auto found = tx->load({.attempts = refs}).attempts;
  EXPECT_FALSE(found[0]);
  EXPECT_EQ(found[1], *change->attempt);
}

TEST_F(PostgresRoundTrip, StoresNothingIfAGuardFails) {
  const auto id = hands.enqueue(1).front();
  (void)hands.claim(1);
  auto tx = store.begin();
  core::TaskRecord record = tx->load({.tasks = {{.id = id}}}).tasks.front().value();
  core::TaskRecord other = hands.new_task({.type = "mail"}, tx->now());
  record.lease->renewals = 5;
  try {
    tx->commit({.tasks = {Hands::written(record, Place::leased, 7), {.is_new = true, .record = &other}}});
    FAIL() << "a wrong fence was accepted";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), StoreError::Kind::retry);
  }
  tx.reset();
  EXPECT_EQ(load(id).lease->renewals, 0);
  EXPECT_FALSE(store.find_task(other.id));
}

TEST_F(PostgresRoundTrip, StoresNothingWithoutACommit) {
  (void)hands.enqueue(5);
  {
    const auto tx = store.begin();
    EXPECT_EQ(hands.take(*tx, 3).size(), 3U);
  }
  EXPECT_EQ(hands.claim(10).size(), 5U);
}

TEST_F(PostgresRoundTrip, ClaimsReadyTasksByPriorityThenTimeThenId) {
  const auto low = hands.enqueue(2, {.type = "mail", .priority = -1});
  const auto first = hands.enqueue(2, {.type = "mail"});
  hands.clock.advance(1s);
  const auto other_type = hands.enqueue(1, {.type = "print"});
  hands.clock.advance(1s);
  const auto third = hands.enqueue(1, {.type = "mail"});
  const auto high = hands.enqueue(1, {.type = "print", .priority = 5});
  std::vector<core::TaskId> order;
  for (const auto& record : hands.claim(6)) order.push_back(record.id);
  EXPECT_EQ(order, (std::vector{high[0], first[0], first[1], other_type[0], third[0], low[0]}));
}

TEST_F(PostgresRoundTrip, ClaimsNoMoreThanTheShareOfALane) {
  (void)hands.enqueue(5, {.type = "mail"});
  hands.clock.advance(1s);
  (void)hands.enqueue(5, {.type = "print"});
  const auto tx = store.begin();
  const std::vector<LaneShare> shares{{.lane = hands.lane({.type = "mail"}), .max = 2},
                                      {.lane = hands.lane({.type = "print"}), .max = 9}};
  const auto taken = tx->take_ready(shares, 4);
  ASSERT_EQ(taken.size(), 4U);
  EXPECT_EQ(taken[1].lane->type, "mail");
  EXPECT_EQ(taken[2].lane->type, "print");
  EXPECT_EQ(tx->take_ready(shares, 10).size(), 5U);  // two more and three: taken tasks are not taken again
}

TEST_F(PostgresRoundTrip, ListsDueTasksInOrder) {
  const auto later = hands.enqueue(1, {.type = "mail", .delay = 20s});
  const auto sooner = hands.enqueue(2, {.type = "mail", .delay = 10s});
  EXPECT_EQ(store.due_tasks(10).ids.size(), 0U);
  EXPECT_EQ(store.due_tasks(10).next, hands.clock.now() + 10s);
  hands.clock.advance(10s);
  EXPECT_EQ(store.due_tasks(10).ids, sooner);
  EXPECT_EQ(store.due_tasks(10).next, hands.clock.now() + 10s);
  EXPECT_EQ(store.due_tasks(1).ids, (std::vector{sooner[0]}));
  EXPECT_EQ(store.due_tasks(1).next, hands.clock.now());
  hands.clock.advance(10s);
  EXPECT_EQ(store.due_tasks(10).ids, (std::vector{sooner[0], sooner[1], later[0]}));
  EXPECT_FALSE(store.due_tasks(10).next);
  EXPECT_EQ(hands.claim(10).size(), 0U);

  const auto tx = store.begin();
  core::TaskRecord record = tx->load({.tasks = {{.id = later[0]}}}).tasks.front().value();
  EXPECT_EQ(record.place, Place::scheduled);
  core::apply(record, core::decide_promote(record, tx->now()).value());
  write(*tx, Hands::written(record, Place::scheduled, 0));
  EXPECT_EQ(hands.claim(10).size(), 1U);
}

TEST_F(PostgresRoundTrip, ListsLeasesDueByExpiryOrTimeout) {
  (void)hands.enqueue(1);
  const auto by_expiry = hands.claim(1, 30s);
  (void)hands.enqueue(1, {.type = "mail", .timeout = 10s});
  const auto by_timeout = hands.claim(1, 60s);
  EXPECT_TRUE(store.due_leases(10).empty());
  hands.clock.advance(10s);
  ASSERT_EQ(store.due_leases(10).size(), 1U);
  EXPECT_EQ(store.due_leases(10)[0].task_id, by_timeout[0].id);
  EXPECT_EQ(store.due_leases(10)[0].fence, 1);
  hands.clock.advance(20s);
  ASSERT_EQ(store.due_leases(10).size(), 2U);
  EXPECT_EQ(store.due_leases(10)[1].task_id, by_expiry[0].id);
  EXPECT_EQ(store.due_leases(1).size(), 1U);
}

TEST_F(PostgresRoundTrip, SeparatesIdempotencyKeysByNamespaceAndType) {
  const auto id = hands.enqueue(1, {.type = "mail", .idempotency_key = "k"}).front();
  auto tx = store.begin();
  const auto loaded = tx->load({.idempotency = {{.ns = "default", .type = "print", .key = "k"},
                                                {.ns = "default", .type = "mail", .key = "k"},
                                                {.ns = "other", .type = "mail", .key = "k"}}});
  EXPECT_EQ(loaded.idempotency, (std::vector<std::optional<core::TaskId>>{std::nullopt, id, std::nullopt}));
  tx.reset();
  try {
    (void)hands.enqueue(1, {.type = "mail", .idempotency_key = "k"});
    FAIL() << "the key was given twice";
  } catch (const StoreError& error) {
    EXPECT_EQ(error.kind(), StoreError::Kind::retry);
  }
}

TEST_F(PostgresRoundTrip, LocksWritesAndErasesAKeyLine) {
  const LineRef ref{.ns = "default", .queue = "default", .key = "k"};
  const LineRef other{.ns = "default", .queue = "default", .key = "l"};
  const core::TaskSpec spec{.type = "mail", .key = "k"};
  auto tx = store.begin();
  const std::vector<LineRef> refs{ref, other};
  auto lines = tx->lock_lines(refs);
  EXPECT_FALSE(lines[0].head);
  EXPECT_EQ(lines[0].tail, 0);
  const core::TaskRecord head = hands.new_task(spec, tx->now());
  const core::TaskRecord second =
      core::new_task(core::TaskId{hands.ids.next(tx->now())}, *head.lane, spec, tx->now(), false);
  const core::TaskRecord third =
      core::new_task(core::TaskId{hands.ids.next(tx->now())}, *head.lane, spec, tx->now(), false);
  tx->commit({.tasks = {{.is_new = true, .record = &head},
                        {.is_new = true, .record = &second, .line_position = 1},
                        {.is_new = true, .record = &third, .line_position = 2}},
              .lines = {{.ref = ref, .line = {.head = head.id, .tail = 2}}}});
  EXPECT_EQ(Session{database.conninfo()}.value("select count(*) from pawl.key_lines"), "1");

  tx = store.begin();
  lines = tx->lock_lines(refs);
  EXPECT_EQ(lines[0].head, head.id);
  EXPECT_EQ(lines[0].tail, 2);
  auto waiting = tx->first_waiting(ref, 1);
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(waiting[0].id, second.id);
  EXPECT_EQ(waiting[0].facts, second.facts);
  EXPECT_EQ(waiting[0].status, TaskStatus::blocked);
  EXPECT_EQ(tx->first_waiting(ref, 5).size(), 2U);
  core::apply(waiting[0], core::decide_unblock(waiting[0], tx->now()));
  tx->commit({.tasks = {Hands::written(waiting[0], Place::waiting, 0)}, .lines = {{.ref = ref, .line = {}}}});
  EXPECT_EQ(Session{database.conninfo()}.value("select count(*) from pawl.key_lines"), "0");
  EXPECT_EQ(load(second.id).place, Place::ready);
  EXPECT_EQ(load(third.id).place, Place::waiting);
  EXPECT_EQ(load(third.id, false).facts.key, "k");
}

TEST_F(PostgresRoundTrip, KeepsQueueSettingsAndCountsHeldTasks) {
  (void)hands.enqueue(3);
  const core::Lane* lane = hands.lane({.type = "mail"});
  const QueueRef ref{.ns = "default", .name = "default"};
  const core::QueueSettings settings{.paused = true,
                                     .max_concurrency = 7,
                                     .type_concurrency = {{"mail", 3}},
                                     .rate = core::Rate{.limit = 5, .per = 60s},
                                     .rate_spent_until = hands.clock.now() + 1s};
  auto tx = store.begin();
  tx->commit({.counts = {{.lane = lane, .delta = {.pending = -2, .claimed = 1, .running = 1}}},
              .queues = {{.ref = ref, .settings = settings}}});
  tx = store.begin();
  const std::vector<QueueRef> refs{ref, {.ns = "default", .name = "none"}};
  EXPECT_EQ(tx->load({.queues = refs}).queues, (std::vector{settings, core::QueueSettings{}}));
  const auto locked = tx->lock_queues(refs);
  EXPECT_EQ(locked[0].settings, settings);
  ASSERT_EQ(locked[0].held.size(), 1U);
  EXPECT_EQ(locked[0].held[0].held, 2);
  EXPECT_EQ(locked[1].settings, core::QueueSettings{});
  tx.reset();

  hands.clock.advance(5s);
  for (int folded = 0; folded < 2; ++folded) {
    const auto queues = store.list_queues("default");
    ASSERT_EQ(queues.size(), 1U);
    EXPECT_EQ(queues[0].name, "default");
    EXPECT_EQ(queues[0].settings, settings);
    EXPECT_EQ(queues[0].counts, (core::QueueCounts{.pending = 1, .claimed = 1, .running = 1}));
    EXPECT_EQ(queues[0].oldest_pending_age, 5s);
    store.maintain();
  }
  EXPECT_EQ(Session{database.conninfo()}.value("select count(*) from pawl.lane_counts"), "1");
  EXPECT_TRUE(store.list_queues("other").empty());
}

TEST_F(PostgresRoundTrip, LoadsTheLanesOfAnotherNodeAtTheNextTransaction) {
  Hands other{database.conninfo(), 0ms};
  const auto id = other.enqueue(1, {.type = "print"}).front();
  EXPECT_EQ(store.find_task(id)->record.lane->type, "print");
  (void)store.begin();
  EXPECT_EQ(store.lanes_of({.ns = "default", .name = "default"}).size(), 1U);
  EXPECT_EQ(hands.lane({.type = "print"})->id, other.lane({.type = "print"})->id);
  EXPECT_EQ(hands.lane({.type = "mail"})->id, 2);
}

TEST_F(PostgresRoundTrip, KeepsTheRowOfALeaseClaimedAgainInOneGroup) {
  const auto id = hands.enqueue(1).front();
  (void)hands.claim(1);
  const auto tx = store.begin();
  core::TaskRecord record = tx->load({.tasks = {{.id = id, .facts = true}}}).tasks.front().value();
  record.progress.fence = 3;
  record.lease->worker_id = "worker-2";
  write(*tx, Hands::written(record, Place::leased, 1));
  EXPECT_EQ(load(id).progress.fence, 3);
  EXPECT_EQ(load(id).lease->worker_id, "worker-2");
}

class PostgresLists : public PostgresRoundTrip {
 protected:
  void SetUp() override {
    pending = hands.enqueue(2, {.type = "mail", .labels = {{"team", "a"}}});
    hands.clock.advance(1s);
    (void)hands.enqueue(2, {.type = "print"});
    const auto claimed = hands.claim(4);
    hands.complete({claimed[2], claimed[3]});
    completed = {claimed[2].id, claimed[3].id};
    leased = {claimed[0].id, claimed[1].id};
    hands.clock.advance(1s);
    pending = hands.enqueue(2, {.type = "mail", .key = "k1", .labels = {{"team", "b"}}});
    scheduled = hands.enqueue(1, {.type = "mail", .delay = 60s});
    all = {leased[0], leased[1], completed[0], completed[1], pending[0], pending[1], scheduled[0]};
  }
  std::set<core::TaskId> ids(TaskFilter filter) {
    const auto found = store.list_task_ids({.filter = std::move(filter)});
    return {found.begin(), found.end()};
  }
  static std::set<core::TaskId> set(std::vector<core::TaskId> list) { return {list.begin(), list.end()}; }

  std::vector<core::TaskId> all, pending, scheduled, leased, completed;
};

TEST_F(PostgresLists, PageThroughAllTasksInBothOrders) {
  for (const bool newest_first : {true, false}) {
    TaskPage page{.filter = {.ns = "default"}, .newest_first = newest_first, .limit = 3};
    std::vector<core::TaskId> seen;
    for (auto ids = store.list_task_ids(page); !ids.empty(); ids = store.list_task_ids(page)) {
      EXPECT_EQ(store.list_tasks(page).size(), ids.size());
      seen.insert(seen.end(), ids.begin(), ids.end());
      page.after = ids.back();
    }
    auto expected = all;
    std::sort(expected.begin(), expected.end());
    if (newest_first) std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(seen, expected);
  }
}

TEST_F(PostgresLists, FilterByStatus) {
  EXPECT_EQ(ids({.ns = "default", .statuses = {TaskStatus::pending}}),
            set({pending[0], pending[1], scheduled[0]}));
  EXPECT_EQ(ids({.ns = "default", .statuses = {TaskStatus::claimed}}), set(leased));
  EXPECT_EQ(ids({.ns = "default", .statuses = {TaskStatus::running}}), set({}));
  EXPECT_EQ(ids({.ns = "default", .statuses = {TaskStatus::completed}}), set(completed));
  EXPECT_EQ(ids({.ns = "default", .statuses = {TaskStatus::dead_letter, TaskStatus::blocked}}), set({}));
  EXPECT_EQ(ids({.ns = "default", .statuses = {TaskStatus::completed, TaskStatus::claimed}}),
            set({leased[0], leased[1], completed[0], completed[1]}));
}

TEST_F(PostgresLists, FilterByAllOtherFields) {
  EXPECT_EQ(ids({.ns = "default", .type = "print"}), set(completed));
  EXPECT_EQ(ids({.ns = "default", .queue = "none"}), set({}));
  EXPECT_EQ(ids({.ns = "default", .worker_id = "worker-1"}), set(leased));
  EXPECT_EQ(ids({.ns = "default", .worker_id = "x' or true --"}), set({}));
  EXPECT_EQ(ids({.ns = "default", .key = "k1"}), set(pending));
  EXPECT_EQ(ids({.ns = "default", .statuses = {TaskStatus::completed}, .key = "k1"}), set({}));
  EXPECT_EQ(ids({.ns = "default", .statuses = {TaskStatus::pending}, .key = "k1"}), set(pending));
  EXPECT_EQ(ids({.ns = "default", .label = {{"team", "b"}}}), set(pending));
  EXPECT_EQ(ids({.ns = "default", .label = {{"team", "c"}}}), set({}));
  const auto last = store.find_task(pending[0])->record.facts.created_at;
  EXPECT_EQ(ids({.ns = "default", .created_after = last - 1us}), set({pending[0], pending[1], scheduled[0]}));
  EXPECT_EQ(ids({.ns = "default", .created_before = last}),
            set({leased[0], leased[1], completed[0], completed[1]}));
  EXPECT_EQ(ids({.ns = "default", .created_after = last}), set({}));
}

}  // namespace
}  // namespace pawl::store
