#pragma once
// Helpers for tests of code runs: a worker whose use of a body the test scripts.

#include <string>
#include <utility>
#include <vector>

#include "tests/conformance/run_steps.hpp"

namespace pawl::testing {

inline core::StepWrite begin(const std::string& id, core::StepKind kind = core::StepKind::function) {
  return {.action = core::StepAction::begin, .step_id = id, .kind = kind};
}
inline core::StepWrite failed(const std::string& id, const std::string& code = "boom",
                              bool retryable = true) {
  return {.action = core::StepAction::fail,
          .step_id = id,
          .error = {.code = code, .message = "it did not work", .retryable = retryable}};
}
inline core::StepWrite undo(const std::string& id, core::StepAction action = core::StepAction::complete) {
  return {.action = action, .step_id = id, .kind = core::StepKind::compensation};
}

class CodeRunTest : public RunTest {
 public:
  core::RunId start_code(const std::string& name = "order", const std::string& input = "{}") {
    const auto started = runs().start_run({.workflow = name, .input = {input}, .kind = core::RunKind::code});
    EXPECT_TRUE(started.ok()) << (started ? "" : started.problem().detail);
    return started->run.facts.id;
  }

  // Claims the run's body, which must be claimable.
  core::ClaimedTask claim_body(const core::RunId& run) {
    for (core::ClaimedTask& one : claim("w1", 100, 30s)) {
      if (one.task.run_id == run) return one;
    }
    ADD_FAILURE() << "the body cannot be claimed";
    return {};
  }
  [[nodiscard]] bool has_body(const core::RunId& run) {
    for (const core::ClaimedTask& one : claim("w2", 100, 1s)) {
      if (one.task.run_id == run && one.task.node_id == "body") return true;
    }
    return false;
  }

  core::Result<core::StepsWritten> write(const core::ClaimedTask& body, std::vector<core::StepWrite> steps,
                                         core::Boxed<core::SuspendBody> suspend = {}) {
    return runs().write_steps({.run_id = *body.task.run_id,
                               .body = body.task.id,
                               .fence = body.task.lease->fence,
                               .steps = std::move(steps),
                               .suspend = std::move(suspend)});
  }
  core::StepAnswer step(const core::ClaimedTask& body, core::StepWrite one) {
    const auto written = write(body, {std::move(one)});
    EXPECT_TRUE(written.ok()) << (written ? "" : written.problem().detail);
    return written ? written->steps.at(0) : core::StepAnswer{};
  }
  void complete_step(const core::ClaimedTask& body, const std::string& id, const std::string& output = "1") {
    step(body, {.action = core::StepAction::complete, .step_id = id, .output = {output}});
  }
  // Begins a waiting step, and suspends the body to wait for it.
  bool wait_for(const core::ClaimedTask& body, core::StepWrite one, bool may_undo = false) {
    one.action = core::StepAction::begin;
    const std::string id = one.step_id;
    const auto written =
        write(body, {std::move(one)}, core::SuspendBody{.steps = {id}, .may_undo = may_undo});
    EXPECT_TRUE(written.ok()) << (written ? "" : written.problem().detail);
    return written && written->is_suspended;
  }
  void end_body(const core::ClaimedTask& body, core::Report report) {
    report.task_id = body.task.id;
    report.fence = body.task.lease->fence;
    const auto answer = this->report(body.task.lease->worker_id, report);
    EXPECT_TRUE(answer.ok()) << (answer ? "" : answer.problem().detail);
  }
  void complete_body(const core::ClaimedTask& body, const std::string& output = "null") {
    end_body(body, {.action = core::ReportAction::complete, .output = {output}});
  }
  void fail_body(const core::ClaimedTask& body, const std::string& code = "boom") {
    end_body(body, {.action = core::ReportAction::fail,
                    .error = {.code = code, .message = "it did not work", .retryable = false}});
  }
  void lose(core::Duration lease = 31s) {
    clock.advance(lease);
    tick();
  }
};

}  // namespace pawl::testing
