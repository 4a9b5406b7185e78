#include "store/sqlite/tasks_commit.hpp"

#include <fmt/format.h>

#include "core/ensure.hpp"
#include "store/codec.hpp"
#include "store/sqlite/sql.hpp"

namespace pawl::store::sqlite {

namespace {

using core::Place;
using core::TaskRecord;

// The statements of the hot path, looked up once a group.
class TaskWriter {
 public:
  TaskWriter(Connection& connection, core::TimePoint now) : connection_(connection), now_(now) {}

  void write(const TaskWrite& write) {
    const TaskRecord& record = *write.record;
    if (write.is_new) insert_facts(record);
    if (write.from == Place::leased && record.place == Place::leased) {
      update_lease(write);
    } else {
      leave(write);
      enter(write);
    }
    for (const core::Attempt& attempt : write.attempts) insert_attempt(record.id, attempt);
    for (const core::RawJson& snapshot : write.error_boundaries) insert_error_boundary(record.id, snapshot);
  }

 private:
  void insert_facts(const TaskRecord& record) {
    const core::TaskFacts& facts = record.facts;
    insert_task_.run(record.id, record.lane->id, facts.created_at, facts.timeout, facts.key,
                     facts.idempotency_key, encode_retry(facts.retry), encode_labels(facts.labels),
                     facts.payload);
    if (!facts.idempotency_key) return;
    const int inserted = connection_.statement(sql::insert_task_key)
                             .run(record.lane->ns, record.lane->type, *facts.idempotency_key, record.id);
    if (inserted != 1) throw StoreError{StoreError::Kind::retry, "an idempotency key was taken meanwhile"};
  }

  [[nodiscard]] Statement& delete_from(Place place) {
    switch (place) {
      case Place::ready: return connection_.statement(sql::delete_ready);
      case Place::scheduled: return connection_.statement(sql::delete_scheduled);
      case Place::waiting: return connection_.statement(sql::delete_waiting);
      case Place::leased: return delete_lease_;
      case Place::finished: return connection_.statement(sql::delete_finished);
      case Place::nowhere: break;
    }
    core::ensure_failed(__FILE__, __LINE__, "a task that stands nowhere has no row to delete");
  }

  void leave(const TaskWrite& write) {
    if (write.from == Place::nowhere) return;
    expect_one(delete_from(write.from).run(write.record->id, write.fence_before), write);
  }

  void enter(const TaskWrite& write) {
    const TaskRecord& record = *write.record;
    const core::Progress& progress = record.progress;
    switch (record.place) {
      case Place::ready:
        insert_ready_.run(record.lane->id, record.available_at, record.id, progress.attempt, progress.fence,
                          progress.budget_from);
        return;
      case Place::scheduled:
        connection_.statement(sql::insert_scheduled)
            .run(record.available_at, record.id, record.lane->id, progress.attempt, progress.fence,
                 progress.budget_from);
        return;
      case Place::waiting: return insert_waiting(write);
      case Place::leased: return insert_lease(record);
      case Place::finished: return insert_finished(record);
      case Place::nowhere: break;
    }
    core::ensure_failed(__FILE__, __LINE__, "every written task stands in a place");
  }

  void insert_waiting(const TaskWrite& write) {
    const TaskRecord& record = *write.record;
    PAWL_ENSURE(record.facts.key.has_value(), "only a task with a key waits in line");
    connection_.statement(sql::insert_waiting)
        .run(record.lane->ns, record.lane->queue, *record.facts.key, write.line_position, record.id,
             record.lane->id, record.available_at, record.progress.attempt, record.progress.fence,
             record.progress.budget_from);
  }

  void insert_lease(const TaskRecord& record) {
    PAWL_ENSURE(record.lease.has_value(), "a leased task has a lease");
    const core::Lease& lease = *record.lease;
    insert_lease_.run(record.id, record.lane->id, record.progress.attempt, record.progress.fence,
                      record.progress.budget_from, record.available_at, lease.acquired_at, lease.expires_at,
                      lease.renewals, lease.cancel_requested, lease.heartbeat_at, lease.started_at,
                      lease.timeout, lease.timeout_at, record.facts.key, lease.worker_id);
  }

