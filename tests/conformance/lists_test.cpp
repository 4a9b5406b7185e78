// Lists by filter and cursor, and bulk changes by filter.

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ProblemCode;
using core::ReportAction;
using core::TaskStatus;

class Lists : public Conformance {
 public:
  // Creates one task in each status.
  std::map<TaskStatus, core::TaskId> one_of_each() {
    std::map<TaskStatus, core::TaskId> ids;
    ids[TaskStatus::completed] = enqueue(task_of("t")).id;
    complete(claim_one());
    ids[TaskStatus::failed] = run_to_failed(task_of("t")).id;
    ids[TaskStatus::dead_letter] = run_to_dead_letter(task_of("t")).id;
    ids[TaskStatus::running] = enqueue(task_of("t")).id;
    EXPECT_TRUE(report(claim_one("runner"), ReportAction::start).ok());
    ids[TaskStatus::claimed] = enqueue_keyed("k").id;
    (void)claim_one("holder");
    ids[TaskStatus::blocked] = enqueue_keyed("k").id;
    ids[TaskStatus::cancelled] = enqueue(task_of("t")).id;
    EXPECT_TRUE(api().cancel_task("default", ids[TaskStatus::cancelled]).ok());
    ids[TaskStatus::pending] = enqueue(task_of("t")).id;
    return ids;
  }
};

TEST_P(Lists, ByStatusHaveExactlyThoseTasks) {
  const auto ids = one_of_each();
  EXPECT_EQ(list({}).size(), 8U);
  for (const auto& [status, id] : ids) {
    const auto found = list({.statuses = {status}});
    ASSERT_EQ(found.size(), 1U) << to_string(status);
    EXPECT_EQ(found[0], get(id).task) << "a list shows what a look shows";
  }
  for (const auto& [a, id_a] : ids) {
    for (const auto& [b, id_b] : ids) EXPECT_EQ(list({.statuses = {a, b}}).size(), a == b ? 1U : 2U);
  }
}

TEST_P(Lists, ShowScheduledTasksAsPending) {
  core::TaskSpec delayed = task_of("t");
  delayed.delay = 1h;
  const core::Task task = enqueue(delayed);
  EXPECT_EQ(ids_of(list({.statuses = {TaskStatus::pending}})), std::vector{task.id});
}

// Long labels may share a prefix, and namespaces share no list.
TEST_P(Lists, DistinguishLongLabels) {
  const std::string long_name(250, 'n');
  const std::string long_value(500, 'v');
  core::TaskSpec spec = task_of("email");
  spec.labels = {{long_name + "1", long_value + "1"}, {long_name + "2", long_value + "2"}, {"ü", "ö"}};
  const core::Task task = enqueue(spec);
  core::TaskSpec other = task_of("email");
  other.labels = {{long_name + "1", long_value + "3"}};
  const core::Task second = enqueue(other);
  EXPECT_EQ(ids_of(list({.label = {{long_name + "1", long_value + "1"}}})), std::vector{task.id});
  EXPECT_EQ(ids_of(list({.label = {{long_name + "2", long_value + "2"}}})), std::vector{task.id});
  EXPECT_EQ(ids_of(list({.label = {{long_name + "1", long_value + "3"}}})), std::vector{second.id});
  EXPECT_TRUE(list({.label = {{long_name + "1", long_value + "2"}}}).empty());
  EXPECT_EQ(ids_of(list({.label = {{"ü", "ö"}}})), std::vector{task.id});
  EXPECT_TRUE(list({.ns = "elsewhere", .label = {{"ü", "ö"}}}).empty());
}

