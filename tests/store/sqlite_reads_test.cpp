// Queues, lists, and the reads of the ticker.

#include <algorithm>

#include "tests/store/sqlite_fixture.hpp"

namespace pawl::store {
namespace {

using core::TaskStatus;

using SqliteReads = SqliteTest;

std::vector<core::TaskId> ids_of(const std::vector<core::TaskRecord>& records) {
  std::vector<core::TaskId> list;
  for (const auto& record : records) list.push_back(record.id);
  return list;
}

TEST_F(SqliteReads, ReturnQueueSettings) {
  const QueueRef ref{.ns = "default", .name = "mail"};
  EXPECT_EQ(store->begin()->load({.queues = {ref}}).queues.front(), core::QueueSettings{});
  const core::QueueSettings settings{.paused = true,
                                     .max_concurrency = 5,
                                     .type_concurrency = {{"a \"b\"", 2}},
                                     .rate = core::Rate{.limit = 3, .per = 1500ms},
                                     .rate_spent_until = clock.now()};
  store->begin()->commit({.queues = {{.ref = ref, .settings = settings}}});
  EXPECT_EQ(store->begin()->load({.queues = {ref}}).queues.front(), settings);
  EXPECT_EQ(store->begin()->lock_queues({&ref, 1}).front().settings, settings);
  store->begin()->commit({.queues = {{.ref = ref, .settings = {}}}});
  EXPECT_EQ(store->begin()->load({.queues = {ref}}).queues.front(), core::QueueSettings{});
}

TEST_F(SqliteReads, SumTheCountsOfLanesByQueue) {
  const core::Lane* a = &lane("mail", "a");
  const core::Lane* b = &lane("mail", "b");
  const core::QueueCounts counts{
      .pending = 5, .scheduled = 1, .blocked = 2, .claimed = 3, .running = 4, .dead_letter = 6};
  store->begin()->commit({.counts = {{.lane = a, .delta = counts}, {.lane = b, .delta = {.running = 1}}}});
  store->begin()->commit({.counts = {{.lane = a, .delta = {.pending = -2, .claimed = 1}}}});
  enqueue({.type = "a", .queue = "mail"});
  clock.advance(10s);
  enqueue({.type = "b", .queue = "mail"});
  store->begin()->commit(
      {.queues = {{.ref = {.ns = "default", .name = "set"}, .settings = {.paused = true}}}});

  const auto queues = store->list_queues("default");
  ASSERT_EQ(queues.size(), 2U);
  EXPECT_EQ(queues[0].name, "mail");
  EXPECT_EQ(queues[0].counts,
            (core::QueueCounts{
                .pending = 3, .scheduled = 1, .blocked = 2, .claimed = 4, .running = 5, .dead_letter = 6}));
  EXPECT_EQ(queues[0].oldest_pending_age, core::Duration{10s});
  EXPECT_EQ(queues[1].name, "set");
  EXPECT_TRUE(queues[1].settings.paused);
  EXPECT_TRUE(store->list_queues("elsewhere").empty());

  const QueueRef ref{.ns = "default", .name = "mail"};
  const auto held = store->begin()->lock_queues({&ref, 1}).front().held;
  ASSERT_EQ(held.size(), 2U);
  EXPECT_EQ(held[0].lane, a);
  EXPECT_EQ(held[0].held, 8);
  EXPECT_EQ(held[1].held, 1);
}

TEST_F(SqliteReads, ReturnDueTasksInOrderAndTheNextDueTime) {
  EXPECT_FALSE(store->due_tasks(10).next);
  const auto late = enqueue({.delay = 30s});
  const auto soon = enqueue({.delay = 10s});
  const auto sooner = enqueue({.delay = 5s});
  EXPECT_TRUE(store->due_tasks(10).ids.empty());
  EXPECT_EQ(store->due_tasks(10).next, sooner.available_at);
  clock.advance(10s);
  EXPECT_EQ(store->due_tasks(10).ids, (std::vector{sooner.id, soon.id}));
  EXPECT_EQ(store->due_tasks(10).next, late.available_at);
  EXPECT_EQ(store->due_tasks(1).ids, std::vector{sooner.id});
  EXPECT_EQ(store->due_tasks(1).next, soon.available_at);
  clock.advance(20s);
  EXPECT_EQ(store->due_tasks(3).ids.size(), 3U);
  EXPECT_FALSE(store->due_tasks(3).next);
}

TEST_F(SqliteReads, ReturnExpiredAndTimedOutLeases) {
  enqueue();
  enqueue({.timeout = 5s});
  const auto held = claim(2);
  EXPECT_TRUE(store->due_leases(10).empty());
  clock.advance(5s);
  EXPECT_EQ(store->due_leases(10), (std::vector<core::LeaseRef>{{held[1].id, 1}}));
  clock.advance(25s);
  EXPECT_EQ(store->due_leases(10), (std::vector<core::LeaseRef>{{held[1].id, 1}, {held[0].id, 1}}));
  EXPECT_EQ(store->due_leases(1).size(), 1U);
}

class SqliteLists : public SqliteTest {
 protected:
  // At least one task in each status, created in this order.
  SqliteLists() {
    auto completed = enqueue_and_claim();
    complete(completed);
    auto failed = enqueue_and_claim();
    fail(failed, false);
    auto running = enqueue_and_claim();
    report(running, {.fence = 1, .action = core::ReportAction::start});
    const auto claimed = enqueue_and_claim("other");
    const auto blocked = new_task({.key = "k", .labels = {{"team", "blue"}}}, false);
    store->begin()->commit({.tasks = {added(blocked)}});
    clock.advance(1s);
    const auto ready = enqueue({.key = "k", .labels = {{"team", "blue"}, {"it's", "odd \"one\""}}});
    const auto scheduled = enqueue({.type = "u", .delay = 1h});
    const auto elsewhere = enqueue({.queue = "mail"});
    all = {completed, failed, running, claimed, blocked, ready, scheduled, elsewhere};
  }

