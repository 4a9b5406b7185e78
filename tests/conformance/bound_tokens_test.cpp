// Tokens that are bound to queues, and workers that belong to a token, as far as the store decides.
#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;

// HTTP derives the actor from a token (tests/server); these calls set it directly.
class BoundTokens : public CodeRunTest {
 public:
  static core::Actor token(const std::string& id, const std::string& role = "worker") {
    return {.id = id, .role = role, .request_id = "r"};
  }
  core::Result<core::Worker> add(const std::string& by, const std::string& workflow = "") {
    core::RegisterWorker request{.worker_id = "w", .hostname = "h", .pid = 1, .by = token(by)};
    if (!workflow.empty()) request.workflow_types = {workflow};
    return node().api().register_worker(request);
  }
  core::Result<core::Worker> beat(const std::string& by) {
    return node().api().heartbeat_worker({.worker_id = "w", .by = token(by)});
  }
  core::Result<std::vector<core::ClaimedTask>> claim_as(const std::string& by,
                                                        const std::string& worker = "w") {
    return node().api().claim({.worker_id = worker, .by = token(by)});
  }
  core::RunId start_in(const std::string& queue, const std::string& workflow = "order") {
    const auto started =
        node().local().start_run({.workflow = workflow, .kind = core::RunKind::code, .queue = queue});
    EXPECT_TRUE(started.ok());
    return started->run.facts.id;
  }
  core::Result<core::StepsWritten> write_as(std::vector<std::string> bound_to, const core::ClaimedTask& body,
                                            core::StepWrite step) {
    return node().local().write_steps({.run_id = *body.task.run_id,
                                       .body = body.task.id,
                                       .fence = body.task.lease->fence,
                                       .steps = {std::move(step)},
                                       .by = token("a"),
                                       .bound_to = std::move(bound_to)});
  }
  std::string last_denied() {
    const auto entries = node().api().list_audit({.limit = 1})->items;
    return entries.empty() ? "" : entries.front().action + " " + entries.front().outcome;
  }
};

TEST_P(BoundTokens, OwnTheWorkersThatTheyRegister) {
  ASSERT_EQ(add("a")->owner, "a");
  EXPECT_EQ(add("b").problem().code, ProblemCode::forbidden);
  EXPECT_EQ(beat("b").problem().code, ProblemCode::forbidden);
  EXPECT_EQ(claim_as("b").problem().code, ProblemCode::forbidden);
  EXPECT_EQ(node().api().deregister_worker({.worker_id = "w", .by = token("b")}).problem().code,
            ProblemCode::forbidden);
  EXPECT_TRUE(beat("a").ok());
  EXPECT_TRUE(claim_as("a").ok());
  EXPECT_TRUE(node().api().drain_worker({.worker_id = "w", .by = token("c", "operator")}).ok());
  EXPECT_TRUE(node().api().deregister_worker({.worker_id = "w", .by = token("c", "operator")}).ok());
}

TEST_P(BoundTokens, OwnAWorkerRegisteredByItsFirstClaim) {
  ASSERT_TRUE(claim_as("a").ok());
  EXPECT_EQ(claim_as("b").problem().code, ProblemCode::forbidden);
  EXPECT_EQ(node().api().get_worker("default", "w")->owner, "a");
}

TEST_P(BoundTokens, OwnAnUnownedWorkerAfterTheirFirstCallForIt) {
  ASSERT_TRUE(node().api().register_worker({.worker_id = "w"}).ok());
  EXPECT_EQ(beat("a")->owner, "a");
  EXPECT_EQ(beat("b").problem().code, ProblemCode::forbidden);
  EXPECT_TRUE(node().api().heartbeat_worker({.worker_id = "w"}).ok()) << "in process there are no tokens";
}

TEST_P(BoundTokens, MayTakeOverAnOfflineWorker) {
  ASSERT_TRUE(add("a").ok());
  clock.advance(core::kWorkerTimeout);
  EXPECT_EQ(add("b").problem().code, ProblemCode::forbidden) << "the sweep decides whether it is offline";
  (void)engine().sweeper().sweep_records(100);
  EXPECT_EQ(add("b")->owner, "b");
  EXPECT_EQ(beat("a").problem().code, ProblemCode::forbidden);
}

TEST_P(BoundTokens, DoNotReplaceTheWorkerOfAnotherToken) {
  const auto incarnation = [&](const std::string& by) {
    return node().api().register_worker({.hostname = "h", .pid = 7, .by = token(by)})->worker_id;
  };
  const auto status = [&](const std::string& id) { return node().api().get_worker("default", id)->status; };
  const std::string first = incarnation("a");
  (void)incarnation("b");
  EXPECT_EQ(status(first), core::WorkerStatus::online);
  (void)incarnation("a");
  EXPECT_EQ(status(first), core::WorkerStatus::offline);
}

