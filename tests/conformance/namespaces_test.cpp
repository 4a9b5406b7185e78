// Namespaces are isolated: objects of other namespaces do not exist.

#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::ProblemCode;
using core::ReportAction;

using Namespaces = Conformance;

TEST_P(Namespaces, HideTheirTasksFromEachOther) {
  const core::Task task = enqueue(task_of("t"));
  EXPECT_EQ(api().get_task("other", task.id).problem().code, ProblemCode::not_found);
  EXPECT_EQ(api().cancel_task("other", task.id).problem().code, ProblemCode::not_found);
  EXPECT_EQ(api().retry_task("other", task.id).problem().code, ProblemCode::not_found);
  EXPECT_EQ(api().list_checkpoints("other", task.id).problem().code, ProblemCode::not_found);
  EXPECT_TRUE(list({.ns = "other"}).empty());
  EXPECT_TRUE(api().list_queues("other")->empty());
  EXPECT_TRUE(claim_for({.ns = "other", .worker_id = "w1"}).empty());
  EXPECT_EQ(api().cancel_tasks({.query = {.ns = "other"}})->matched, 0);
  const core::Task held = claim_one();
  for (const ReportAction action : {ReportAction::heartbeat, ReportAction::start, ReportAction::complete,
                                    ReportAction::fail, ReportAction::release}) {
    EXPECT_EQ(report_to(api(), "w1", report_of(held, action), "other").problem().code,
              ProblemCode::not_found);
  }
  complete(held);
}

TEST_P(Namespaces, HaveTheirOwnQueues) {
  ASSERT_TRUE(api().set_queue({.ns = "other", .name = "default", .patch = {.paused = true}}).ok());
  enqueue(task_of("t"));
  ASSERT_TRUE(api().enqueue("other", task_of("t")).ok());
  EXPECT_EQ(claim("w1", 10).size(), 1U);
  EXPECT_TRUE(claim_for({.ns = "other", .worker_id = "w1"}).empty());
  EXPECT_EQ(api().list_queues("other")->at(0).counts.pending, 1);
  EXPECT_FALSE(queue().settings.paused);
}

TEST_P(Namespaces, ShareTheTicker) {
  for (const char* ns : {"a", "b"}) {
    ASSERT_TRUE(api().enqueue(ns, task_of("t")).ok());
    core::TaskSpec delayed = task_of("t");
    delayed.delay = 10s;
    ASSERT_TRUE(api().enqueue(ns, delayed).ok());
    EXPECT_EQ(claim_for({.ns = ns, .worker_id = "w1", .lease = 10s}).size(), 1U);
  }
  clock.advance(10s);
  const auto ticked = engine().sweeper().tick(100);
  EXPECT_EQ(ticked.leases, 2);
  EXPECT_EQ(ticked.promoted, 2);
  for (const char* ns : {"a", "b"}) EXPECT_EQ(claim_for({.ns = ns, .worker_id = "w1"}).size(), 2U);
}

TEST_P(Namespaces, AreRejectedEverywhereIfInvalid) {
  const core::Task task = enqueue(task_of("t"));
  for (const char* ns : {"", "A", "admin", "a/b"}) {
    const auto field = [](const auto& result) { return result.problem().errors.at(0).field; };
    EXPECT_EQ(field(api().enqueue(ns, task_of("t"))), "namespace");
    EXPECT_EQ(field(api().claim({.ns = ns, .worker_id = "w"})), "namespace");
    EXPECT_EQ(field(api().report({.ns = ns, .worker_id = "w", .reports = {{.task_id = task.id}}})),
              "namespace");
    EXPECT_EQ(field(api().cancel_task(ns, task.id)), "namespace");
    EXPECT_EQ(field(api().retry_task(ns, task.id)), "namespace");
    EXPECT_EQ(field(api().cancel_tasks({.query = {.ns = ns}})), "namespace");
    EXPECT_EQ(field(api().retry_tasks({.query = {.ns = ns}})), "namespace");
    EXPECT_EQ(field(api().get_task(ns, task.id)), "namespace");
    EXPECT_EQ(field(api().list_tasks({.query = {.ns = ns}})), "namespace");
    EXPECT_EQ(field(api().list_checkpoints(ns, task.id)), "namespace");
    EXPECT_EQ(field(api().list_queues(ns)), "namespace");
    EXPECT_EQ(field(api().set_queue({.ns = ns, .name = "q"})), "namespace");
  }
}

PAWL_ON_EVERY_STORE(Namespaces);

}  // namespace pawl::testing
