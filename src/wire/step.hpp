#pragma once
// Converts steps of code runs to and from JSON.

#include <span>
#include <string_view>

#include "core/run/step.hpp"
#include "wire/reader.hpp"
#include "wire/writer.hpp"

namespace pawl::wire {

// --- requests ---

[[nodiscard]] std::span<const std::string_view> step_action_names();

// A body's write to one step; the step's id is a path parameter.
struct OneStep {
  std::int64_t fence = 0;
  core::StepWrite write = {};
};
[[nodiscard]] OneStep read_step(ObjectReader& in, core::StepAction action);
// {fence, until?, signals?, children?, steps?, all?}
struct AskedSuspend {
  std::int64_t fence = 0;
  core::SuspendBody suspend = {};
  std::optional<std::vector<std::string>> undos = {};
};
[[nodiscard]] AskedSuspend read_suspend(ObjectReader& in);
// All writes of one body in one request.
[[nodiscard]] core::WriteSteps read_write_steps(ObjectReader& in);
void write_write_steps(Writer& out, const core::WriteSteps& command);
// {"writes": […]}: the same for many bodies, each with its run_id.
[[nodiscard]] core::WriteStepsOfMany read_steps_of_many(ObjectReader& in);
void write_steps_of_many(Writer& out, const core::WriteStepsOfMany& command);

// --- responses ---

// The response to a write of one step.
void write_one_step_written(Writer& out, const core::RunId& run, const core::StepsWritten& written);
void write_steps_written(Writer& out, const core::StepsWritten& written);
[[nodiscard]] core::StepsWritten read_steps_written(ObjectReader& in);
// One result of many: run_id, ok, and the written steps or the error.
void write_step_result(Writer& out, const core::RunId& run, const core::Result<core::StepsWritten>& written,
                       std::string_view request_id);
[[nodiscard]] core::Result<core::StepsWritten> read_step_result(ObjectReader& in);
void write_step_attempt(Writer& out, const core::StepAttempt& attempt);
[[nodiscard]] core::StepAttempt read_step_attempt(ObjectReader& in);
// The current state of a step, and a page of them.
void write_step_memo(Writer& out, const core::StepMemo& step);
[[nodiscard]] core::StepMemo read_step_memo(ObjectReader& in);
void write_memo_page(Writer& out, const core::StepMemoPage& page);
[[nodiscard]] core::StepMemoPage read_memo_page(ObjectReader& in);
// "steps", "steps_cursor" if there are more, "signals" and "stop" of a claimed body.
void write_memo_fields(Writer& out, const core::BodyMemo& memo);
// Null if the task has no memo.
[[nodiscard]] std::shared_ptr<const core::BodyMemo> read_memo(ObjectReader& in);

}  // namespace pawl::wire
