#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/task/command.hpp"

namespace pawl::core {

namespace {

Status range(std::string_view field, auto value, auto low, auto high) {
  if (value < low || value > high)
    return invalid_field(std::string{field}, fmt::format("must be from {} to {}, not {}", low, high, value));
  return Done{};
}

Status text(std::string_view field, const std::string& value, std::size_t characters_max) {
  if (value.empty()) return invalid_field(std::string{field}, "must not be empty");
  const auto length = utf8_length(value);
  if (!length) return invalid_field(std::string{field}, "must be UTF-8");
  if (*length > characters_max)
    return invalid_field(std::string{field},
                         fmt::format("has {} characters (at most {})", *length, characters_max));
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto byte = static_cast<unsigned char>(value[i]);
    const bool is_c1 = byte == 0xc2 && static_cast<unsigned char>(value[i + 1]) < 0xa0;
    if (byte < 0x20 || byte == 0x7f || is_c1)
      return invalid_field(std::string{field}, "must have no control characters");
  }
  return Done{};
}

// Prefixes the problem's fields with the path of their parent.
Problem below(const std::string& prefix, Problem problem) {
  for (FieldError& error : problem.errors) error.field = prefix + error.field;
  problem.detail = prefix + problem.detail;
  return problem;
}

Status check_fairness(const TaskSpec& spec) {
  if (spec.fairness_key) {
    if (const Status key = check_key("fairness_key", *spec.fairness_key); !key) return key;
    if (spec.priority < kSharedPriorityMin || spec.priority > kSharedPriorityMax)
      return invalid_field("priority",
                           fmt::format("must be from {} to {} for a task with a fairness_key, not {}",
                                       kSharedPriorityMin, kSharedPriorityMax, spec.priority));
  }
  if (!spec.fairness_weight) return Done{};
  if (!spec.fairness_key) return invalid_field("fairness_weight", "needs a fairness_key");
  if (!std::isfinite(*spec.fairness_weight)) return invalid_field("fairness_weight", "must be a number");
  return range("fairness_weight", *spec.fairness_weight, kFairnessWeightMin, kFairnessWeightMax);
}

Status check_spec(const TaskSpec& spec) {
  const Status names =
      first_of({check_name("type", spec.type), check_name("queue", spec.queue),
                check_json("payload", spec.payload), check_retry(spec.retry), check_labels(spec.labels)});
  if (!names) return names;
  if (spec.delay && spec.run_at) return invalid_field("delay", "excludes run_at: give one of the two");
  if (spec.run_at && (*spec.run_at < kTimeMin || *spec.run_at > kTimeMax)) {
    return invalid_field("run_at", "must be a time that RFC 3339 can name");
  }
  if (spec.key) {
    if (const Status key = check_key("key", *spec.key); !key) return key;
  }
  if (spec.idempotency_key) {
    if (const Status key = check_key("idempotency_key", *spec.idempotency_key); !key) return key;
  }
  if (const Status fairness = check_fairness(spec); !fairness) return fairness;
  if (spec.delay) {
    const Status delay = check_duration("delay", *spec.delay, Duration{0}, kDurationMax);
    if (!delay) return delay;
  }
  if (!spec.after.empty() && !spec.run_id) return invalid_field("after", "needs a run_id");
  if (spec.after.size() > kAfterMax)
    return invalid_field("after", fmt::format("has {} entries (at most {})", spec.after.size(), kAfterMax));
  if (spec.timeout) return check_duration("timeout", *spec.timeout, kTimeoutMin, kDurationMax);
  return Done{};
}

Status check_command(const EnqueueTasks& command) {
  if (command.tasks.empty()) return invalid_field("tasks", "must not be empty");
  if (command.tasks.size() > kBatchTasksMax) {
    return invalid_field(
        "tasks", fmt::format("has {} tasks, at most {} go in a batch", command.tasks.size(), kBatchTasksMax));
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < command.tasks.size(); ++i) {
    if (const Status spec = check_spec(command.tasks[i]); !spec) {
      return command.tasks.size() == 1 ? spec : below(fmt::format("tasks[{}].", i), spec.problem());
    }
    bytes += command.tasks[i].payload.text.size();
  }
  if (bytes > kBatchBytesMax) {
    return Problem{.code = ProblemCode::payload_too_large,
                   .detail = fmt::format("the payloads have {} bytes together, at most {} go in a batch",
                                         bytes, kBatchBytesMax)};
  }
  return Done{};
}

Status check_command(const ClaimTasks& command) {
  if (command.queues.empty()) return invalid_field("queues", "must not be empty");
  for (std::size_t i = 0; i < command.queues.size(); ++i) {
    const Status name = check_name(fmt::format("queues[{}]", i), command.queues[i]);
    if (!name) return name;
  }
  for (std::size_t i = 0; i < command.types.size(); ++i) {
    const Status name = check_name(fmt::format("types[{}]", i), command.types[i]);
    if (!name) return name;
  }
  return first_of(
      {check_name("worker_id", command.worker_id),
       range("queues", command.queues.size(), std::size_t{1}, kClaimQueuesMax),
       range("types", command.types.size(), std::size_t{0}, kClaimTypesMax),
       range("max", command.max, 1, static_cast<int>(kClaimTasksMax)),
       check_duration("lease", command.lease.value_or(command.lease_default), kLeaseMin, kLeaseMax),
       check_duration("wait", command.wait, Duration{0}, kClaimWaitMax)});
}

Status check_report(const Report& report) {
  if (report.lease) {
    const Status lease = check_duration("lease", *report.lease, kLeaseMin, kLeaseMax);
    if (!lease) return lease;
  }
  if (report.retry_after) {
    const Status after = check_duration("retry_after", *report.retry_after, Duration{0}, kDurationMax);
    if (!after) return after;
  }
  if (report.continue_as_new) {
    if (const Status input = check_json("continue_as_new", *report.continue_as_new); !input) return input;
  }
  if (report.action == ReportAction::complete) return check_json("output", report.output);
  if (report.action != ReportAction::fail) return Done{};
  if (report.error.message.size() > kErrorMessageBytesMax || !utf8_length(report.error.message) ||
      report.error.message.find('\0') != std::string::npos) {
    return invalid_field("error.message", fmt::format("must be UTF-8 of at most {} bytes, with no NUL",
                                                      kErrorMessageBytesMax));
  }
  return text("error.code", report.error.code, kErrorCodeCharactersMax);
}

Status check_command(const ReportTasks& command) {
  if (command.reports.empty()) return invalid_field("reports", "must not be empty");
  if (command.reports.size() > kReportsMax) {
    return invalid_field("reports",
                         fmt::format("has {} entries (at most {})", command.reports.size(), kReportsMax));
  }
  return check_name("worker_id",
                    command.worker_id);  // reports are checked one by one
}

Status check_ids(const std::vector<TaskId>& ids) {
  if (ids.size() > static_cast<std::size_t>(kBulkTasksMax)) {
    return invalid_field("ids", fmt::format("has {} entries (at most {})", ids.size(), kBulkTasksMax));
  }
  return Done{};
}
Status check_command(const CancelTasks& command) { return check_ids(command.ids); }
Status check_command(const RetryTasks& command) { return check_ids(command.ids); }

Status check_command(const SetQueue& command) {
  const QueuePatch& patch = command.patch;
  if (const Status name = check_name("name", command.name); !name) return name;
  if (patch.max_concurrency && *patch.max_concurrency) {
    const Status limit = range("max_concurrency", **patch.max_concurrency, std::int64_t{0}, kConcurrencyMax);
    if (!limit) return limit;
  }
  if (patch.type_concurrency && *patch.type_concurrency) {
    for (const auto& [type, value] : **patch.type_concurrency) {
      const Status limit =
          first_of({check_name("type_concurrency", type),
                    range("type_concurrency." + type, value, std::int64_t{0}, kConcurrencyMax)});
      if (!limit) return limit;
    }
  }
  if (!patch.rate || !*patch.rate) return Done{};
  return first_of(
      {range("rate.limit", (*patch.rate)->limit, std::int64_t{1}, kRateLimitMax),
       check_duration("rate.per", (*patch.rate)->per, std::chrono::milliseconds{1}, std::chrono::hours{24})});
}

Status check_command(const SweepLeases&) { return Done{}; }
Status check_command(const PromoteDue&) { return Done{}; }
Status check_command(const ChangeRecords&) { return Done{}; }  // each noun checks its own beforehand

Status check_command(const EraseTasks&) { return Done{}; }
Status check_command(const EraseRuns&) { return Done{}; }
Status check_command(const EraseAudit&) { return Done{}; }

constexpr std::array<std::string_view, 8> kCheckpointTypes{
    "iteration_start", "iteration_end",    "tool_executed",     "llm_response",
    "approval_point",  "state_transition", "manual_checkpoint", "error_boundary"};

Status check_command(const AppendCheckpoint& command) {
  if (command.snapshot.empty()) return invalid_field("snapshot", "is required");
  return first_of({check_checkpoint_type(command.type), check_json("snapshot", command.snapshot),
                   check_json("metadata", command.metadata)});
}

Status check_time(std::string_view field, const std::optional<TimePoint>& time) {
  if (!time || (*time >= kTimeMin && *time <= kTimeMax)) return Done{};
  return invalid_field(std::string{field}, "must be a time that RFC 3339 can name");
}

// The checks that the commands that begin a run have in common.
template <typename Start>
Status check_start(const Start& command) {
  if (command.run_key) {
    if (const Status key = check_key("run_key", *command.run_key); !key) return key;
  }
  if (command.deadline && command.deadline_at)
    return invalid_field("deadline", "excludes deadline_at: give one of the two");
  if (command.deadline) {
    const Status deadline = check_duration("deadline", *command.deadline, kTimeoutMin, kDurationMax);
    if (!deadline) return deadline;
  }
  return first_of({check_name("workflow", command.workflow), check_json("input", command.input),
                   check_labels(command.labels), check_time("deadline_at", command.deadline_at)});
}

Status check_command(const StartRun& command) {
  if (command.queue) {
    if (const Status queue = check_name("queue", *command.queue); !queue) return queue;
  }
  return first_of({check_start(command),
                   range("version", command.version.value_or(1), 1, std::numeric_limits<int>::max())});
}
Status check_command(const OpenRun& command) { return check_start(command); }

Status check_reason(const std::optional<std::string>& reason) {
  const bool is_good = !reason || (reason->size() <= kErrorMessageBytesMax && utf8_length(*reason) &&
                                   reason->find('\0') == std::string::npos);
  if (is_good) return Done{};
  return invalid_field("reason",
                       fmt::format("must be UTF-8 of at most {} bytes, with no NUL", kErrorMessageBytesMax));
}
Status check_command(const ActOnRun& command) {
  if (command.asked.step) {
    if (const Status step = check_name("step", *command.asked.step); !step) return step;
  }
  return check_reason(command.asked.reason);
}
Status check_command(const RewindRun& command) { return check_name("to", command.to); }

Status check_command(const SignalRun& command) {
  if (command.signal.idempotency_key) {
    const Status key = check_key("idempotency_key", *command.signal.idempotency_key);
    if (!key) return key;
  }
  return first_of({check_name("name", command.signal.name), check_json("payload", command.signal.payload)});
}
Status check_command(const WriteSteps& command) { return check(command); }
Status check_command(const WriteStepsOfMany& command) { return check(command); }
Status check_command(const WakeRuns&) { return Done{}; }

Status check_command(const DoOnce& command) {
  const Status key = command.takes.empty() ? check_key("Idempotency-Key", command.key) : Status{Done{}};
  return first_of({key, check(command.command->value)});
}

}  // namespace

