#include "store/sqlite/task_writes.hpp"

#include <fmt/format.h>

#include "core/base/ensure.hpp"
#include "store/codec.hpp"
#include "store/run_codec.hpp"
#include "store/sqlite/bulk_insert.hpp"
#include "store/sqlite/sql.hpp"

namespace pawl::store::sqlite {

namespace {

using core::Place;
using core::TaskRecord;

Copied encoded(const std::optional<core::TaskError>& error) {
  return error ? Copied{encode_error(*error)} : Copied{};
}

// The run of a task, none if it is not part of one. It is bound by its address, which must be the record's.
const core::Uuid* run_of(const TaskRecord& record) {
  return record.facts.run ? &record.facts.run->run_id : nullptr;
}

// First every task leaves the place it was loaded from, then all enter their new places. A task is in one
// place at a time, so the order of rows does not matter, and the rows of one table are inserted together.
class TaskWriter {
 public:
  TaskWriter(Connection& connection, core::TimePoint now) : connection_(connection), now_(now) {}

  void write(const std::vector<TaskWrite>& writes) {
    for (const TaskWrite& write : writes) write_one(write);
    insert_facts();
    insert_ready();
    insert_leases();
    insert_finished();
  }

 private:
  using Records = std::vector<const TaskRecord*>;
  struct Label {
    const TaskRecord* task;
    const core::Labels::value_type* label;
  };

  void write_one(const TaskWrite& write) {
    const TaskRecord& record = *write.record;
    if (write.is_new) {
      new_.push_back(&record);
      if (record.facts.idempotency_key && !write.has_key) idempotent_.push_back(&record);
      if (record.facts.run) of_runs_.push_back(&record);
      if (record.facts.fairness) fair_.push_back(&record);
      for (const auto& label : record.facts.labels) labels_.push_back({&record, &label});
    }
    if (write.from == Place::leased && record.place == Place::leased) {
      update_lease(write);
    } else {
      if (write.from != Place::nowhere) leave(write);
      enter(write);
    }
    for (const core::Attempt& attempt : write.attempts) insert_attempt(record.id, attempt);
    for (const core::RawJson& snapshot : write.error_boundaries) insert_error_boundary(record.id, snapshot);
  }

  void leave(const TaskWrite& write) {
    const auto leave_by = [&](std::string_view query) {
      expect_one(connection_.statement(query).run(write.record->id, write.fence_before), write);
    };
    switch (write.from) {
      case Place::ready: return leave_by(sql::delete_ready);
      case Place::scheduled: return leave_by(sql::delete_scheduled);
      case Place::waiting: return leave_by(sql::delete_waiting);
      case Place::leased: return leave_by(sql::delete_lease);
      case Place::finished: return leave_by(sql::delete_finished);
      case Place::nowhere: break;
    }
    core::ensure_failed(__FILE__, __LINE__, "a task without a place has no row to delete");
  }

  void enter(const TaskWrite& write) {
    switch (write.record->place) {
      case Place::ready: (write.record->lane->fair ? fair_ready_ : ready_).push_back(write.record); return;
      case Place::scheduled: return insert_scheduled(*write.record);
      case Place::waiting: return insert_waiting(write);
      case Place::leased: leased_.push_back(write.record); return;
      case Place::finished: finished_.push_back(write.record); return;
      case Place::nowhere: break;
    }
    core::ensure_failed(__FILE__, __LINE__, "every written task must have a place");
  }

  void insert_facts() {
    insert_rows<TaskRecord>(connection_, sql::insert_task, new_,
                            [](Statement& into, const TaskRecord& record) {
                              const core::TaskFacts& facts = record.facts;
                              into.add_row(record.id, record.lane->id, facts.created_at, facts.timeout,
                                           facts.key, facts.idempotency_key, Copied{encode_retry(facts)},
                                           Copied{encode_labels(facts.labels)}, encode_task_payload(facts));
                            });
    if (!labels_.empty()) insert_labels();
    const std::size_t inserted = insert_rows<TaskRecord>(
        connection_, sql::insert_task_key, idempotent_, [](Statement& into, const TaskRecord& record) {
          into.add_row(record.lane->ns, record.lane->type, *record.facts.idempotency_key, record.id);
        });
    if (inserted != idempotent_.size()) {
      throw StoreError{StoreError::Kind::retry, "another group has inserted the idempotency key"};
    }
    insert_rows<TaskRecord>(connection_, sql::insert_run_task, of_runs_,
                            [](Statement& into, const TaskRecord& record) {
                              const core::TaskRun& run = *record.facts.run;
                              into.add_row(record.id, run.run_id, std::int64_t{run.node.index}, run.node.item,
                                           run.node_id, run.traceparent);
                            });
    insert_rows<TaskRecord>(
        connection_, sql::insert_fair_task, fair_, [](Statement& into, const TaskRecord& record) {
          into.add_row(record.id, record.facts.fairness->key, record.facts.fairness->weight);
        });
  }

