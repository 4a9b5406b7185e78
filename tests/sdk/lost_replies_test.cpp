// A lost reply: the write is repeated and counts once.

#include <atomic>

#include "sdk/connection.hpp"
#include "tests/sdk/effects.hpp"

namespace pawl::testing {
namespace {

// Writes a body's first failure, but reports it as unanswered.
class LosesAReply final : public pawl::detail::Connection {
 public:
  LosesAReply()
      : Connection("default", std::make_unique<runtime::SystemClock>()),
        kept_(pawl::detail::open_connection("memory:", {})) {}

  [[nodiscard]] pawl::detail::Calls calls() override { return kept_->calls(); }
  [[nodiscard]] pawl::detail::Calls own_calls(core::Duration timeout) override {
    return kept_->own_calls(timeout);
  }
  [[nodiscard]] core::Duration claim_wait() const override { return kept_->claim_wait(); }
  [[nodiscard]] std::optional<std::string> why_no_sql() const override { return kept_->why_no_sql(); }
  [[nodiscard]] core::Result<std::optional<core::StepsWritten>> transact(const StepsWork& work) override {
    return kept_->transact(work);
  }
  [[nodiscard]] core::Result<core::StepsWritten> write_steps(core::WriteSteps command) override {
    const bool is_failure = !command.steps.empty() && command.steps.front().action == core::StepAction::fail;
    auto written = kept_->write_steps(std::move(command));
    if (!is_failure || has_lost_one_.exchange(true)) return written;
    return core::Problem{.code = core::ProblemCode::unavailable, .detail = "the connection was lost"};
  }

 private:
  std::shared_ptr<Connection> kept_;
  std::atomic<bool> has_lost_one_ = false;
};

TEST(LostReplies, ForAFailedStepCountNoExtraAttempt) {
  const Client client{std::make_shared<LosesAReply>()};
  Worker worker{client, quiet()};
  std::atomic<int> calls = 0;
  worker.workflow("flaky", [&](Workflow& wf) {
    return wf.step("call", {.retry = {.max_attempts = 3, .initial_interval = 1ms}}, [&] {
      if (++calls < 3) throw Failure{"not_yet", "once more"};
      return calls.load();
    });
  });
  worker.start();
  const pawl::Run run = client.start("flaky");
  EXPECT_EQ(run.result<int>(30s), 3);
  Lines attempts;
  for (const StepInfo& step : run.steps())
    attempts.push_back(std::to_string(step.attempt) + " " + step.state);
  EXPECT_EQ(attempts, (Lines{"1 failed", "2 failed", "3 completed"}));
}

}  // namespace
}  // namespace pawl::testing