Status check_checkpoint_type(const std::string& type) {
  if (std::find(kCheckpointTypes.begin(), kCheckpointTypes.end(), type) != kCheckpointTypes.end())
    return Done{};
  return invalid_field("type", fmt::format("must be one of {}", fmt::join(kCheckpointTypes, ", ")));
}

Status first_of(std::initializer_list<Status> checks) {
  for (const Status& status : checks) {
    if (!status) return status;
  }
  return Done{};
}

Status check_duration(std::string_view field, Duration value, Duration low, Duration high) {
  if (value < low || value > high) {
    return invalid_field(std::string{field},
                         fmt::format("must be from {} to {}, not {}", format_duration(low),
                                     format_duration(high), format_duration(value)));
  }
  return Done{};
}

Status check_retry(const RetryPolicy& retry) {
  if (retry.max_attempts == 0)
    return invalid_field("retry.max_attempts", "is 0: use a positive number, or a negative one for no limit");
  if (std::isnan(retry.backoff)) return invalid_field("retry.backoff", "must be a number");
  if (std::isnan(retry.jitter)) return invalid_field("retry.jitter", "must be a number");
  for (std::size_t i = 0; i < retry.non_retryable.size(); ++i) {
    const Status code =
        text(fmt::format("retry.non_retryable[{}]", i), retry.non_retryable[i], kErrorCodeCharactersMax);
    if (!code) return code;
  }
  return first_of(
      {range("retry.max_attempts", std::max(retry.max_attempts, -1), -1, kAttemptsMax),
       check_duration("retry.initial_interval", retry.initial_interval, Duration{0}, kDurationMax),
       range("retry.backoff", retry.backoff, 1.0, kBackoffMax),
       check_duration("retry.max_interval", retry.max_interval, Duration{0}, kDurationMax),
       range("retry.jitter", retry.jitter, 0.0, 1.0),
       range("retry.non_retryable", retry.non_retryable.size(), std::size_t{0}, kNonRetryableMax)});
}

