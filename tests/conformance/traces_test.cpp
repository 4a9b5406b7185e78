// A task keeps the trace of the request that created it.
#include "tests/conformance/steps.hpp"

namespace pawl::testing {

using core::TaskStatus;

class TasksTrace : public Conformance {
 protected:
  const core::TraceContext trace{.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                 .tracestate = "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"};

  std::vector<core::Enqueued> enqueue_traced(std::vector<core::TaskSpec> specs) {
    const auto made = api().enqueue_batch({.tasks = std::move(specs), .trace = trace});
    EXPECT_TRUE(made.ok()) << (made ? "" : made.problem().detail);
    return made ? *made : std::vector<core::Enqueued>{};
  }
  void expect_traced(const core::Task& task) const {
    EXPECT_EQ(task.traceparent, trace.traceparent);
    EXPECT_EQ(task.tracestate, trace.tracestate);
  }
};

TEST_P(TasksTrace, IsReturnedByClaimsAndReads) {
  const core::TaskId id = enqueue_traced({task_of("t")}).at(0).id;
  expect_traced(get(id).task);
  expect_traced(claim_one());
  expect_traced(list({}).at(0));
  const core::TaskId other = enqueue(task_of("t")).id;
  EXPECT_EQ(get(other).task.traceparent, "");
  EXPECT_EQ(claim_one().traceparent, "") << "the request of the other task had no trace";
}

TEST_P(TasksTrace, IsKeptInABatchWithAllOtherFields) {
  core::TaskSpec keyed = task_of("t");
  keyed.key = "k";
  core::TaskSpec behind = keyed;
  core::TaskSpec full = task_of("t");
  full.idempotency_key = "i";
  full.fairness_key = "f";
  full.retry = {.max_attempts = 9, .initial_interval = 7s, .jitter = 0.0};
  full.timeout = 5s;
  full.labels = {{"a", "b"}};
  core::TaskSpec later = task_of("t");
  later.delay = 1h;
  const auto made = enqueue_traced({task_of("t"), keyed, behind, full, later});
  ASSERT_EQ(made.size(), 5U);
  for (const core::Enqueued& one : made) expect_traced(get(one.id).task);
  EXPECT_EQ(get(made.at(3).id).task.retry, full.retry);
  EXPECT_EQ(get(made.at(0).id).task.retry, core::RetryPolicy{});
  const auto again = api().enqueue_batch({.tasks = {full}});
  EXPECT_FALSE(again->at(0).created);
  expect_traced(get(again->at(0).id).task);
}

TEST_P(TasksTrace, IsKeptAcrossRetriesAndRevivals) {
  core::TaskSpec spec = task_of("t");
  spec.retry = {.max_attempts = 2, .initial_interval = 1s, .jitter = 0.0};
  const core::TaskId id = enqueue_traced({spec}).at(0).id;
  ASSERT_EQ(fail(claim_one())->status, TaskStatus::pending);
  clock.advance(1s);
  tick();
  const core::Task second = claim_one();
  expect_traced(second);
  EXPECT_EQ(fail(second)->status, TaskStatus::dead_letter);
  expect_traced(get(id).task);
  ASSERT_TRUE(api().retry_task("default", id).ok());
  const core::Task third = claim_one();
  expect_traced(third);
  complete(third);
  expect_traced(get(id).task);
}

TEST_P(TasksTrace, IsKeptWhenItsWorkerIsLost) {
  enqueue_traced({task_of("t")});
  expect_traced(claim_one());
  clock.advance(1h);
  tick();
  clock.advance(1h);
  tick();
  expect_traced(claim_one());
}

TEST_P(TasksTrace, IsItsOwnInARunWithAnotherTrace) {
  const auto opened =
      runs().open_run({.trace_id = "11111111111111111111111111111111", .span_id = "2222222222222222"});
  ASSERT_TRUE(opened.ok());
  core::TaskSpec spec = task_of("t");
  spec.run_id = opened->run.facts.id;
  const core::TaskId own = enqueue_traced({spec}).at(0).id;
  expect_traced(get(own).task);
  const core::TaskId plain = enqueue(spec).id;
  EXPECT_EQ(get(plain).task.traceparent, "00-11111111111111111111111111111111-2222222222222222-01");
}

TEST_P(TasksTrace, IsTheTraceOfItsRunWithStateAndFlags) {
  const auto opened = runs().open_run({.trace_id = "11111111111111111111111111111111",
                                       .span_id = "2222222222222222",
                                       .trace_flags = 0,
                                       .tracestate = "v=1"});
  ASSERT_TRUE(opened.ok());
  core::TaskSpec spec = task_of("t");
  spec.run_id = opened->run.facts.id;
  const core::TaskId added = enqueue(spec).id;
  EXPECT_EQ(get(added).task.traceparent, "00-11111111111111111111111111111111-2222222222222222-00");
  EXPECT_EQ(get(added).task.tracestate, "v=1");
  const auto own = api().enqueue_batch({.tasks = {spec}, .trace = core::TraceContext{trace.traceparent, ""}});
  EXPECT_EQ(get(own->at(0).id).task.traceparent, trace.traceparent);
  EXPECT_EQ(get(own->at(0).id).task.tracestate, "") << "the state belongs to the trace of the run";
}

PAWL_ON_EVERY_STORE(TasksTrace);

}  // namespace pawl::testing
