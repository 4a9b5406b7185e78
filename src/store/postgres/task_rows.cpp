#include "store/postgres/task_rows.hpp"

#include <array>
#include <utility>

#include "store/codec.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

namespace {

using core::Place;
using core::TaskStatus;

constexpr std::array<std::pair<std::string_view, Place>, 6> kPlaces{{{"nowhere", Place::nowhere},
                                                                     {"ready", Place::ready},
                                                                     {"scheduled", Place::scheduled},
                                                                     {"waiting", Place::waiting},
                                                                     {"leased", Place::leased},
                                                                     {"finished", Place::finished}}};

template <typename Value>
Value known(std::optional<Value> value, std::string_view name) {
  if (!value) throw StoreError{StoreError::Kind::internal, "a stored row says '" + std::string{name} + "'"};
  return *value;
}

std::optional<core::Duration> duration_or_null(const Rows& rows, int row, int column) {
  const auto micros = rows.int8_or_null(row, column);
  return micros ? std::optional{core::Duration{*micros}} : std::nullopt;
}

}  // namespace

core::TaskRecord read_record(const Rows& rows, int row, Place place) {
  core::TaskRecord record;
  record.id = rows.id(row, 0);
  record.place = place;
  record.status = place == Place::waiting ? TaskStatus::blocked : TaskStatus::pending;
  record.progress = {
      .attempt = rows.int4(row, 2), .fence = rows.int8(row, 3), .budget_from = rows.int4(row, 4)};
  record.available_at = rows.time(row, 5);
  return record;
}

void read_facts(const Rows& rows, int row, int column, core::TaskRecord& record) {
  core::TaskFacts& facts = record.facts;
  facts.created_at = rows.time(row, column);
  facts.timeout = duration_or_null(rows, row, column + 1);
  facts.key = rows.text_or_null(row, column + 2);
  facts.idempotency_key = rows.text_or_null(row, column + 3);
  if (!rows.is_null(row, column + 4)) decode_retry(rows.text(row, column + 4), facts);
  if (!rows.is_null(row, column + 5)) decode_labels(rows.text(row, column + 5), facts);
  facts.payload.text = rows.text(row, column + 6);  // null reads as empty, which is its meaning
  decode_task_payload(facts);
  record.has_facts = true;
}

void read_lease(const Rows& rows, int row, int column, core::TaskRecord& record) {
  core::Lease& lease = record.lease.emplace();
  lease.worker_id = rows.text(row, column);
  lease.acquired_at = rows.time(row, column + 1);
  lease.expires_at = rows.time(row, column + 2);
  lease.heartbeat_at = rows.time_or_null(row, column + 3);
  lease.started_at = rows.time_or_null(row, column + 4);
  lease.timeout = duration_or_null(rows, row, column + 5);
  lease.timeout_at = rows.time_or_null(row, column + 6);
  lease.renewals = rows.int4(row, column + 7);
  lease.cancel_requested = rows.boolean(row, column + 8);
  record.status = lease.started_at ? TaskStatus::running : TaskStatus::claimed;
}

TaskStatus read_status(const Rows& rows, int row, int column) {
  const std::string_view status = rows.text(row, column);
  return core::task_status_from(status).value_or(TaskStatus::failed);  // `verify` reports unknown names
}

void read_end(const Rows& rows, int row, int column, core::TaskRecord& record) {
  record.status = read_status(rows, row, column);
  core::TaskEnd& end = record.end.emplace();
  end.worker_id = rows.text(row, column + 1);  // null reads as empty
  end.fence = rows.int8(row, column + 2);
  end.claimed_at = rows.time_or_null(row, column + 3);
  end.started_at = rows.time_or_null(row, column + 4);
  end.finished_at = rows.time(row, column + 5);
  end.output.text = rows.text(row, column + 6);
  if (!rows.is_null(row, column + 7)) end.error = decode_error(rows.text(row, column + 7));
}

core::Attempt read_attempt(const Rows& rows, int row, int column) {
  core::Attempt attempt;
  attempt.fence = rows.int8(row, column);
  attempt.attempt = rows.int4(row, column + 1);
  attempt.claimed_at = rows.time(row, column + 2);
  attempt.started_at = rows.time_or_null(row, column + 3);
  attempt.finished_at = rows.time(row, column + 4);
  const std::string_view outcome = rows.text(row, column + 5);
  attempt.outcome = core::attempt_outcome_from(outcome).value_or(core::AttemptOutcome::failed);  // as above
  attempt.status_after = read_status(rows, row, column + 6);
  attempt.worker_id = rows.text(row, column + 7);
  if (!rows.is_null(row, column + 8)) attempt.error = decode_error(rows.text(row, column + 8));
  return attempt;
}

Place place_from(std::string_view name) {
  for (const auto& [known_name, place] : kPlaces) {
    if (known_name == name) return place;
  }
  return known(std::optional<Place>{}, name);
}

}  // namespace pawl::store::postgres
