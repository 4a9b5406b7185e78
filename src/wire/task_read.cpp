#include "wire/task_read.hpp"

#include "wire/parts.hpp"

namespace pawl::wire {

namespace {

core::TaskId read_id(ObjectReader& in, std::string_view name) {
  return core::TaskId{in.optional_uuid(name).value_or(core::Uuid{})};
}

core::TaskStatus read_status(ObjectReader& in, std::string_view name) {
  const auto status = core::task_status_from(in.text(name));
  if (!status) in.mistake(name, "is a status that this client does not know");
  return status.value_or(core::TaskStatus::pending);
}

core::RetryPolicy read_retry(ObjectReader& in) {
  core::RetryPolicy retry;
  in.optional_object_leniently("retry", [&](ObjectReader& inner) {
    retry.max_attempts = read_int(inner, "max_attempts");
    retry.initial_interval = inner.optional_duration("initial_interval").value_or(retry.initial_interval);
    retry.backoff = inner.optional_number("backoff").value_or(retry.backoff);
    retry.max_interval = inner.optional_duration("max_interval").value_or(retry.max_interval);
    retry.jitter = inner.optional_number("jitter").value_or(retry.jitter);
    retry.non_retryable = inner.optional_texts("non_retryable").value_or(retry.non_retryable);
  });
  return retry;
}

std::optional<core::LeaseView> read_lease(ObjectReader& in) {
  std::optional<core::LeaseView> lease;
  in.optional_object_leniently("lease", [&](ObjectReader& inner) {
    lease = core::LeaseView{.worker_id = inner.text("worker_id"),
                            .fence = inner.integer("fence"),
                            .acquired_at = read_time(inner, "acquired_at"),
                            .expires_at = read_time(inner, "expires_at"),
                            .heartbeat_at = {},
                            .renewals = read_int(inner, "renewals")};
    // Older servers send null until the first heartbeat.
    lease->heartbeat_at = inner.optional_time("heartbeat_at").value_or(lease->acquired_at);
  });
  return lease;
}

}  // namespace

core::Task read_task(ObjectReader& in) {
  core::Task task;
  task.id = read_id(in, "id");
  task.ns = in.text("namespace");
  task.queue = in.text("queue");
  task.type = in.text("type");
  task.status = read_status(in, "status");
  task.priority = read_int(in, "priority");
  task.key = in.optional_text("key");
  task.idempotency_key = in.optional_text("idempotency_key");
  if (auto key = in.optional_text("fairness_key"))
    task.fairness =
        core::Fairness{.key = std::move(*key), .weight = in.optional_number("fairness_weight").value_or(1)};
  task.payload = in.json("payload");
  task.output = in.json("output");
  task.error = read_error(in);
  task.attempt = read_int(in, "attempt");
  task.retry = read_retry(in);
  task.timeout = in.optional_duration("timeout");
  task.run_id = optional_id<core::RunTag>(in, "run_id");
  task.node_id = in.optional_text("node_id");
  task.labels = in.optional_text_map("labels").value_or(core::Labels{});
  task.traceparent = in.optional_text("traceparent").value_or("");
  task.tracestate = in.optional_text("tracestate").value_or("");
  task.lease = read_lease(in);
  task.cancel_requested = in.optional_boolean("cancel_requested").value_or(false);
  task.available_at = read_time(in, "available_at");
  task.created_at = read_time(in, "created_at");
  task.claimed_at = in.optional_time("claimed_at");
  task.started_at = in.optional_time("started_at");
  task.finished_at = in.optional_time("finished_at");
  task.updated_at = read_time(in, "updated_at");
  return task;
}

core::AttemptView read_attempt(ObjectReader& in) {
  core::AttemptView attempt;
  attempt.attempt = read_int(in, "attempt");
  attempt.fence = in.integer("fence");
  attempt.worker_id = in.text("worker_id");
  attempt.claimed_at = read_time(in, "claimed_at");
  attempt.started_at = in.optional_time("started_at");
  attempt.finished_at = in.optional_time("finished_at");
  if (const auto outcome = in.optional_text("outcome")) {
    attempt.outcome = core::attempt_outcome_from(*outcome);
    if (!attempt.outcome) in.mistake("outcome", "has a value that this client does not support");
  }
  if (const auto status = in.optional_text("status_after")) {
    attempt.status_after = core::task_status_from(*status);
    if (!attempt.status_after) in.mistake("status_after", "is a status that this client does not know");
  }
  attempt.error = read_error(in);
  return attempt;
}

core::Problem read_problem(ObjectReader& in) {
  core::Problem problem;
  problem.code = core::problem_code_from(in.text("code")).value_or(core::ProblemCode::internal);
  problem.detail = in.optional_text("detail").value_or("");
  if (in.has("errors")) {
    in.objects_leniently("errors", [&](ObjectReader& error) {
      problem.errors.push_back(
          {.field = error.text("field"), .message = error.text("message"), .line = read_int(error, "line")});
    });
  }
  return problem;
}

core::Result<core::ReportAnswer> read_report_answer(ObjectReader& in) {
  if (!in.optional_boolean("ok").value_or(false)) {
    core::Problem problem;
    in.optional_object_leniently("error", [&](ObjectReader& error) { problem = read_problem(error); });
    return problem;
  }
  return core::ReportAnswer{.task_id = read_id(in, "task_id"),
                            .status = read_status(in, "status"),
                            .lease_expires_at = in.optional_time("lease_expires_at"),
                            .cancel_requested = in.optional_boolean("cancel_requested").value_or(false)};
}

core::Queue read_queue(ObjectReader& in) {
  core::Queue queue{.name = in.text("name")};
  queue.settings.paused = in.optional_boolean("paused").value_or(false);
  queue.settings.max_concurrency = in.optional_integer("max_concurrency");
  in.optional_integers("type_concurrency", queue.settings.type_concurrency);
  in.optional_object_leniently("rate", [&](ObjectReader& rate) {
    queue.settings.rate = core::Rate{.limit = rate.integer("limit"),
                                     .per = rate.optional_duration("per").value_or(core::Rate{}.per)};
  });
  in.optional_object_leniently("counts", [&](ObjectReader& counts) {
    queue.counts = {.pending = counts.integer("pending"),
                    .scheduled = counts.integer("scheduled"),
                    .blocked = counts.integer("blocked"),
                    .claimed = counts.integer("claimed"),
                    .running = counts.integer("running"),
                    .dead_letter = counts.integer("dead_letter")};
  });
  queue.oldest_pending_age = in.optional_duration("oldest_pending_age");
  return queue;
}

}  // namespace pawl::wire
