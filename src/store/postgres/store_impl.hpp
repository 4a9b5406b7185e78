#pragma once
// The store. Connections, transactions and lanes are in store_impl.cpp; each other file has the calls of its
// noun: task_reads.cpp, lists.cpp (pages of task ids), queues.cpp, run_reads.cpp, records.cpp (also
// checkpoints and the audit), due.cpp (reads for the ticker), erase.cpp (reads for retention), maintain.cpp,
// vitals.cpp, verify.cpp.

#include <functional>

#include "store/postgres/pool.hpp"
#include "store/postgres/shared.hpp"
#include "store/store.hpp"

namespace pawl::store::postgres {

class PostgresStore final : public Store {
 public:
  explicit PostgresStore(PostgresOptions options);

  [[nodiscard]] std::vector<const core::Lane*> intern_lanes(std::span<const LaneKey> keys) override;
  [[nodiscard]] const LaneCache& lanes() const override { return shared_.lanes; }
  [[nodiscard]] bool may_be_claimable(const core::Lane& lane) const override {
    return !shared_.marks_of(lane).is_empty(lane.id);
  }
  [[nodiscard]] std::unique_ptr<Transaction> begin_after(const Hints& hints, const SqlWork* work) override;

  [[nodiscard]] core::TimePoint now() override;
  [[nodiscard]] core::ClockState clock_state() override { return *shared_.clock.state(); }
  [[nodiscard]] std::optional<StoredTask> find_task(const core::TaskId& id) override;
  [[nodiscard]] std::vector<StoredTask> list_tasks(const TaskPage& page) override;
  [[nodiscard]] std::vector<core::TaskId> list_task_ids(const TaskPage& page) override;
  [[nodiscard]] std::vector<core::Queue> list_queues(const std::string& ns) override;
  [[nodiscard]] std::vector<core::Checkpoint> list_checkpoints(const CheckpointFilter& filter) override;
  [[nodiscard]] core::CheckpointSummary summarize_checkpoints(const core::Uuid& owner) override;
  [[nodiscard]] std::vector<core::Record> select_records(const RecordSelection& selection) override;
  [[nodiscard]] core::StoreVitals vitals() override;
  [[nodiscard]] RowCounts count_rows(const core::Uuid& before) override;
  [[nodiscard]] std::vector<core::Verdict> check_tables() override;
  [[nodiscard]] FinishedTasks list_finished(const FinishedPage& page) override;
  [[nodiscard]] std::vector<core::AuditEntry> list_audit(const AuditPage& page) override;
  [[nodiscard]] Due find_due(const DueLimits& limits) override;

  [[nodiscard]] std::optional<StoredRun> find_run(const core::RunId& id, RunParts parts) override;
  [[nodiscard]] std::vector<core::Run> list_runs(const RunPage& page) override;
  [[nodiscard]] std::vector<StoredEvent> list_run_events(const core::RunId& run, std::int64_t after,
                                                         std::size_t limit) override;

  // Commits of other nodes are not tracked, so there may always have been one.
  [[nodiscard]] bool may_have_changed() override { return true; }
  void maintain() override;
  [[nodiscard]] StoreTraits traits() const override {
    return {.writers = shared_.options.writers,
            .has_sql = true,
            .has_inbox = true,
            .life = shared_.server.lives.current()};
  }
  void await_durable(CommitNumber number) override;

  // As if a pooler had been detected.
  void expect_pooler() { shared_.server.is_pooled = true; }
  // As if a connection had found another server.
  void end_life() { shared_.server.lives.end(life()); }

 private:
  using Ask = Connection::Ask;

  [[nodiscard]] std::unique_ptr<Transaction> begin_alone(const Hints& hints);
  [[nodiscard]] std::unique_ptr<Transaction> begin_behind(const SqlWork& work);
  [[nodiscard]] std::vector<core::LeaseRef> due_leases(std::size_t limit);
  [[nodiscard]] DueTasks due_tasks(std::size_t limit);
  [[nodiscard]] DueRuns due_runs(std::size_t limit);
  [[nodiscard]] std::vector<core::RunId> stuck_runs(core::Duration silence, std::size_t limit);
  [[nodiscard]] static std::vector<core::Record> read_records(Connection& connection,
                                                              const core::RecordRef& ref);
  [[nodiscard]] static std::vector<core::Record> read_records(Connection& connection, const RecordPage& page);
  [[nodiscard]] static std::vector<core::Record> read_records(Connection& connection,
                                                              const AllRecords& selected);
  [[nodiscard]] std::vector<core::Record> read_records(Connection& connection, const DueRecords& selected);

