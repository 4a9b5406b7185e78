#include "store/sqlite/task_rows.hpp"

#include "store/codec.hpp"
#include "store/store.hpp"

namespace pawl::store::sqlite {

namespace {

core::TaskStatus read_status(Rows& row) {
  const std::string_view name = row.text();
  return core::task_status_from(name).value_or(core::TaskStatus::failed);  // `verify` reports unknown names
}

core::AttemptOutcome read_outcome(Rows& row) {
  const std::string_view name = row.text();
  return core::attempt_outcome_from(name).value_or(core::AttemptOutcome::failed);  // as above
}

std::optional<core::TaskError> read_error(Rows& row) {
  const std::string_view text = row.text();
  if (text.empty()) return std::nullopt;
  return decode_error(text);
}

}  // namespace

bool read_standing(Rows& row, const LaneCache& lanes, core::TaskRecord& record) {
  record.lane = lanes.find(row.int32());
  if (record.lane == nullptr) return false;
  record.progress = {.attempt = row.int32(), .fence = row.int64(), .budget_from = row.int32()};
  record.available_at = row.time();
  return true;
}

void read_lease(Rows& row, core::TaskRecord& record) {
  core::Lease& lease = record.lease.emplace();
  lease.acquired_at = row.time();
  lease.expires_at = row.time();
  lease.renewals = row.int32();
  lease.cancel_requested = row.boolean();
  lease.heartbeat_at = row.optional_time();
  lease.started_at = row.optional_time();
  lease.timeout = row.optional_duration();
  lease.timeout_at = row.optional_time();
  record.facts.key = row.optional_string();
  lease.worker_id = row.text();
}

void read_end(Rows& row, core::TaskRecord& record) {
  record.status = read_status(row);
  core::TaskEnd& end = record.end.emplace();
  end.fence = row.int64();
  end.claimed_at = row.optional_time();
  end.started_at = row.optional_time();
  end.finished_at = row.time();
  end.worker_id = row.text();
  end.error = read_error(row);
  end.output = row.json();
}

core::FinishedTask read_finished(Rows& row, const core::TaskId& id, const core::Lane* lane) {
  const core::TaskStatus status = read_status(row);
  return {.id = id, .lane = lane, .status = status, .finished_at = row.time()};
}

void read_facts(Rows& row, core::TaskRecord& record) {
  core::TaskFacts& facts = record.facts;
  facts.created_at = row.time();
  facts.timeout = row.optional_duration();
  facts.key = row.optional_string();
  facts.idempotency_key = row.optional_string();
  if (const std::string_view retry = row.text(); !retry.empty()) decode_retry(retry, facts);
  if (const std::string_view labels = row.text(); !labels.empty()) decode_labels(labels, facts);
  facts.payload.text = row.text();
  decode_task_payload(facts);
  record.has_facts = true;
}

core::Attempt read_attempt(Rows& row) {
  core::Attempt attempt;
  attempt.fence = row.int64();
  attempt.attempt = row.int32();
  attempt.claimed_at = row.time();
  attempt.started_at = row.optional_time();
  attempt.finished_at = row.time();
  attempt.outcome = read_outcome(row);
  attempt.status_after = read_status(row);
  attempt.worker_id = row.text();
  attempt.error = read_error(row);
  return attempt;
}

core::QueueSettings read_settings(Rows& row) {
  core::QueueSettings settings;
  settings.paused = row.boolean();
  settings.max_concurrency = row.optional_int64();
  if (const std::string_view limits = row.text(); !limits.empty()) decode_type_limits(limits, settings);
  const auto limit = row.optional_int64();
  const auto per = row.optional_duration();
  if (limit && per) settings.rate = core::Rate{.limit = *limit, .per = *per};
  settings.rate_spent_until = row.time();
  return settings;
}

}  // namespace pawl::store::sqlite