  core::TaskRecord enqueue_and_claim(const std::string& worker = "w") {
    enqueue();
    return claim(1, worker).front();
  }

  std::vector<std::size_t> list(const TaskFilter& filter, std::size_t limit = 50) {
    std::vector<std::size_t> numbers;
    for (const auto& id : store->list_task_ids({.filter = filter, .newest_first = false, .limit = limit})) {
      const auto at =
          std::find_if(all.begin(), all.end(), [&](const auto& record) { return record.id == id; });
      numbers.push_back(static_cast<std::size_t>(at - all.begin()));
    }
    return numbers;
  }

  using Numbers = std::vector<std::size_t>;
  std::vector<core::TaskRecord> all;
};

TEST_F(SqliteLists, FilterByStatus) {
  EXPECT_EQ(list({.ns = "default"}), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::completed}}), Numbers{0});
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::failed}}), Numbers{1});
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::dead_letter, TaskStatus::cancelled}}), Numbers{});
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::running}}), Numbers{2});
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::claimed}}), Numbers{3});
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::blocked}}), Numbers{4});
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::pending, TaskStatus::pending}}),
            (Numbers{5, 6, 7}));
  EXPECT_EQ(
      list({.ns = "default", .statuses = {TaskStatus::pending, TaskStatus::completed, TaskStatus::claimed}}),
      (Numbers{0, 3, 5, 6, 7}));
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::pending, TaskStatus::completed}}, 2),
            (Numbers{0, 5}));
}

TEST_F(SqliteLists, FilterByEveryOtherField) {
  EXPECT_EQ(list({.ns = "default", .queue = "mail"}), Numbers{7});
  EXPECT_EQ(list({.ns = "default", .type = "u"}), Numbers{6});
  EXPECT_EQ(list({.ns = "default", .queue = "mail", .type = "u"}), Numbers{});
  EXPECT_EQ(list({.ns = "default", .key = "k"}), (Numbers{4, 5}));
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::pending}, .key = "k"}), Numbers{5});
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::blocked, TaskStatus::running}, .key = "k"}),
            Numbers{4});
  EXPECT_EQ(list({.ns = "default", .key = "k", .worker_id = "other"}), Numbers{});
  EXPECT_EQ(list({.ns = "default", .worker_id = "other"}), Numbers{3});
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::running}, .worker_id = "other"}), Numbers{});
  EXPECT_EQ(list({.ns = "default", .statuses = {TaskStatus::completed}, .worker_id = "w"}), Numbers{});
  EXPECT_EQ(list({.ns = "default", .label = std::pair{"team", "blue"}}), (Numbers{4, 5}));
  EXPECT_EQ(list({.ns = "default", .label = std::pair{"it's", "odd \"one\""}}), Numbers{5});
  EXPECT_EQ(list({.ns = "default", .label = std::pair{"team", "blue' or 1=1"}}), Numbers{});
  EXPECT_EQ(list({.ns = "default", .created_after = all[4].facts.created_at}), (Numbers{5, 6, 7}));
  EXPECT_EQ(list({.ns = "default", .created_before = all[5].facts.created_at}), (Numbers{0, 1, 2, 3, 4}));
}

TEST_F(SqliteLists, HavePagesInBothOrders) {
  for (const bool newest_first : {true, false}) {
    auto expected = ids_of(all);
    if (newest_first) std::reverse(expected.begin(), expected.end());
    std::vector<core::TaskId> got;
    TaskPage page{.filter = {.ns = "default"}, .newest_first = newest_first, .limit = 3};
    while (true) {
      const auto ids_of_page = store->list_task_ids(page);
      if (ids_of_page.empty()) break;
      got.insert(got.end(), ids_of_page.begin(), ids_of_page.end());
      page.after = got.back();
    }
    EXPECT_EQ(got, expected);
  }
}

TEST_F(SqliteLists, ContainWholeTasksWithTheirAttempts) {
  const auto tasks = store->list_tasks({.filter = {.ns = "default"}, .newest_first = false});
  ASSERT_EQ(tasks.size(), all.size());
  EXPECT_EQ(tasks[1].attempts.size(), 1U);
  EXPECT_EQ(tasks[5].record.facts, all[5].facts);
  EXPECT_TRUE(store->list_tasks({.filter = {.ns = "elsewhere"}}).empty());
}

}  // namespace
}  // namespace pawl::store