Status check_labels(const Labels& labels) {
  if (labels.contains(std::string{kUnreadableLabel}))
    return invalid_field("labels." + std::string{kUnreadableLabel}, "is reserved: only the store sets it");
  if (labels.size() > kLabelsMax)
    return invalid_field("labels", fmt::format("has {} entries (at most {})", labels.size(), kLabelsMax));
  for (const auto& [name, value] : labels) {
    const Status label = text("labels", name, kNameCharactersMax);
    if (!label) return label;
    if (value.empty()) continue;
    const Status content = text("labels." + name, value, kKeyCharactersMax);
    if (!content) return content;
  }
  return Done{};
}

Status check_namespace(const std::string& ns) {
  const auto is_first = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto is_rest = [&](char c) { return is_first(c) || c == '.' || c == '_' || c == '-'; };
  bool valid = !ns.empty() && ns.size() <= kNamespaceBytesMax && is_first(ns.front());
  for (const char c : ns) valid = valid && is_rest(c);
  if (!valid) return invalid_field("namespace", "must be [a-z0-9][a-z0-9._-]{0,62}");
  if (ns == "admin") return invalid_field("namespace", "admin is reserved");
  return Done{};
}

Status check_name(std::string_view field, const std::string& name) {
  return text(field, name, kNameCharactersMax);
}

