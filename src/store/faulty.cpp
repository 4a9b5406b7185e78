#include "store/faulty.hpp"

#include <utility>

namespace pawl::store {

namespace {

class FaultyTransaction final : public Transaction {
 public:
  FaultyTransaction(std::unique_ptr<Transaction> inner, FaultPlan& plan)
      : inner_(std::move(inner)), plan_(plan) {}

  [[nodiscard]] core::TimePoint now() const override { return inner_->now(); }
  [[nodiscard]] core::Duration now_behind_max() const override { return inner_->now_behind_max(); }
  [[nodiscard]] core::TimePoint claims_at() const override { return inner_->claims_at(); }

  [[nodiscard]] Loaded load(const LoadRequest& request) override {
    plan_.before(Verb::load);
    return inner_->load(request);
  }

  [[nodiscard]] std::vector<std::optional<core::Attempt>> find_attempts(
      std::span<const core::LeaseRef> refs) override {
    plan_.before(Verb::find_attempts);
    return inner_->find_attempts(refs);
  }

  [[nodiscard]] std::vector<Line> lock_lines(std::span<const LineRef> refs) override {
    plan_.before(Verb::lock_lines);
    return inner_->lock_lines(refs);
  }

  [[nodiscard]] std::vector<core::TaskRecord> first_waiting(const LineRef& ref, std::size_t count) override {
    plan_.before(Verb::first_waiting);
    return inner_->first_waiting(ref, count);
  }

  [[nodiscard]] std::vector<core::LaneTurns> lock_turns(std::span<const TurnsRef> refs) override {
    plan_.before(Verb::lock_turns);
    return inner_->lock_turns(refs);
  }

  [[nodiscard]] std::vector<LockedQueue> lock_queues(std::span<const QueueRef> refs) override {
    plan_.before(Verb::lock_queues);
    return inner_->lock_queues(refs);
  }

  [[nodiscard]] std::vector<std::int64_t> count_held(std::span<const HolderRef> holders) override {
    plan_.before(Verb::count_held);
    return inner_->count_held(holders);
  }

  [[nodiscard]] std::vector<std::optional<core::Record>> lock_records(
      std::span<const core::RecordRef> refs) override {
    plan_.before(Verb::lock_records);
    return inner_->lock_records(refs);
  }

  [[nodiscard]] std::optional<core::Record> peek_record(const core::RecordRef& ref) override {
    plan_.before(Verb::lock_records);
    return inner_->peek_record(ref);
  }

  [[nodiscard]] std::uint64_t life() const override { return inner_->life(); }
  [[nodiscard]] const core::ClockState& clock() const override { return inner_->clock(); }
  [[nodiscard]] std::vector<std::optional<StoredRun>> lock_runs(std::span<const core::RunId> ids) override {
    return runs().lock_runs(ids);
  }
  [[nodiscard]] std::vector<std::optional<StoredRun>> peek_runs(std::span<const PeekRun> peeks) override {
    return runs().peek_runs(peeks);
  }
  [[nodiscard]] std::vector<std::optional<core::RunId>> find_run_keys(
      std::span<const RunKeyRef> refs) override {
    return runs().find_run_keys(refs);
  }
  [[nodiscard]] std::vector<std::optional<core::Node>> load_nodes(std::span<const NodeRef> refs) override {
    return runs().load_nodes(refs);
  }
  [[nodiscard]] std::vector<core::Node> list_nodes(const core::RunId& run,
                                                   std::optional<core::NodeIndex> items_of) override {
    return runs().list_nodes(run, items_of);
  }
  [[nodiscard]] std::vector<core::Node> list_timers(const core::RunId& run, std::size_t count) override {
    return runs().list_timers(run, count);
  }
  [[nodiscard]] std::optional<core::NodeKey> find_node(const core::RunId& run,
                                                       const core::TaskId& task) override {
    return runs().find_node(run, task);
  }
  [[nodiscard]] std::vector<core::Signal> list_unread_signals(const core::RunId& run, const std::string& name,
                                                              std::size_t count) override {
    return runs().list_unread_signals(run, name, count);
  }
  [[nodiscard]] bool has_signal(const core::RunId& run, const std::string& idempotency_key) override {
    return runs().has_signal(run, idempotency_key);
  }
  [[nodiscard]] std::vector<core::TaskId> list_run_tasks(const core::RunId& run) override {
    return runs().list_run_tasks(run);
  }

  [[nodiscard]] std::vector<std::int64_t> last_checkpoints(std::span<const core::Uuid> owners) override {
    plan_.before(Verb::last_checkpoints);
    return inner_->last_checkpoints(owners);
  }

  [[nodiscard]] std::vector<core::FinishedTask> lock_finished(std::span<const core::TaskId> ids) override {
    plan_.before(Verb::load);
    return inner_->lock_finished(ids);
  }

  [[nodiscard]] std::vector<core::TaskRecord> take_ready(std::span<const LaneShare> lanes,
                                                         std::size_t max) override {
    plan_.before(Verb::take_ready);
    return inner_->take_ready(lanes, max);
  }

  void commit(const WriteSet& writes) override {
    plan_.before(Verb::commit);
    inner_->commit(writes);
    plan_.committed(writes, *inner_);
  }