  void update_lease(const TaskWrite& write) {
    const TaskRecord& record = *write.record;
    PAWL_ENSURE(record.lease.has_value(), "a leased task has a lease");
    const core::Lease& lease = *record.lease;
    const int changed = connection_.statement(sql::update_lease)
                            .run(record.progress.attempt, record.progress.fence, record.progress.budget_from,
                                 record.available_at, lease.acquired_at, lease.expires_at, lease.renewals,
                                 lease.cancel_requested, lease.heartbeat_at, lease.started_at, lease.timeout,
                                 lease.timeout_at, lease.worker_id, record.id, write.fence_before);
    expect_one(changed, write);
  }

  void insert_finished(const TaskRecord& record) {
    PAWL_ENSURE(record.end.has_value(), "a finished task has an end");
    const core::TaskEnd& end = *record.end;
    std::optional<std::string_view> worker;
    if (!end.worker_id.empty()) worker = end.worker_id;
    std::optional<std::string> error;
    if (end.error) error = encode_error(*end.error);
    insert_finished_.run(record.id, record.lane->id, core::to_string(record.status), record.progress.attempt,
                         record.progress.fence, record.progress.budget_from, record.available_at, end.fence,
                         end.claimed_at, end.started_at, end.finished_at, worker, error, end.output);
  }

  void insert_attempt(const core::TaskId& id, const core::Attempt& attempt) {
    std::optional<std::string> error;
    if (attempt.error) error = encode_error(*attempt.error);
    connection_.statement(sql::insert_attempt)
        .run(id, attempt.fence, attempt.attempt, attempt.claimed_at, attempt.started_at, attempt.finished_at,
             core::to_string(attempt.outcome), core::to_string(attempt.status_after), attempt.worker_id,
             error);
  }

  void insert_error_boundary(const core::TaskId& id, const core::RawJson& snapshot) {
    connection_.statement(sql::insert_checkpoint)
        .run(id, std::string_view{"error_boundary"}, now_, std::nullopt, snapshot);
  }

  static void expect_one(int changed, const TaskWrite& write) {
    if (changed == 1) return;
    throw StoreError{StoreError::Kind::retry,
                     fmt::format("task {} is not where it was loaded", core::to_string(write.record->id))};
  }

  Connection& connection_;
  core::TimePoint now_;
  Statement& insert_task_ = connection_.statement(sql::insert_task);
  Statement& insert_ready_ = connection_.statement(sql::insert_ready);
  Statement& insert_lease_ = connection_.statement(sql::insert_lease);
  Statement& delete_lease_ = connection_.statement(sql::delete_lease);
  Statement& insert_finished_ = connection_.statement(sql::insert_finished);
};

void write_line(Connection& connection, const LineWrite& write) {
  const LineRef& ref = write.ref;
  if (write.line.head) {
    connection.statement(sql::put_line).run(ref.ns, ref.queue, ref.key, *write.line.head, write.line.tail);
  } else {
    connection.statement(sql::delete_line).run(ref.ns, ref.queue, ref.key);
  }
}

void write_queue(Connection& connection, const QueueWrite& write) {
  const core::QueueSettings& settings = write.settings;
  std::optional<std::int64_t> limit;
  std::optional<core::Duration> per;
  if (settings.rate) {
    limit = settings.rate->limit;
    per = settings.rate->per;
  }
  connection.statement(sql::put_queue)
      .run(write.ref.ns, write.ref.name, settings.paused, settings.max_concurrency,
           encode_type_limits(settings.type_concurrency), limit, per, settings.rate_spent_until);
}

}  // namespace

void write_all(Connection& connection, const WriteSet& writes, core::TimePoint now) {
  TaskWriter writer{connection, now};
  for (const TaskWrite& write : writes.tasks) writer.write(write);
  for (const LineWrite& write : writes.lines) write_line(connection, write);
  for (const QueueWrite& write : writes.queues) write_queue(connection, write);
  Statement& add_counts = connection.statement(sql::add_lane_counts);
  for (const auto& [lane, delta] : writes.counts) {
    add_counts.run(lane->id, delta.pending, delta.scheduled, delta.blocked, delta.claimed, delta.running,
                   delta.dead_letter);
  }
}

}  // namespace pawl::store::sqlite