TEST_P(BoundTokens, CannotOfferAWorkflowOfAnotherQueue) {
  const auto offer = [&](const std::string& queue, std::vector<std::string> bound_to) {
    return node().api().register_worker({.worker_id = "of-" + queue,
                                         .queues = {queue},
                                         .workflow_types = {"order"},
                                         .by = token(queue),
                                         .bound_to = std::move(bound_to)});
  };
  ASSERT_TRUE(offer("vault", {}).ok());
  EXPECT_EQ(offer("qa", {"qa"}).problem().code, ProblemCode::forbidden);
  EXPECT_EQ(offer("vault", {"qa"}).problem().code, ProblemCode::forbidden);
  EXPECT_TRUE(offer("qa", {"qa", "vault"}).ok());
}

TEST_P(BoundTokens, CanUseOnlyTheIdempotencyKeysOfTheirTasks) {
  const core::Task own = enqueue({.type = "t", .queue = "qa"});
  const core::Task other = enqueue({.type = "t", .queue = "vault"});
  const auto begin = [&](const std::string& key, std::optional<core::TaskId> task,
                         std::vector<std::string> bound_to) {
    return node().api().begin_idempotency(
        {.key = key, .request_hash = "sha256:1", .task_id = task, .bound_to = std::move(bound_to)});
  };
  const auto end = [&](const std::string& key) {
    return node().api().complete_idempotency({.key = key, .response = {"1"}, .bound_to = {"qa"}});
  };
  ASSERT_TRUE(begin("k", other.id, {})->begun);
  EXPECT_EQ(begin("k", own.id, {"qa"}).problem().code, ProblemCode::forbidden);
  EXPECT_EQ(end("k").problem().code, ProblemCode::forbidden);
  EXPECT_EQ(begin("new", other.id, {"qa"}).problem().code, ProblemCode::forbidden);
  EXPECT_EQ(begin("new", {}, {"qa"}).problem().code, ProblemCode::forbidden);
  EXPECT_TRUE(begin("new", own.id, {"qa"})->begun);
  EXPECT_TRUE(end("new").ok());
}

TEST_P(BoundTokens, StartCodeRunsOnlyInTheirQueue) {
  const auto start = [&](core::StartRun request) {
    request.bound_to = {"qa"};
    request.by = token("a");
    return node().local().start_run(request);
  };
  const core::StartRun code{.workflow = "order", .kind = core::RunKind::code};
  EXPECT_EQ(start(code).problem().code, ProblemCode::forbidden) << "in the queue default";
  EXPECT_EQ(last_denied(), "denied forbidden");
  core::StartRun own = code;
  own.queue = "qa";
  EXPECT_TRUE(start(own).ok());
  own.run_key = "r";
  core::StartRun other = own;
  other.queue = "vault";
  ASSERT_TRUE(node().local().start_run(other).ok());
  EXPECT_EQ(start(own).problem().code, ProblemCode::forbidden) << "the run that is there is of another queue";
  define("payout", R"({"id":"pay","activity":"t","queue":"vault"})");
  EXPECT_EQ(start({.workflow = "payout", .queue = "qa"}).problem().code, ProblemCode::forbidden);
}

TEST_P(BoundTokens, WriteOnlyTheStepsOfTheirRuns) {
  (void)start_in("qa");
  const auto claimed = node().api().claim({.worker_id = "w", .queues = {"qa"}});
  ASSERT_EQ(claimed->size(), 1U);
  const core::ClaimedTask& body = claimed->front();
  EXPECT_EQ(write_as({"other"}, body, begin("s")).problem().code, ProblemCode::forbidden);
  EXPECT_EQ(last_denied(), "denied forbidden");
  EXPECT_TRUE(write_as({"qa"}, body, begin("s")).ok());

  core::StepWrite task = begin("t", core::StepKind::task);
  task.task = core::TaskSpec{.type = "t", .queue = "vault"};
  EXPECT_EQ(write_as({"qa"}, body, task).problem().code, ProblemCode::forbidden);
  EXPECT_EQ(last_denied(), "denied forbidden");
  EXPECT_TRUE(write_as({"qa", "vault"}, body, task).ok());

  core::StepWrite child = begin("c", core::StepKind::child);
  child.child = core::ChildSpec{.workflow = "order", .queue = "vault"};
  EXPECT_EQ(write_as({"qa"}, body, child).problem().code, ProblemCode::forbidden);
  define("payout", R"({"id":"pay","activity":"t"})");
  child.child = core::ChildSpec{.workflow = "payout"};
  EXPECT_EQ(write_as({"qa"}, body, child).problem().code, ProblemCode::forbidden);
  child.child = core::ChildSpec{.workflow = "order"};
  EXPECT_TRUE(write_as({"qa"}, body, child).ok());
}

PAWL_ON_EVERY_STORE(BoundTokens);

}  // namespace
}  // namespace pawl::testing