TEST_P(Lists, ByLabelFindATaskInEachOfItsStates) {
  core::TaskSpec spec = task_of("email");
  spec.labels = {{"region", "eu"}};
  const core::Task task = enqueue(spec);
  const auto labeled = [&](std::vector<TaskStatus> statuses) {
    return ids_of(list({.statuses = std::move(statuses), .label = {{"region", "eu"}}}));
  };
  const std::vector only{task.id};
  EXPECT_EQ(labeled({}), only);
  EXPECT_EQ(labeled({TaskStatus::pending}), only);
  EXPECT_TRUE(labeled({TaskStatus::completed, TaskStatus::blocked}).empty());
  const auto claimed = claim_for({.worker_id = "w1"});
  EXPECT_EQ(labeled({}), only);
  EXPECT_TRUE(labeled({TaskStatus::pending}).empty());
  EXPECT_EQ(labeled({TaskStatus::claimed}), only);
  EXPECT_EQ(ids_of(list({.worker_id = "w1", .label = {{"region", "eu"}}})), only);
  EXPECT_TRUE(list({.worker_id = "w2", .label = {{"region", "eu"}}}).empty());
  complete(claimed.at(0));
  EXPECT_EQ(labeled({}), only);
  EXPECT_EQ(labeled({TaskStatus::completed}), only);
  EXPECT_TRUE(labeled({TaskStatus::pending, TaskStatus::failed}).empty());
}

TEST_P(Lists, FilterByEachField) {
  core::TaskSpec spec = task_of("email");
  spec.queue = "mail";
  spec.labels = {{"region", "eu"}, {"tier", "a:b"}};
  const core::Task mail = enqueue(spec);
  clock.advance(1s);
  const core::Task keyed = enqueue_keyed("entity 1");
  clock.advance(1s);
  const core::Task held = enqueue_to("work", "job");
  (void)claim_for({.worker_id = "w1", .queues = {"work"}});

  const auto only = [](const core::Task& task) { return std::vector{task.id}; };
  EXPECT_EQ(ids_of(list({.queue = "mail"})), only(mail));
  EXPECT_EQ(ids_of(list({.type = "email"})), only(mail));
  EXPECT_EQ(ids_of(list({.key = "entity 1"})), only(keyed));
  EXPECT_EQ(ids_of(list({.worker_id = "w1"})), only(held));
  EXPECT_EQ(ids_of(list({.label = {{"region", "eu"}}})), only(mail));
  EXPECT_EQ(ids_of(list({.label = {{"tier", "a:b"}}})), only(mail));
  EXPECT_TRUE(list({.label = {{"region", "us"}}}).empty());
  EXPECT_TRUE(list({.label = {{"eu", "region"}}}).empty());
  EXPECT_EQ(ids_of(list({.created_after = mail.created_at, .created_before = held.created_at})), only(keyed))
      << "both ends excluded";
  EXPECT_EQ(list({.created_after = mail.created_at}).size(), 2U);
  EXPECT_EQ(list({.created_before = held.created_at}).size(), 2U);
  EXPECT_TRUE(list({.queue = "mail", .type = "job"}).empty()) << "filters hold together";
  EXPECT_EQ(
      ids_of(list({.statuses = {TaskStatus::claimed}, .queue = "work", .type = "job", .worker_id = "w1"})),
      only(held));
  EXPECT_TRUE(list({.queue = "no such"}).empty());
  EXPECT_TRUE(list({.type = "no such"}).empty());
  EXPECT_TRUE(list({.key = "no such"}).empty());
  EXPECT_TRUE(list({.worker_id = "w2"}).empty());
}

TEST_P(Lists, HavePagesInBothOrdersWithoutGapsOrDuplicates) {
  std::vector<core::TaskId> ids;
  for (int i = 0; i < 23; ++i) {
    if (i % 3 == 0) clock.advance(1ms);
    ids.push_back(enqueue_to(i % 2 == 0 ? "a" : "b", "t" + std::to_string(i % 4), i % 3).id);
  }
  for (const int limit : {1, 2, 7, 22, 23, 24, 500}) {
    EXPECT_EQ(ids_of(list({}, false, limit)), ids) << limit;
    EXPECT_EQ(ids_of(list({}, true, limit)), (std::vector<core::TaskId>{ids.rbegin(), ids.rend()})) << limit;
  }
}