Status check_key(std::string_view field, const std::string& key) {
  return text(field, key, kKeyCharactersMax);
}

Status check_json(std::string_view field, const RawJson& json) {
  if (json.text.size() > kPayloadBytesMax) {
    Problem problem = invalid_field(std::string{field}, fmt::format("has {} bytes, at most {} are kept",
                                                                    json.text.size(), kPayloadBytesMax));
    problem.code = ProblemCode::payload_too_large;
    return problem;
  }
  if (json.empty()) return Done{};
  if (auto error = json_error(json.text)) return invalid_field(std::string{field}, *error);
  return Done{};
}

Status check(const Report& report, std::size_t index) {
  const Status status = check_report(report);
  return status ? status : below(fmt::format("reports[{}].", index), status.problem());
}

Status check(const Command& command) {
  const auto* const once = std::get_if<DoOnce>(&command);
  const bool is_of_none = once != nullptr && once->ns.empty();
  const Status ns = is_of_none ? Status{Done{}} : check_namespace(namespace_of(command));
  if (!ns) return ns;
  return std::visit([](const auto& typed) { return check_command(typed); }, command);
}

const std::string& namespace_of(const Command& command) {
  static const std::string everywhere = "default";  // the ticker's commands span namespaces
  return std::visit(
      [](const auto& typed) -> const std::string& {
        if constexpr (requires { typed.ns; }) {
          return typed.ns;
        } else if constexpr (requires { typed.run.ns; }) {
          return typed.run.ns;
        } else {
          return everywhere;
        }
      },
      command);
}

