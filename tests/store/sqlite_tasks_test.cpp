// Every verb of a transaction, with a round trip through the file.

#include "engine/verify_task.hpp"
#include "tests/store/sqlite_fixture.hpp"

namespace pawl::store {
namespace {

using core::Place;
using core::TaskStatus;

using SqliteTasks = SqliteTest;

core::TaskSpec full_spec() {
  return {.type = "t",
          .payload = {R"({"nul":"\u0000","quote":"\"'","n":18446744073709551615, "tab":"\t","ü":"😀"})"},
          .key = "customer's \"7\"",
          .idempotency_key = "once; drop table tasks --",
          .retry = {.max_attempts = 9, .initial_interval = 5s, .non_retryable = {"a", "b"}},
          .timeout = 90s,
          .labels = {{"team", "blue"}, {"it's", "\"quoted\""}}};
}

TEST_F(SqliteTasks, KeepTheirFactsByteForByte) {
  const auto record = enqueue(full_spec());
  const auto found = store->find_task(record.id);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->record.facts, record.facts);
  EXPECT_TRUE(found->record.has_facts);
  EXPECT_EQ(found->record.lane, record.lane);
  EXPECT_EQ(found->record.place, Place::ready);
  EXPECT_EQ(found->record.status, TaskStatus::pending);
  EXPECT_EQ(found->record.available_at, record.available_at);
}

TEST_F(SqliteTasks, WithADamagedRowAreReportedAndDoNotBlockOthers) {
  const auto damaged = enqueue(full_spec());
  const auto whole = enqueue({});
  store.reset();
  for (const auto& [column, text] : {std::pair{"retry", "[[["}, std::pair{"labels", "{bad"}}) {
    execute(path, std::string{"update tasks set "} + column + " = '" + text +
                      "' where seq = (select min(seq) from tasks)");
    store = open();
    const auto found = store->find_task(damaged.id);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->record.facts.labels.at(std::string{core::kUnreadableLabel}), column);
    EXPECT_EQ(engine::findings_of(*found).at(0).check, "I01");
    EXPECT_EQ(found->record.facts.payload, damaged.facts.payload);
    store.reset();
  }
  store = open();
  EXPECT_EQ(claim(10).size(), 2U) << "one row holds up no other";
  EXPECT_TRUE(engine::findings_of(*store->find_task(whole.id)).empty());
}

TEST_F(SqliteTasks, AreLoadedWithTheirKeyFromEveryTable) {
  const auto ready = enqueue({.key = "k"});
  core::TaskRecord scheduled = enqueue({.key = "k", .delay = 10s});
  const auto waiting = new_task({.key = "k"}, false);
  TaskWrite line_up = added(waiting);
  line_up.line_position = 3;
  store->begin()->commit({.tasks = {line_up}});
  EXPECT_EQ(load(ready.id)->facts.key, "k");
  EXPECT_EQ(load(ready.id)->place, Place::ready);
  EXPECT_EQ(load(scheduled.id)->facts.key, "k");
  EXPECT_EQ(load(scheduled.id)->place, Place::scheduled);
  EXPECT_EQ(load(scheduled.id)->available_at, clock.now() + 10s);
  EXPECT_EQ(load(waiting.id)->facts.key, "k");
  EXPECT_EQ(load(waiting.id)->place, Place::waiting);
  EXPECT_EQ(load(waiting.id)->status, TaskStatus::blocked);

  auto held = claim(1).front();
  EXPECT_EQ(load(held.id)->facts.key, "k");
  EXPECT_FALSE(load(held.id)->has_facts);
  EXPECT_TRUE(load(held.id, true)->has_facts);
  complete(held);
  EXPECT_EQ(load(held.id)->facts.key, "k");
  EXPECT_EQ(load(held.id)->place, Place::finished);
  EXPECT_FALSE(load(core::TaskId{ids.next(clock.now())}));
}

TEST_F(SqliteTasks, KeepTheirLeaseThroughStartAndHeartbeat) {
  enqueue(full_spec());
  auto record = claim(1, "worker \"one\"").front();
  EXPECT_EQ(load(record.id)->lease, record.lease);
  EXPECT_EQ(load(record.id)->status, TaskStatus::claimed);
  EXPECT_EQ(record.lease->timeout, core::Duration{90s});

  clock.advance(1s);
  report(record, {.fence = record.progress.fence, .action = core::ReportAction::start});
  clock.advance(1s);
  report(record, {.fence = record.progress.fence, .action = core::ReportAction::heartbeat, .lease = 60s});
  const auto loaded = load(record.id);
  EXPECT_EQ(loaded->lease, record.lease);
  EXPECT_EQ(loaded->status, TaskStatus::running);
  EXPECT_EQ(loaded->progress, record.progress);
  EXPECT_EQ(loaded->lease->renewals, 1);
}