TEST_P(Lists, HaveStablePagesWhileTasksChange) {
  std::vector<core::TaskId> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(enqueue(task_of("t")).id);
  for (const bool newest_first : {true, false}) {
    std::vector<core::TaskId> seen;
    core::ListTasks call{.newest_first = newest_first, .limit = 3};
    for (;;) {
      const auto page = api().list_tasks(call);
      ASSERT_TRUE(page.ok());
      for (const core::Task& task : page->items) seen.push_back(task.id);
      if (!page->next_cursor || seen.size() > 200) break;
      call.cursor = *page->next_cursor;
      if (seen.size() < 21) {
        enqueue(task_of("t"));
        complete(claim_one());  // a task that moves between its tables keeps its position in the list
      }
    }
    for (const core::TaskId& id : ids) EXPECT_EQ(std::count(seen.begin(), seen.end(), id), 1);
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), seen.size());
  }
}

TEST_P(Lists, EndWithoutACursorWhenThePageIsExactlyFull) {
  for (int i = 0; i < 4; ++i) enqueue(task_of("t"));
  core::ListTasks call{.limit = 2};
  const auto first = api().list_tasks(call);
  ASSERT_TRUE(first->next_cursor.has_value());
  call.cursor = *first->next_cursor;
  const auto second = api().list_tasks(call);
  EXPECT_EQ(second->items.size(), 2U);
  EXPECT_EQ(second->next_cursor, std::nullopt);
}

TEST_P(Lists, RejectInvalidCursorsLimitsAndFilters) {
  const auto field_of = [this](const core::ListTasks& call) {
    const auto page = api().list_tasks(call);
    if (page.ok()) return std::string{};
    EXPECT_EQ(page.problem().code, ProblemCode::invalid_argument) << page.problem().detail;
    return page.problem().errors.empty() ? "?" : page.problem().errors[0].field;
  };
  EXPECT_EQ(field_of({.limit = 0}), "limit");
  EXPECT_EQ(field_of({.limit = -1}), "limit");
  EXPECT_EQ(field_of({.limit = 501}), "limit");
  EXPECT_EQ(field_of({.limit = 500}), "");
  for (const char* cursor : {"x", "t", "1", "t019b7a3c-0000-7000-8000-00000000abc", "' or 1=1 --", "\xff"}) {
    EXPECT_EQ(field_of({.cursor = cursor}), "cursor") << cursor;
  }
  EXPECT_EQ(field_of({.query = {.ns = "Bad"}}), "namespace");
  EXPECT_EQ(field_of({.query = {.queue = ""}}), "queue");
  EXPECT_EQ(field_of({.query = {.type = "\n"}}), "type");
  EXPECT_EQ(field_of({.query = {.key = "\xff"}}), "key");
  EXPECT_EQ(field_of({.query = {.worker_id = ""}}), "worker_id");
  EXPECT_EQ(field_of({.query = {.label = {{"\xff", "a"}}}}), "label");
  EXPECT_EQ(field_of({.query = {.label = {{"a", std::string{"\0", 1}}}}}), "label");
  EXPECT_EQ(field_of({.query = {.label = {{"a", ""}}}}), "") << "an empty value is a value";
}

TEST_P(Lists, MatchTextThatLooksLikeSqlLiterally) {
  core::TaskSpec spec = task_of("'; drop table tasks; --");
  spec.queue = "a%b_c\\";
  spec.key = "\" or 1=1 --";
  spec.labels = {{"a'b", "{\"x\":[1]}"}, {"%", "_"}};
  const core::Task task = enqueue(spec);
  EXPECT_EQ(
      ids_of(
          list({.queue = spec.queue, .type = spec.type, .key = spec.key, .label = {{"a'b", "{\"x\":[1]}"}}})),
      std::vector{task.id});
  EXPECT_TRUE(list({.queue = "aXbYc\\"}).empty());
  EXPECT_TRUE(list({.label = {{"a", "_"}}}).empty());
}

using Bulk = Lists;

TEST_P(Bulk, CancelsTheCancelableTasks) {
  one_of_each();
  EXPECT_EQ(*api().cancel_tasks({}), (core::BulkResult{.matched = 4, .changed = 4}));
  EXPECT_EQ(list({.statuses = {TaskStatus::cancelled}}).size(), 3U);
  EXPECT_TRUE(list({.statuses = {TaskStatus::claimed}}).at(0).cancel_requested);
  expect_counts_kept();
}

