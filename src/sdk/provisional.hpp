#pragma once
#include <memory>
#include <vector>

#include "core/command.hpp"
#include "core/run_api.hpp"
#include "core/step.hpp"
namespace pawl::detail {
inline core::Result<core::StepsWritten> write_steps(core::RunApi&, core::WriteSteps) {
  return core::Problem{.code = core::ProblemCode::stale_lease, .detail = "no steps yet"};
}
inline core::Result<std::vector<core::StepAttempt>> list_steps(core::RunApi&, const core::RunRef&) {
  return core::Problem{.code = core::ProblemCode::internal, .detail = "no steps yet"};
}
inline std::shared_ptr<const core::BodyMemo> memo_of(const core::ClaimedTask&) { return {}; }
}  // namespace pawl::detail
