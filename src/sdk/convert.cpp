#include "sdk/convert.hpp"

namespace pawl::detail {

namespace {

std::string text_of(const core::RawJson& json) { return json.empty() ? "null" : json.text; }

core::Uuid uuid_from(std::string_view field, std::string_view text) {
  const auto id = core::parse_uuid(text);
  if (!id) throw error_of(core::invalid_field(std::string{field}, "is no id: '" + std::string{text} + "'"));
  return *id;
}

}  // namespace

Error error_of(const core::Problem& problem) {
  std::string detail = problem.detail;
  for (const core::FieldError& error : problem.errors) {
    const std::string text = error.field + " " + error.message;
    if (detail.find(text) == std::string::npos) detail += (detail.empty() ? "" : "; ") + text;
  }
  return Error{std::string{core::kind_of(problem.code).name}, detail};
}

core::RunId run_id_from(std::string_view text) { return core::RunId{uuid_from("run_id", text)}; }
core::TaskId task_id_from(std::string_view text) { return core::TaskId{uuid_from("task_id", text)}; }

core::RetryPolicy retry_of(const RetryPolicy& policy, core::RetryPolicy defaults) {
  if (policy.max_attempts) defaults.max_attempts = *policy.max_attempts;
  if (policy.initial_interval) defaults.initial_interval = *policy.initial_interval;
  if (policy.backoff) defaults.backoff = *policy.backoff;
  if (policy.max_interval) defaults.max_interval = *policy.max_interval;
  if (policy.jitter) defaults.jitter = *policy.jitter;
  if (!policy.non_retryable.empty()) defaults.non_retryable = policy.non_retryable;
  return defaults;
}

bool is_given(const RetryPolicy& policy) {
  return policy.max_attempts || policy.initial_interval || policy.backoff || policy.max_interval ||
         policy.jitter || !policy.non_retryable.empty();
}

core::TaskSpec spec_of(std::string_view type, std::string payload, const EnqueueOptions& options) {
  core::TaskSpec spec{.type = std::string{type},
                      .payload = {std::move(payload)},
                      .key = options.key,
                      .idempotency_key = options.idempotency_key,
                      .fairness_key = options.fairness_key,
                      .fairness_weight = options.fairness_weight,
                      .delay = options.delay,
                      .run_at = options.run_at,
                      .retry = retry_of(options.retry, {}),
                      .timeout = options.timeout,
                      .labels = options.labels,
                      .given = {.queue = options.queue.has_value(),
                                .priority = options.priority.has_value(),
                                .retry = is_given(options.retry)}};
  if (options.queue) spec.queue = *options.queue;
  if (options.priority) spec.priority = *options.priority;
  return spec;
}

std::optional<ErrorInfo> info_of(const std::optional<core::TaskError>& error) {
  if (!error) return std::nullopt;
  return ErrorInfo{.code = error->code, .message = error->message, .retryable = error->retryable};
}

namespace {

std::optional<std::string> text_of(const std::optional<core::RunId>& id) {
  if (!id) return std::nullopt;
  return to_string(*id);
}

}  // namespace

RunInfo info_of(const core::Run& run) {
  return {.id = to_string(run.facts.id),
          .workflow = run.facts.workflow,
          .state = std::string{core::to_string(run.state)},
          .run_key = run.facts.run_key,
          .custom_status = run.custom_status,
          .output_text = text_of(run.output),
          .error = info_of(run.error),
          .compensation_error = info_of(run.compensation_error),
          .created_at = run.created_at,
          .finished_at = run.finished_at,
          .continued_from = text_of(run.facts.continued_from),
          .continued_as = text_of(run.continued_as),
          .is_closed = core::is_closed(run.state)};
}

TaskInfo info_of(const core::Task& task) {
  return {.id = to_string(task.id),
          .type = task.type,
          .queue = task.queue,
          .status = std::string{core::to_string(task.status)},
          .attempt = task.attempt,
          .payload_text = text_of(task.payload),
          .output_text = text_of(task.output),
          .error = info_of(task.error),
          .is_finished = core::is_terminal(task.status)};
}

StepInfo info_of(const core::StepAttempt& attempt) {
  return {.step = attempt.step_id,
          .kind = std::string{core::to_string(attempt.kind)},
          .state = std::string{core::to_string(attempt.state)},
          .attempt = attempt.attempt,
          .started_at = attempt.started_at,
          .finished_at = attempt.finished_at,
          .output_text = text_of(attempt.output),
          .error = info_of(attempt.error)};
}

Event event_of(const core::RunEvent& event) {
  return {.sequence = event.sequence,
          .type = std::string{core::to_string(event.type)},
          .at = event.at,
          .payload_text = core::payload_of(event.data).text};
}

}  // namespace pawl::detail
