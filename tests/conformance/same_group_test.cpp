// Commands of one group on the same task: a claim sees the effects of the commands before it.
#include <optional>
#include <vector>

#include "tests/support/harness.hpp"

namespace pawl::testing {
namespace {

class SameGroup : public EngineTest {
 public:
  std::vector<core::Result<core::Answer>> execute(const std::vector<core::Command>& commands) {
    std::vector<std::optional<core::Result<core::Answer>>> answers(commands.size());
    std::vector<engine::Request> requests;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      requests.push_back({.command = commands[i], .reply = [&answers, i](core::Result<core::Answer> answer) {
                            answers[i] = std::move(answer);
                          }});
    }
    engine().execute(std::move(requests));
    std::vector<core::Result<core::Answer>> all;
    for (auto& answer : answers) all.push_back(std::move(*answer));
    return all;
  }

  std::vector<core::ClaimedTask> claimed(const core::Result<core::Answer>& answer) {
    return std::get<std::vector<core::ClaimedTask>>(*answer);
  }
};

TEST_P(SameGroup, DoesNotClaimATaskThatItCancels) {
  const core::Task task = enqueue(task_of("t"));
  const auto answers = execute({core::CancelTasks{.ids = {task.id}}, core::ClaimTasks{.worker_id = "w1"}});
  ASSERT_TRUE(answers[0].ok());
  EXPECT_TRUE(claimed(answers[1]).empty());
  EXPECT_EQ(status_of(task.id), core::TaskStatus::cancelled);
  EXPECT_EQ(queue().counts, core::QueueCounts{});
}

TEST_P(SameGroup, SkipsCancelledTasksInAClaim) {
  const core::Task first = enqueue(task_of("t"));
  clock.advance(1s);
  const core::Task second = enqueue(task_of("t"));
  const auto answers =
      execute({core::CancelTasks{.ids = {first.id}}, core::ClaimTasks{.worker_id = "w1", .max = 1}});
  ASSERT_EQ(claimed(answers[1]).size(), 1U);
  EXPECT_EQ(claimed(answers[1]).front().task.id, second.id);
}

TEST_P(SameGroup, ClaimsATaskOnceAfterReadingIt) {
  const core::Task task = enqueue(task_of("t"));
  const core::Report stale{.task_id = task.id, .fence = 7};
  const auto answers = execute({core::ReportTasks{.worker_id = "w1", .reports = {stale}},
                                core::PromoteDue{.ids = {task.id}}, core::ClaimTasks{.worker_id = "w1"}});
  ASSERT_EQ(claimed(answers[2]).size(), 1U);
  EXPECT_EQ(claimed(answers[2]).front().task.payload, task.payload);
  EXPECT_EQ(queue().counts, (core::QueueCounts{.claimed = 1}));
}

PAWL_ON_EVERY_STORE(SameGroup);

}  // namespace
}  // namespace pawl::testing
