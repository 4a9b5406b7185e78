// Step writes of many bodies in one call, and leases that a node caches while their bodies write.
#include "tests/conformance/code_steps.hpp"

namespace pawl::testing {
namespace {

using core::ProblemCode;

class StepsOfMany : public CodeRunTest {
 public:
  static core::WriteSteps completed(const core::ClaimedTask& body, const std::string& step,
                                    const std::string& output = "1") {
    return {.run_id = *body.task.run_id,
            .body = body.task.id,
            .fence = body.task.lease->fence,
            .steps = {{.action = core::StepAction::complete, .step_id = step, .output = {output}}}};
  }
  std::vector<core::Result<core::StepsWritten>> write_all(std::vector<core::WriteSteps> writes) {
    auto results = runs().write_steps_of_many({.writes = std::move(writes)});
    EXPECT_TRUE(results.ok()) << (results ? "" : results.problem().detail);
    return results ? std::move(*results) : std::vector<core::Result<core::StepsWritten>>{};
  }
};

TEST_P(StepsOfMany, AreAnsweredInRequestOrder) {
  std::vector<core::WriteSteps> writes;
  for (int i = 0; i < 20; ++i) writes.push_back(completed(claim_body(start_code()), "a", std::to_string(i)));
  std::reverse(writes.begin(), writes.end());
  const auto results = write_all(writes);
  ASSERT_EQ(results.size(), writes.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i].ok());
    EXPECT_EQ(results[i]->steps.at(0).now.output.text, std::to_string(19 - i));
    EXPECT_EQ(runs().list_steps({.id = writes[i].run_id})->size(), 1U);
  }
}

TEST_P(StepsOfMany, AreIndependentOfARejectedOne) {
  const core::ClaimedTask good = claim_body(start_code());
  const core::ClaimedTask lost = claim_body(start_code());
  const core::ClaimedTask last = claim_body(start_code());
  core::WriteSteps stale = completed(lost, "a");
  ++stale.fence;
  core::WriteSteps nameless = completed(good, "");
  core::WriteSteps of_another = completed(good, "b");
  of_another.body = last.task.id;
  const auto results = write_all({completed(good, "a"), stale, nameless, of_another, completed(last, "a")});
  ASSERT_EQ(results.size(), 5U);
  EXPECT_TRUE(results[0].ok());
  EXPECT_EQ(results[1].problem().code, ProblemCode::stale_lease);
  EXPECT_EQ(results[2].problem().code, ProblemCode::invalid_argument);
  EXPECT_EQ(results[3].problem().errors.at(0).field, "task_id");
  EXPECT_TRUE(results[4].ok());
  EXPECT_TRUE(runs().list_steps({.id = *lost.task.run_id})->empty());
}

TEST_P(StepsOfMany, OfOneRunAreWrittenInOrder) {
  const core::ClaimedTask body = claim_body(start_code());
  const auto results = write_all({completed(body, "a"), completed(body, "b"), completed(body, "a", "2")});
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[2]->steps.at(0).now.output.text, "1") << "a second completion changes nothing";
  EXPECT_EQ(runs().list_steps({.id = *body.task.run_id})->size(), 2U);
}

TEST_P(StepsOfMany, AreLimitedInNumber) {
  EXPECT_EQ(runs().write_steps_of_many({}).problem().errors.at(0).field, "writes");
  const std::vector<core::WriteSteps> too_many(core::kStepWritesMax + 1);
  EXPECT_EQ(runs().write_steps_of_many({.writes = too_many}).problem().errors.at(0).field, "writes");
}

// Another node renews the lease: this node's cached lease is outdated, and the step is written anyway.
TEST_P(StepsOfMany, AreWrittenAfterAnotherNodeRenewedTheLease) {
  const core::ClaimedTask body = claim_body(start_code());
  complete_step(body, "a");
  const auto other = another_node(2);
  core::Report renewal = report_of(body.task, core::ReportAction::heartbeat);
  ASSERT_TRUE(report_to(other->local(), "w1", renewal).ok());
  complete_step(body, "b");
  complete_body(body);
}

// Another node releases the body before the end of its lease.
TEST_P(StepsOfMany, AreRejectedAfterAnotherNodeReleasedTheLease) {
  const core::RunId run = start_code();
  const core::ClaimedTask body = claim_body(run);
  complete_step(body, "a");
  const auto other = another_node(2);
  core::Report release = report_of(body.task, core::ReportAction::release);
  ASSERT_TRUE(report_to(other->local(), "w1", release).ok());
  EXPECT_EQ(write(body, {{.step_id = "b", .output = {"1"}}}).problem().code, ProblemCode::stale_lease);
  EXPECT_EQ(write(body, {{.step_id = "a", .output = {"1"}}}).problem().code, ProblemCode::stale_lease)
      << "also where nothing would be written";
  EXPECT_EQ(runs().list_steps({.id = run})->size(), 1U);
  complete_body(claim_body(run));
}

}  // namespace
PAWL_ON_EVERY_STORE(StepsOfMany);
}  // namespace pawl::testing