  void insert_labels() {
    std::vector<const Label*> rows;
    rows.reserve(labels_.size());
    for (const Label& label : labels_) rows.push_back(&label);
    insert_rows<Label>(connection_, sql::insert_task_labels, rows, [](Statement& into, const Label& label) {
      into.add_row(label.task->lane->ns, label.label->first, label.label->second, label.task->id);
    });
  }

  void insert_ready() {
    insert_rows<TaskRecord>(
        connection_, sql::insert_ready, ready_, [](Statement& into, const TaskRecord& record) {
          into.add_row(record.lane->id, record.available_at, record.id, record.progress.attempt,
                       record.progress.fence, record.progress.budget_from);
        });
    insert_rows<TaskRecord>(
        connection_, sql::insert_fair_ready, fair_ready_, [](Statement& into, const TaskRecord& record) {
          PAWL_ENSURE(record.turn.has_value(), "a ready task in a fair lane needs a turn");
          into.add_row(record.lane->id, record.available_at, record.id, record.progress.attempt,
                       record.progress.fence, record.progress.budget_from, *record.turn);
        });
  }

  void insert_scheduled(const TaskRecord& record) {
    connection_.statement(sql::insert_scheduled)
        .run(record.available_at, record.id, record.lane->id, record.progress.attempt, record.progress.fence,
             record.progress.budget_from);
  }

  void insert_waiting(const TaskWrite& write) {
    const TaskRecord& record = *write.record;
    const bool is_held = write.line_position == kHeldByRun;
    PAWL_ENSURE(is_held || record.facts.key, "only a task with a key waits in line");
    connection_.statement(sql::insert_waiting)
        .run(record.lane->ns, record.lane->queue, is_held ? held_line(record.id) : *record.facts.key,
             write.line_position, record.id, record.lane->id, record.available_at, record.progress.attempt,
             record.progress.fence, record.progress.budget_from);
  }

  void insert_leases() {
    insert_rows<TaskRecord>(
        connection_, sql::insert_lease, leased_, [](Statement& into, const TaskRecord& record) {
          PAWL_ENSURE(record.lease.has_value(), "a leased task has a lease");
          const core::Lease& lease = *record.lease;
          into.add_row(record.id, record.lane->id, record.progress.attempt, record.progress.fence,
                       record.progress.budget_from, record.available_at, lease.acquired_at, lease.expires_at,
                       lease.renewals, lease.cancel_requested, lease.heartbeat_at, lease.started_at,
                       lease.timeout, lease.timeout_at, record.facts.key, lease.worker_id, run_of(record));
        });
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

  void insert_finished() {
    insert_rows<TaskRecord>(
        connection_, sql::insert_finished, finished_, [](Statement& into, const TaskRecord& record) {
          PAWL_ENSURE(record.end.has_value(), "a finished task has an end");
          const core::TaskEnd& end = *record.end;
          std::optional<std::string_view> worker;
          if (!end.worker_id.empty()) worker = end.worker_id;
          into.add_row(record.id, record.id, record.lane->id, core::to_string(record.status),
                       record.progress.attempt, record.progress.fence, record.progress.budget_from,
                       record.available_at, end.fence, end.claimed_at, end.started_at, end.finished_at,
                       worker, encoded(end.error), end.output);
        });
  }

  void insert_attempt(const core::TaskId& id, const core::Attempt& attempt) {
    connection_.statement(sql::insert_attempt)
        .run(id, attempt.fence, attempt.attempt, attempt.claimed_at, attempt.started_at, attempt.finished_at,
             core::to_string(attempt.outcome), core::to_string(attempt.status_after), attempt.worker_id,
             encoded(attempt.error));
  }

  void insert_error_boundary(const core::TaskId& id, const core::RawJson& snapshot) {
    connection_.statement(sql::insert_checkpoint)
        .run(id, std::string_view{"error_boundary"}, now_, std::nullopt, snapshot);
  }

  static void expect_one(int changed, const TaskWrite& write) {
    if (changed == 1) return;
    throw StoreError{StoreError::Kind::retry,
                     fmt::format("task {} has moved since it was loaded", core::to_string(write.record->id))};
  }

  Connection& connection_;
  core::TimePoint now_;
  Records new_;
  Records idempotent_;
  Records of_runs_;
  Records fair_;
  std::vector<Label> labels_;
  Records ready_;
  Records fair_ready_;
  Records leased_;
  Records finished_;
};

}  // namespace

void write_tasks(Connection& connection, const std::vector<TaskWrite>& writes, core::TimePoint now) {
  TaskWriter{connection, now}.write(writes);
}

}  // namespace pawl::store::sqlite
