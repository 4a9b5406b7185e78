// A database loses the end of its log under a live node: a lagging standby took over, or the server crashed
// before a flush. The lost work stays lost; all later work must be correct.

#include <gtest/gtest.h>

#include "store/postgres/postgres_store.hpp"
#include "tests/chaos/private_postgres.hpp"
#include "tests/runtime/fixture.hpp"

namespace pawl::chaos {
namespace {

using testing::eventually;
using testing::RunningNode;
using namespace std::chrono_literals;

class LostTail : public ::testing::Test {
 protected:
  [[nodiscard]] std::shared_ptr<store::Store> open() {
    return store::open_postgres({.conninfo = server.conninfo(server.port())});
  }
  // Repeats the call until the node has its database back.
  template <typename Call>
  [[nodiscard]] static auto call(const Call& make) {
    auto answer = make();
    EXPECT_TRUE(eventually([&] {
      if (answer.ok()) return true;
      answer = make();
      return answer.ok();
    })) << answer.problem().detail;
    return *answer;
  }
  static core::Enqueued enqueue(RunningNode& node, const core::TaskSpec& spec) {
    return call([&] { return node.api().enqueue_batch({.tasks = {spec}}); }).at(0);
  }
  static std::vector<core::ClaimedTask> claim(RunningNode& node, const std::string& queue, int max = 10) {
    return call(
        [&] { return node.api().claim({.worker_id = "w", .queues = {queue}, .max = max, .lease = 1h}); });
  }

  const testing::TemporaryFolder folder;
  PrivatePostgres server{folder.path()};
};

TEST_F(LostTail, DoesNotPutANewTaskIntoTheWrongLane) {
  { RunningNode first{open()}; }
  server.save();
  RunningNode node{open()};
  (void)enqueue(node, {.type = "send", .queue = "mail"});
  server.go_back();
  RunningNode other{open()};
  (void)enqueue(other, {.type = "charge", .payload = {"42"}, .queue = "payments"});  // takes the number
  const core::Enqueued sent = enqueue(node, {.type = "send", .payload = {"7"}, .queue = "mail"});
  const auto charges = claim(other, "payments");
  ASSERT_EQ(charges.size(), 1U);
  EXPECT_EQ(charges.front().task.payload.text, "42");
  const auto mails = claim(other, "mail");
  ASSERT_EQ(mails.size(), 1U);
  EXPECT_EQ(mails.front().task.id, sent.id);
  EXPECT_EQ(mails.front().task.type, "send");
}

TEST_F(LostTail, LetsARunResumeWhereTheLogEnds) {
  RunningNode node{open()};
  core::RunApi& runs = node.runtime.local();
  const auto run = runs.start_run({.workflow = "order", .kind = core::RunKind::code})->run.facts.id;
  const core::ClaimedTask body = claim(node, "default").at(0);
  const auto complete = [&](const std::string& step) {
    return call([&] {
      return runs.write_steps({.run_id = run,
                               .body = body.task.id,
                               .fence = body.task.lease->fence,
                               .steps = {{.step_id = step, .output = {"1"}}}});
    });
  };
  (void)complete("kept");
  server.save();
  for (const char* step : {"lost", "lost too", "lost last"}) (void)complete(step);
  server.go_back();
  (void)complete("new");
  const auto events = call([&] { return runs.list_run_events({.run = {.id = run}, .limit = 100}); });
  for (std::size_t i = 0; i < events.size(); ++i)
    EXPECT_EQ(events[i].sequence, static_cast<std::int64_t>(i) + 1);
  EXPECT_EQ(events.back().data.node_id, "new");
  EXPECT_TRUE(call([&] { return runs.replay_run({.id = run}, {}); }).differences.empty());
  std::vector<std::string> steps;
  for (const core::StepAttempt& step : call([&] { return runs.list_steps({.id = run}); }))
    steps.push_back(step.step_id);
  EXPECT_EQ(steps, (std::vector<std::string>{"kept", "new"}));
}

TEST_F(LostTail, KeepsLimitsAndCounts) {
  RunningNode node{open()};
  (void)call([&] {
    return node.api().set_queue(
        {.name = "default", .patch = {.max_concurrency = std::optional<std::int64_t>{2}}});
  });
  for (int i = 0; i < 6; ++i) (void)enqueue(node, {.type = "work"});
  server.save();
  for (int i = 0; i < 2; ++i) {
    for (const core::ClaimedTask& one : claim(node, "default")) {
      (void)call([&] {
        return node.api().report(
            {.worker_id = "w", .reports = {testing::report_of(one.task, core::ReportAction::complete)}});
      });
    }
    EXPECT_TRUE(eventually([&] { return testing::counts_of(node.api()).claimed == 0; }));
  }
  server.go_back();
  EXPECT_EQ(claim(node, "default").size(), 2U);
  EXPECT_EQ(claim(node, "default").size(), 0U);
  EXPECT_TRUE(eventually([&] {
    const core::QueueCounts counts = testing::counts_of(node.api());
    return counts.pending == 4 && counts.claimed == 2;
  })) << testing::counts_of(node.api()).pending;
}

}  // namespace
}  // namespace pawl::chaos
