#include "wire/shapes.hpp"

#include "core/base/problem.hpp"
#include "core/definition/definition.hpp"
#include "core/records/idempotency.hpp"
#include "core/records/maintenance.hpp"
#include "core/records/token.hpp"
#include "core/records/worker.hpp"
#include "core/run/run.hpp"
#include "core/run/run_command.hpp"
#include "core/run/run_event.hpp"
#include "core/run/step.hpp"
#include "core/schedule/schedule.hpp"
#include "core/task/task.hpp"
#include "wire/step.hpp"
#include "wire/task.hpp"

namespace pawl::wire {

namespace {

using Names = std::vector<std::string_view>;

// The names of an enum in core, up to and including the last enumerator.
template <auto last>
Names names_up_to() {
  Names names;
  for (int i = 0; i <= static_cast<int>(last); ++i)
    names.push_back(to_string(static_cast<decltype(last)>(i)));
  return names;
}

Names problem_codes() {
  Names names;
  for (const core::ProblemKind& kind : core::kProblemKinds) names.push_back(kind.name);
  return names;
}

// Types of graph nodes and of code steps.
Names run_task_types() {
  Names names = names_up_to<core::NodeType::workflow>();
  for (const std::string_view name : names_up_to<core::StepKind::marker>()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Names step_actions() { return {step_action_names().begin(), step_action_names().end()}; }
Names actor_types() { return {"system", "worker", "user", "recovery", "schedule"}; }
Names on_error_names() { return {"fail", "continue"}; }
Names order_names() { return {"asc", "desc"}; }
Names included_names() { return {"tasks", "steps"}; }
Names graph_formats() { return {"json", "mermaid", "dot"}; }
Names health_names() { return {"ok", "ready"}; }

constexpr std::array kEnumShapes{
    EnumShape{"ProblemCode", problem_codes},
    EnumShape{"Role", names_up_to<core::Role::admin>},
    EnumShape{"HealthStatus", health_names},
    EnumShape{"SortOrder", order_names},
    EnumShape{"TaskStatus", names_up_to<core::TaskStatus::cancelled>},
    EnumShape{"AttemptOutcome", names_up_to<core::AttemptOutcome::cancelled>},
    EnumShape{"ReportAction", names_up_to<core::ReportAction::release>},
    EnumShape{"RunState", names_up_to<core::RunState::cancelled>},
    EnumShape{"RunKind", names_up_to<core::RunKind::open>},
    EnumShape{"RunTaskType", run_task_types},
    EnumShape{"RunInclude", included_names},
    EnumShape{"RunEventType", names_up_to<static_cast<core::RunEventType>(core::kRunEventTypeCount - 1)>},
    EnumShape{"EventActorType", actor_types},
    EnumShape{"GraphFormat", graph_formats},
    EnumShape{"NodeType", names_up_to<core::NodeType::workflow>},
    EnumShape{"NodeState", names_up_to<core::NodeState::cancelled>},
    EnumShape{"OnConflict", names_up_to<static_cast<core::OnConflict>(core::kOnConflictCount - 1)>},
    EnumShape{"OnFailure", names_up_to<core::OnFailure::compensate>},
    EnumShape{"OnError", on_error_names},
    EnumShape{"StepKind", names_up_to<core::StepKind::marker>},
    EnumShape{"StepAction", step_actions},
    EnumShape{"StopReason", names_up_to<core::StopReason::compensate>},
    EnumShape{"WorkerStatus", names_up_to<core::WorkerStatus::offline>},
    EnumShape{"IdempotencyStatus", names_up_to<core::IdempotencyStatus::failed>},
    EnumShape{"ScheduleOverlap", names_up_to<static_cast<core::Overlap>(core::kOverlapCount - 1)>},
    EnumShape{"DstGap", names_up_to<core::DstGap::skip>},
    EnumShape{"DstFold", names_up_to<core::DstFold::both>},
    EnumShape{"FiringStatus", names_up_to<static_cast<core::FiringStatus>(core::kFiringStatusCount - 1)>},
    EnumShape{"FiringOrigin", names_up_to<static_cast<core::FiringOrigin>(core::kFiringOriginCount - 1)>},
    EnumShape{"RecoveryCheck", names_up_to<core::RecoveryCheck::retention>},
};

}  // namespace

std::span<const EnumShape> enum_shapes() { return kEnumShapes; }

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const auto part :
       {service_shapes(), task_shapes(), run_shapes(), step_shapes(), record_shapes(), schedule_shapes()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace pawl::wire