std::size_t largest_payload(const Command& command) {
  std::size_t largest = 0;
  const auto take = [&largest](const RawJson& json) { largest = std::max(largest, json.text.size()); };
  if (const auto* enqueue = std::get_if<EnqueueTasks>(&command)) {
    for (const TaskSpec& spec : enqueue->tasks) take(spec.payload);
  } else if (const auto* reports = std::get_if<ReportTasks>(&command)) {
    for (const Report& report : reports->reports) take(report.output);
  } else if (const auto* checkpoint = std::get_if<AppendCheckpoint>(&command)) {
    take(checkpoint->snapshot);
  } else if (const auto* start = std::get_if<StartRun>(&command)) {
    take(start->input);
  } else if (const auto* open = std::get_if<OpenRun>(&command)) {
    take(open->input);
  } else if (const auto* signal = std::get_if<SignalRun>(&command)) {
    take(signal->signal.payload);
  } else if (const auto* steps = std::get_if<WriteSteps>(&command)) {
    for (const StepWrite& step : steps->steps) take(step.output);
  } else if (const auto* many = std::get_if<WriteStepsOfMany>(&command)) {
    for (const WriteSteps& write : many->writes) {
      for (const StepWrite& step : write.steps) take(step.output);
    }
  } else if (const auto* once = std::get_if<DoOnce>(&command)) {
    return largest_payload(once->command->value);
  }
  return largest;
}

std::size_t weight_of(const Command& command) {
  struct Weight {
    std::size_t operator()(const EnqueueTasks& c) const { return c.tasks.size(); }
    std::size_t operator()(const ClaimTasks& c) const { return static_cast<std::size_t>(c.max); }
    std::size_t operator()(const ReportTasks& c) const { return c.reports.size(); }
    std::size_t operator()(const CancelTasks& c) const { return c.ids.size(); }
    std::size_t operator()(const RetryTasks& c) const { return c.ids.size(); }
    std::size_t operator()(const SetQueue&) const { return 1; }
    std::size_t operator()(const SweepLeases& c) const { return c.leases.size(); }
    std::size_t operator()(const PromoteDue& c) const { return c.ids.size(); }
    std::size_t operator()(const ChangeRecords& c) const { return c.refs.size() + c.held.ids.size() + 1; }
    std::size_t operator()(const AppendCheckpoint&) const { return 1; }
    std::size_t operator()(const EraseTasks& c) const { return c.tasks.size(); }
    std::size_t operator()(const EraseRuns& c) const { return c.runs.size(); }
    std::size_t operator()(const EraseAudit&) const { return 1; }
    std::size_t operator()(const WakeRuns& c) const {
      return c.timers.size() + c.deadlines.size() + c.stuck.size() + c.parked.size();
    }
    std::size_t operator()(const StartRun&) const { return 1; }
    std::size_t operator()(const OpenRun&) const { return 1; }
    std::size_t operator()(const ActOnRun&) const { return 1; }
    std::size_t operator()(const RewindRun&) const { return 1; }
    std::size_t operator()(const SignalRun&) const { return 1; }
    std::size_t operator()(const WriteSteps& c) const { return c.steps.size() + 1; }
    std::size_t operator()(const WriteStepsOfMany& c) const {
      return std::accumulate(c.writes.begin(), c.writes.end(), std::size_t{1},
                             [this](std::size_t sum, const WriteSteps& one) { return sum + (*this)(one); });
    }
    std::size_t operator()(const DoOnce& c) const { return weight_of(c.command->value); }
  };
  return std::visit(Weight{}, command);
}

}  // namespace pawl::core
