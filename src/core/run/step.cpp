#include "core/run/step.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/enum_names.hpp"
#include "core/task/command.hpp"

namespace pawl::core {

namespace {

constexpr std::string_view kBodyPrefix = "workflow:";
constexpr std::array<std::string_view, 3> kStopNames{"cancelled", "deadline_exceeded", "compensate"};

// Checks the kinds that the body does not execute itself.
Status check_wait(const StepWrite& step) {
  switch (step.kind) {
    case StepKind::sleep:
      if (step.wait.has_value() == step.until.has_value())
        return invalid_field("input", "of a sleep needs either `duration` or `until`");
      break;
    case StepKind::signal: {
      if (const Status name = check_name("input.signal", step.signal); !name) return name;
      break;
    }
    case StepKind::child: {
      if (!step.child) return invalid_field("input", "of a child names its `workflow`");
      if (const Status name = check_name("input.workflow", step.child->workflow); !name) return name;
      if (const Status input = check_json("input.input", step.child->input); !input) return input;
      if (step.child->run_key) return check_key("input.run_key", *step.child->run_key);
      break;
    }
    case StepKind::task: {
      if (!step.task) return invalid_field("input", "of a task names its `type`");
      if (step.task->key || step.task->idempotency_key || step.task->run_id)
        return invalid_field("input",
                             "of a task has no `key`, `idempotency_key` or `run_id`: its step is its key");
      const EnqueueTasks alone{.tasks = {*step.task}};
      return check(Command{alone});
    }
    default: break;
  }
  const std::string_view wait = step.kind == StepKind::sleep ? "input.duration" : "input.timeout";
  if (step.wait) return check_duration(wait, *step.wait, Duration{0}, kDurationMax);
  return Done{};
}

Status check_step(const StepWrite& step) {
  const Status plain = first_of({check_name("step_id", step.step_id), check_json("input", step.input),
                                 check_json("output", step.output)});
  if (!plain) return plain;
  if (step.retry) {
    if (const Status retry = check_retry(*step.retry); !retry) return retry;
  }
  if (const Status took = check_duration("took", step.took, Duration{0}, kDurationMax); !took) return took;
  if (step.action == StepAction::begin) return check_wait(step);
  if (step.action == StepAction::cancel) {
    if (step.kind == StepKind::compensation)
      return invalid_field("kind", "a compensation cannot be canceled");
    return Done{};
  }
  if (!is_reported(step.kind))
    return invalid_field("kind", "ends automatically: report only functions, compensations and markers");
  if (step.action == StepAction::fail) return check_name("error.code", step.error.code);
  return Done{};
}

Status check_undos(const std::vector<std::string>& undos) {
  if (undos.size() > kUndosMax)
    return invalid_field("undos", fmt::format("has {} names (at most {})", undos.size(), kUndosMax));
  for (std::size_t i = 0; i < undos.size(); ++i) {
    if (const Status name = check_name(fmt::format("undos[{}]", i), undos[i]); !name) return name;
  }
  return Done{};
}

Status check_suspend(const SuspendBody& suspend) {
  const bool waits =
      suspend.until || !suspend.steps.empty() || !suspend.signals.empty() || !suspend.children.empty();
  if (waits) return Done{};
  return invalid_field("suspend", "waits for nothing: give at least one of until, steps, signals, children");
}

}  // namespace

std::string body_type(const std::string& workflow) { return fmt::format("{}{}", kBodyPrefix, workflow); }
bool is_body_type(std::string_view type) { return type.starts_with(kBodyPrefix); }

std::string_view to_string(StopReason reason) { return kStopNames.at(static_cast<std::size_t>(reason)); }
std::optional<StopReason> stop_reason_from(std::string_view name) {
  return enum_from<StopReason>(kStopNames, name);
}

std::optional<StopReason> stop_reason_of(const Run& run) {
  const bool is_stopped = is_stopping(run) || run.state == RunState::compensating || is_closed(run.state);
  if (!is_stopped) return std::nullopt;
  if (!run.error) return StopReason::compensate;
  return stop_reason_from(run.error->code).value_or(StopReason::compensate);
}

StepMemo memo_of(const Node& node) {
  return {.step_id = node.name,
          .kind = node.kind.value_or(StepKind::function),
          .state = node.state,
          .attempt = node.attempt,
          .sequence = node.since,
          .output = node.output,
          .error = node.error,
          .due_at = node.state == NodeState::pending ? node.scheduled_at : node.timer_at,
          .finished_at = node.finished_at,
          .child_id = node.child_id};
}

StepMemoPage step_memos(const NodeSlice& slice) {
  StepMemoPage page{.next = slice.next};
  for (const Node& node : slice.nodes) {
    if (node.key != kBodyKey) page.steps.push_back(memo_of(node));
  }
  std::sort(page.steps.begin(), page.steps.end(),
            [](const StepMemo& a, const StepMemo& b) { return a.sequence < b.sequence; });
  return page;
}

BodyMemo body_memo(const Run& run, const NodeSlice& slice, std::vector<Signal> signals) {
  StepMemoPage page = step_memos(slice);
  return {.steps = std::move(page.steps),
          .next = page.next,
          .signals = std::move(signals),
          .stop = stop_reason_of(run)};
}

Status check(const WriteSteps& command) {
  if (const Status ns = check_namespace(command.ns); !ns) return ns;
  for (std::size_t i = 0; i < command.steps.size(); ++i) {
    const Status step = check_step(command.steps[i]);
    if (step) continue;
    Problem problem = step.problem();
    if (command.steps.size() == 1) return problem;
    for (FieldError& error : problem.errors) error.field = fmt::format("steps[{}].{}", i, error.field);
    problem.detail = fmt::format("steps[{}]: {}", i, problem.detail);
    return problem;
  }
  if (command.await) {
    const Status wait = check_duration("await.at_most", command.await->at_most, Duration{0}, kClaimWaitMax);
    if (!wait) return wait;
  }
  if (command.custom_status) {
    if (const Status status = check_key("custom_status", *command.custom_status); !status) return status;
  }
  if (command.undos) {
    if (const Status undos = check_undos(*command.undos); !undos) return undos;
  }
  if (command.failure) {
    if (const Status code = check_name("failure.code", command.failure->code); !code) return code;
  }
  return command.suspend ? check_suspend(*command.suspend) : Status{Done{}};
}

Status check(const WriteStepsOfMany& command) {
  if (const Status ns = check_namespace(command.ns); !ns) return ns;
  if (command.writes.empty()) return invalid_field("writes", "must not be empty");
  if (command.writes.size() > kStepWritesMax)
    return invalid_field("writes", fmt::format("has over {} entries", kStepWritesMax));
  return Done{};
}

namespace {

bool is_wait(StepKind kind) {
  return kind == StepKind::sleep || kind == StepKind::signal || kind == StepKind::child ||
         kind == StepKind::task;
}

}  // namespace

bool may_be_repeated(const WriteSteps& command) {
  const bool are_harmless =
      std::all_of(command.steps.begin(), command.steps.end(), [](const StepWrite& step) {
        if (step.action == StepAction::begin) return is_wait(step.kind);
        if (step.action == StepAction::cancel) return true;
        return step.action == StepAction::complete && !step.must_be_new;
      });
  return are_harmless && !command.park && !command.custom_status;
}

std::vector<Result<StepsWritten>> with_refused(const std::vector<Status>& admitted,
                                               std::vector<Result<StepsWritten>> results) {
  std::vector<Result<StepsWritten>> all;
  all.reserve(admitted.size());
  auto next = results.begin();
  for (const Status& one : admitted) {
    if (one) {
      all.push_back(std::move(*next++));
    } else {
      all.emplace_back(one.problem());
    }
  }
  return all;
}

}  // namespace pawl::core