TEST_P(Bulk, RetriesTheRetryableTasks) {
  one_of_each();
  EXPECT_EQ(*api().retry_tasks({}), (core::BulkResult{.matched = 2, .changed = 2}));
  EXPECT_EQ(list({.statuses = {TaskStatus::pending}}).size(), 3U);
  expect_counts_kept();
}

TEST_P(Bulk, CountsMatchedAndChangedTasks) {
  const auto ids = one_of_each();
  const auto some = api().cancel_tasks({.query = {.statuses = {TaskStatus::completed, TaskStatus::pending}}});
  EXPECT_EQ(*some, (core::BulkResult{.matched = 2, .changed = 1}));
  EXPECT_EQ(status_of(ids.at(TaskStatus::completed)), TaskStatus::completed);
  EXPECT_EQ(*api().retry_tasks({.query = {.statuses = {TaskStatus::cancelled}}}),
            (core::BulkResult{.matched = 2, .changed = 0}));
  EXPECT_EQ(*api().cancel_tasks({.query = {.queue = "no such"}}), (core::BulkResult{}));
}

TEST_P(Bulk, DryRunCountsAndChangesNothing) {
  const auto ids = one_of_each();
  EXPECT_EQ(*api().cancel_tasks({.dry_run = true}), (core::BulkResult{.matched = 4, .changed = 0}));
  EXPECT_EQ(*api().retry_tasks({.dry_run = true}), (core::BulkResult{.matched = 2, .changed = 0}));
  EXPECT_EQ(*api().retry_tasks({.limit = 1, .dry_run = true}),
            (core::BulkResult{.matched = 1, .changed = 0}));
  for (const auto& [status, id] : ids) EXPECT_EQ(status_of(id), status);
  expect_counts_kept();
}

TEST_P(Bulk, StopsAtItsLimitOldestFirst) {
  core::EnqueueTasks batch;
  batch.tasks.assign(1'200, task_of("t"));
  ASSERT_TRUE(api().enqueue_batch(batch).ok());
  const auto all = list({});
  EXPECT_EQ(*api().cancel_tasks({.limit = 3}), (core::BulkResult{.matched = 3, .changed = 3}));
  EXPECT_EQ(status_of(all[2].id), TaskStatus::cancelled);
  EXPECT_EQ(status_of(all[3].id), TaskStatus::pending);
  EXPECT_EQ(api().cancel_tasks({.limit = 1'000})->changed, 1'000) << "over several pages";
  EXPECT_EQ(api().cancel_tasks({.limit = 1'000})->changed, 197);
  EXPECT_EQ(api().cancel_tasks({.limit = 0}).problem().errors.at(0).field, "limit");
  EXPECT_EQ(api().cancel_tasks({.limit = 10'001}).problem().errors.at(0).field, "limit");
  EXPECT_TRUE(queue().counts.is_zero());
}

TEST_P(Bulk, ChangesOnlyTasksThatMatchedAtTheStart) {
  std::vector<core::TaskId> line;
  for (int i = 0; i < 3; ++i) line.push_back(enqueue_keyed("k").id);
  EXPECT_EQ(*api().cancel_tasks({.query = {.statuses = {TaskStatus::pending}}}),
            (core::BulkResult{.matched = 1, .changed = 1}));
  EXPECT_EQ(status_of(line[1]), TaskStatus::pending) << "which it became by the cancel, and was not before";
  EXPECT_EQ(status_of(line[2]), TaskStatus::blocked);
}

TEST_P(Bulk, CancelsAWholeKeyLine) {
  for (int i = 0; i < 10; ++i) enqueue_keyed("k");
  EXPECT_EQ(*api().cancel_tasks({.query = {.key = "k"}}), (core::BulkResult{.matched = 10, .changed = 10}));
  EXPECT_TRUE(queue().counts.is_zero());
  EXPECT_EQ(enqueue_keyed("k").status, TaskStatus::pending);
}

PAWL_ON_EVERY_STORE(Lists);
PAWL_ON_EVERY_STORE(Bulk);

}  // namespace pawl::testing