 private:
  RunVerbs& runs() {
    plan_.before(Verb::runs);
    return *inner_;
  }

  std::unique_ptr<Transaction> inner_;
  FaultPlan& plan_;
};

class FaultyStore final : public Store {
 public:
  FaultyStore(std::shared_ptr<Store> inner, FaultPlan& plan) : inner_(std::move(inner)), plan_(plan) {}

  std::vector<const core::Lane*> intern_lanes(std::span<const LaneKey> keys) override {
    plan_.before(Verb::intern_lanes);
    return inner_->intern_lanes(keys);
  }

  std::vector<const core::Lane*> lanes_of(const QueueRef& queue) override { return inner_->lanes_of(queue); }
  bool is_known_empty(const core::Lane& lane) override { return inner_->is_known_empty(lane); }
  const core::Lane* find_lane(const LaneKey& key) override { return inner_->find_lane(key); }
  std::vector<std::string> namespaces() override { return inner_->namespaces(); }
  void refresh_lanes() override { reader().refresh_lanes(); }

  std::unique_ptr<Transaction> begin(const Foreseen& foreseen) override {
    plan_.before(Verb::begin);
    auto transaction = inner_->begin(foreseen);
    plan_.begun(*transaction);
    return std::make_unique<FaultyTransaction>(std::move(transaction), plan_);
  }

  std::unique_ptr<Transaction> begin_with(const SqlWork& work) override {
    plan_.before(Verb::begin);
    return std::make_unique<FaultyTransaction>(inner_->begin_with(work), plan_);
  }

  core::TimePoint now() override { return reader().now(); }
  core::ClockState clock_state() override { return reader().clock_state(); }
  std::optional<StoredTask> find_task(const core::TaskId& id) override { return reader().find_task(id); }
  std::vector<StoredTask> list_tasks(const TaskPage& page) override { return reader().list_tasks(page); }
  std::vector<core::TaskId> list_task_ids(const TaskPage& page) override {
    return reader().list_task_ids(page);
  }
  std::vector<core::Queue> list_queues(const std::string& ns) override { return reader().list_queues(ns); }
  std::vector<core::Checkpoint> list_checkpoints(const CheckpointFilter& filter) override {
    return reader().list_checkpoints(filter);
  }
  core::CheckpointSummary summarize_checkpoints(const core::Uuid& owner) override {
    return reader().summarize_checkpoints(owner);
  }
  std::optional<core::Record> find_record(const core::RecordRef& ref) override {
    return reader().find_record(ref);
  }
  std::vector<core::Record> list_records(const RecordPage& page) override {
    return reader().list_records(page);
  }
  core::StoreVitals vitals() override { return reader().vitals(); }
  void check_ready() override { reader().check_ready(); }
  RowCounts count_rows(const core::Uuid& before) override { return reader().count_rows(before); }
  std::vector<core::Verdict> check_tables() override { return reader().check_tables(); }
  std::vector<core::Record> list_all_records(const core::RecordRef& after, std::size_t limit) override {
    return reader().list_all_records(after, limit);
  }
  FinishedTasks list_finished(const FinishedPage& page) override { return reader().list_finished(page); }
  std::vector<core::AuditEntry> list_oldest_audit(std::int64_t after, std::size_t limit) override {
    return reader().list_oldest_audit(after, limit);
  }
  std::vector<core::AuditEntry> list_audit(std::optional<std::int64_t> before, std::size_t limit) override {
    return reader().list_audit(before, limit);
  }
  std::vector<core::Record> due_records(core::RecordKind kind, std::size_t limit) override {
    return reader().due_records(kind, limit);
  }
  std::vector<core::LeaseRef> due_leases(std::size_t limit) override { return reader().due_leases(limit); }
  DueTasks due_tasks(std::size_t limit) override { return reader().due_tasks(limit); }
  std::optional<StoredRun> find_run(const core::RunId& id, RunParts parts) override {
    return reader().find_run(id, parts);
  }
  std::vector<core::Run> list_runs(const RunPage& page) override { return reader().list_runs(page); }
  std::vector<StoredEvent> list_run_events(const core::RunId& run, std::int64_t after,
                                           std::size_t limit) override {
    return reader().list_run_events(run, after, limit);
  }
  DueRuns due_runs(std::size_t limit) override { return reader().due_runs(limit); }
  std::vector<core::RunId> stuck_runs(core::Duration silence, std::size_t limit) override {
    return reader().stuck_runs(silence, limit);
  }
  [[nodiscard]] bool has_sql() const override { return inner_->has_sql(); }
  [[nodiscard]] bool has_inbox() const override { return inner_->has_inbox(); }
  bool may_have_changed() override { return reader().may_have_changed(); }
  void maintain() override { reader().maintain(); }
  [[nodiscard]] std::uint64_t life() const override { return inner_->life(); }
  [[nodiscard]] int writers() const override { return inner_->writers(); }

 private:
  Store& reader() {
    plan_.before(Verb::read);
    return *inner_;
  }

  std::shared_ptr<Store> inner_;
  FaultPlan& plan_;
};

}  // namespace

std::unique_ptr<Store> make_faulty_store(std::shared_ptr<Store> inner, FaultPlan& plan) {
  return std::make_unique<FaultyStore>(std::move(inner), plan);
}

}  // namespace pawl::store