  // Runs what `ask` adds to the pipeline; retries on a new connection if the old one turns out to be dead.
  [[nodiscard]] static std::vector<Rows> run(Connection& connection, const Ask& ask);
  // The same on one snapshot and with pinned plans; returns only the answers to `ask`.
  [[nodiscard]] static std::vector<Rows> read(Connection& connection, const Ask& ask);

  // The same in two parts on one snapshot: `ask_again` adds the queries that the answers to `ask` require.
  using AskAgain = std::function<void(Connection&, std::span<const Rows>)>;
  [[nodiscard]] static std::vector<Rows> read_twice(Connection& connection, const Ask& ask,
                                                    const AskAgain& ask_again);

  // The same for slow queries, without a retry.
  [[nodiscard]] std::vector<core::Run> list_runs(Connection& connection, const RunPage& page);
  [[nodiscard]] static std::vector<Rows> read_slowly(Connection& connection, const Ask& ask);

  // The queries that begin every write, and the transaction made from their answers; they were sent at
  // `sent`.
  void ask_to_start(Connection& connection, const Hints& hints);
  [[nodiscard]] std::unique_ptr<Transaction> started(Pool::Loan connection, std::span<const Rows> answers,
                                                     const Hints& hints, core::MonotonicTime sent);
  // The same with an estimated time: nothing is sent until the transaction has a query or a write.
  [[nodiscard]] std::unique_ptr<Transaction> begin_at(ServerClock::Time time, Pool::Loan connection);

  [[nodiscard]] ServerClock::Time read_time(Connection& connection);
  // Records a step of the server's clock, unless another reading does not confirm it or another node has
  // already done so.
  void record_step(Connection& connection);

  static void catch_up_with_logs(Connection& connection, std::vector<core::Run>& runs);
  void count_claimed(Connection& connection, std::vector<core::Run>& runs);
  // Reads runs and the queries that `ask_more` adds (answers in `more`), all on one snapshot: without nodes,
  // with all nodes, or with a page of them.
  [[nodiscard]] static std::vector<std::optional<StoredRun>> read_caught_up(Connection& connection,
                                                                            std::span<const core::RunId> ids,
                                                                            const Ask& ask_more,
                                                                            std::vector<Rows>& more);
  [[nodiscard]] static std::vector<std::optional<StoredRun>> read_with_nodes(Connection& connection,
                                                                             std::span<const core::RunId> ids,
                                                                             const Ask& ask_more,
                                                                             std::vector<Rows>& more);
  [[nodiscard]] static std::vector<std::optional<StoredRun>> read_with_pages(Connection& connection,
                                                                             std::span<const PeekRun> peeks,
                                                                             const Ask& ask_more,
                                                                             std::vector<Rows>& more);
  void read_lanes(Connection& connection);  // those not cached yet
  // Throws `retry` if the life of the lanes has ended, or is not that of the connection: their ids may mean
  // other lanes in its answers.
  void expect_life_of(const std::vector<const core::Lane*>& lanes, const Connection& connection) const;
  void make_lanes(Connection& connection, const std::vector<LaneKey>& keys);
  [[nodiscard]] core::TimePoint now(Connection& connection);
  [[nodiscard]] std::vector<StoredTask> read_tasks(Connection& connection,
                                                   const std::vector<core::TaskId>& ids);
  [[nodiscard]] std::vector<core::TaskId> list_ids(Connection& connection, const TaskPage& page);
  void fold_counts(Connection& connection);
  void vacuum(Connection& connection);
  void look_from_the_start(Connection& connection);
  void lower_to_heads(Connection& connection, std::string_view query, ReadyMarks& marks,
                      core::TimePoint (*time_of)(const Rows& rows, int row));

  Shared shared_;
  Pool writers_;
  Pool readers_;
  Pool keepers_;  // maintenance: a vacuum must not make readers wait
  Pool guests_;   // transactions with a user's statements
  std::mutex maintenance_;
  core::MonotonicTime next_vacuum_at_ = {};
  core::MonotonicTime next_full_look_at_ = {};
};

}  // namespace pawl::store::postgres