TEST_F(SqliteTasks, KeepTheirEnd) {
  enqueue();
  auto record = claim(1).front();
  clock.advance(5s);
  complete(record, R"({"sum":"\u0000"})");
  const auto found = store->find_task(record.id);
  EXPECT_EQ(found->record.end, record.end);
  EXPECT_EQ(found->record.status, TaskStatus::completed);
  EXPECT_EQ(found->record.progress, record.progress);
  EXPECT_FALSE(found->record.lease);
}

TEST_F(SqliteTasks, KeepFailedAttempts) {
  enqueue();
  auto record = claim(1).front();
  fail(record, true);
  EXPECT_EQ(record.place, Place::scheduled);
  const auto found = store->find_task(record.id);
  ASSERT_EQ(found->attempts.size(), 1U);
  EXPECT_EQ(found->attempts[0].error->message, "a \"quoted\"\nreason");

  const std::vector<core::LeaseRef> refs{{record.id, 1}, {record.id, 2}};
  const auto attempts = store->begin()->load({.attempts = refs}).attempts;
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0], found->attempts[0]);
  EXPECT_FALSE(attempts[1]);
}

TEST_F(SqliteTasks, CanBeRevivedAfterTheirLastFailure) {
  enqueue();
  auto record = claim(1).front();
  fail(record, false);
  EXPECT_EQ(store->find_task(record.id)->record.status, TaskStatus::failed);
  EXPECT_EQ(store->find_task(record.id)->record.end, record.end);

  const auto change = core::decide_revive(record, true, clock.now());
  const std::int64_t fence = record.progress.fence;
  core::apply(record, *change);
  store->begin()->commit({.tasks = {moved(record, Place::finished, fence)}});
  EXPECT_EQ(load(record.id)->place, Place::ready);
  EXPECT_EQ(load(record.id)->progress.budget_from, 1);
}

TEST_F(SqliteTasks, AreClaimedByPriorityThenTimeThenId) {
  const auto low = enqueue({.priority = 1});
  const auto first = enqueue({.priority = 5});
  const auto second = enqueue({.type = "u", .priority = 5});
  clock.advance(1s);
  const auto third = enqueue({.priority = 5});
  const std::vector<const core::Lane*> lanes{low.lane, first.lane, second.lane};
  const auto taken = claim_from(*store, lanes, 4);
  ASSERT_EQ(taken.size(), 4U);
  EXPECT_EQ(taken[0].id, first.id);
  EXPECT_EQ(taken[1].id, second.id);
  EXPECT_EQ(taken[2].id, third.id);
  EXPECT_EQ(taken[3].id, low.id);
  EXPECT_EQ(taken[2].facts, third.facts);
  EXPECT_TRUE(claim_from(*store, lanes, 4).empty());
}

TEST_F(SqliteTasks, AreClaimedInOrderAcrossManyLanes) {
  std::vector<core::TaskId> expected;
  std::vector<const core::Lane*> lanes;
  for (int i = 0; i < 200; ++i) {
    // Unevenly: the first lane has most of the tasks, so that reading it continues in the middle.
    const auto record = enqueue({.type = i % 7 == 0 ? "t" + std::to_string(i % 5) : "t"});
    expected.push_back(record.id);
    lanes.push_back(record.lane);
    clock.advance(1ms);
  }
  std::sort(lanes.begin(), lanes.end());
  lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
  std::vector<core::TaskId> got;
  for (const auto& record : claim_from(*store, lanes, 150)) got.push_back(record.id);
  for (const auto& record : claim_from(*store, lanes, 150)) got.push_back(record.id);
  EXPECT_EQ(got, expected);
}

TEST_F(SqliteTasks, AreClaimedUpToTheShareOfALane) {
  for (int i = 0; i < 5; ++i) enqueue();
  for (int i = 0; i < 5; ++i) enqueue({.type = "u"});
  const std::vector<LaneShare> shares{{.lane = &lane(), .max = 2}, {.lane = &lane("default", "u"), .max = 4}};
  const auto transaction = store->begin();
  EXPECT_EQ(transaction->take_ready(shares, 10).size(), 6U);
  EXPECT_EQ(transaction->take_ready(shares, 10).size(), 3U);  // taken tasks are not taken again
}

TEST_F(SqliteTasks, AreReadyAgainAfterARollback) {
  const auto record = enqueue();
  {
    const LaneShare share{.lane = record.lane, .max = 1};
    EXPECT_EQ(store->begin()->take_ready({&share, 1}, 1).size(), 1U);
  }
  EXPECT_EQ(load(record.id)->place, Place::ready);
}

TEST_F(SqliteTasks, AreNotWrittenWithAnOutdatedFenceOrTable) {
  enqueue();
  const auto bystander = new_task();
  auto record = claim(1).front();
  const auto loaded = *load(record.id);
  auto change = core::decide_cancel(record, clock.now());
  core::apply(record, *change);
  for (const auto& [from, fence] :
       {std::pair{Place::leased, std::int64_t{7}}, {Place::ready, std::int64_t{1}}}) {
    const auto transaction = store->begin();
    const WriteSet writes{.tasks = {added(bystander), moved(record, from, fence)}};
    EXPECT_EQ(kind_thrown_by([&] { transaction->commit(writes); }), StoreError::Kind::retry);
  }
  EXPECT_FALSE(load(bystander.id));
  EXPECT_EQ(load(record.id)->lease, loaded.lease);
}

TEST_F(SqliteTasks, AreFoundByTheirIdempotencyKey) {
  const auto record = enqueue(full_spec());
  const auto again = new_task(full_spec());
  const auto loaded =
      store->begin()->load({.idempotency = {{"default", "t", *record.facts.idempotency_key},
                                            {"default", "u", *record.facts.idempotency_key}}});
  EXPECT_EQ(loaded.idempotency[0], record.id);
  EXPECT_FALSE(loaded.idempotency[1]);
  const auto transaction = store->begin();
  EXPECT_EQ(kind_thrown_by([&] { transaction->commit({.tasks = {added(again)}}); }), StoreError::Kind::retry);
}

TEST_F(SqliteTasks, AreNotInsertedTwice) {
  const auto record = enqueue();
  const auto transaction = store->begin();
  EXPECT_EQ(kind_thrown_by([&] { transaction->commit({.tasks = {added(record)}}); }),
            StoreError::Kind::conflict);
}

TEST_F(SqliteTasks, OfOneKeyWaitInTheirLine) {
  const LineRef ref{.ns = "default", .queue = "default", .key = "k"};
  EXPECT_FALSE(store->begin()->lock_lines({&ref, 1}).front().head);
  const auto head = new_task({.key = "k"});
  const auto second = new_task({.payload = {"2"}, .key = "k"}, false);
  const auto third = new_task({.payload = {"3"}, .key = "k"}, false);
  WriteSet writes{.tasks = {added(head), added(third), added(second)},
                  .lines = {{.ref = ref, .line = {.head = head.id, .tail = 3}}}};
  writes.tasks[1].line_position = 3;
  writes.tasks[2].line_position = 2;
  store->begin()->commit(writes);

  const auto transaction = store->begin();
  const Line line = transaction->lock_lines({&ref, 1}).front();
  EXPECT_EQ(line.head, head.id);
  EXPECT_EQ(line.tail, 3);
  auto waiting = transaction->first_waiting(ref, 10);
  ASSERT_EQ(waiting.size(), 2U);
  EXPECT_EQ(waiting[0].id, second.id);
  EXPECT_EQ(waiting[1].facts, third.facts);
  EXPECT_EQ(transaction->first_waiting(ref, 1).size(), 1U);

  core::apply(waiting[0], core::decide_unblock(waiting[0], clock.now()));
  transaction->commit({.tasks = {moved(waiting[0], Place::waiting, 0)}, .lines = {{.ref = ref, .line = {}}}});
  EXPECT_FALSE(store->begin()->lock_lines({&ref, 1}).front().head);
  EXPECT_EQ(load(second.id)->place, Place::ready);
}

TEST_F(SqliteTasks, StoreErrorBoundariesAsCheckpoints) {
  const auto record = new_task();
  TaskWrite write = added(record);
  write.error_boundaries = {{R"({"n":1})"}, {R"({"n":2})"}};
  store->begin()->commit({.tasks = {write}});
  const auto checkpoints = store->list_checkpoints({.owner = record.id});
  ASSERT_EQ(checkpoints.size(), 2U);
  EXPECT_EQ(checkpoints[1], (core::Checkpoint{.sequence = 2,
                                              .type = "error_boundary",
                                              .snapshot = {R"({"n":2})"},
                                              .metadata = {},
                                              .created_at = clock.now()}));
}

TEST_F(SqliteTasks, EnqueuedAndClaimedInOneGroupAreStoredOnce) {
  auto record = new_task(full_spec());
  core::apply(record, core::decide_claim(record, "w", 30s, clock.now()));
  store->begin()->commit({.tasks = {added(record)}});
  EXPECT_EQ(load(record.id, true)->facts, record.facts);
  EXPECT_EQ(load(record.id)->place, Place::leased);
}

}  // namespace
}  // namespace pawl::store
