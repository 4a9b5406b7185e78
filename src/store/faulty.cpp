#include "store/faulty.hpp"

#include <utility>

namespace pawl::store {

namespace {

class FaultyTransaction final : public Transaction {
 public:
  FaultyTransaction(std::unique_ptr<Transaction> inner, FaultPlan& plan)
      : inner_(std::move(inner)), plan_(plan) {}

  [[nodiscard]] const Start& start() const override { return inner_->start(); }

  [[nodiscard]] Loaded load(const LoadRequest& request) override {
    plan_.before(Verb::load);
    return inner_->load(request);
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

  [[nodiscard]] std::vector<std::optional<StoredRun>> lock_runs(std::span<const core::RunId> ids) override {
    return runs().lock_runs(ids);
  }
  [[nodiscard]] std::vector<std::optional<StoredRun>> peek_runs(std::span<const PeekRun> peeks) override {
    return runs().peek_runs(peeks);
  }
  [[nodiscard]] std::vector<std::optional<core::Node>> load_nodes(std::span<const NodeRef> refs) override {
    return runs().load_nodes(refs);
  }
  [[nodiscard]] std::vector<core::Node> list_nodes(const core::RunId& run, NodeFilter filter) override {
    return runs().list_nodes(run, filter);
  }
  [[nodiscard]] std::vector<core::Signal> list_signals(const core::RunId& run,
                                                       const SignalFilter& filter) override {
    return runs().list_signals(run, filter);
  }
  [[nodiscard]] std::vector<RunTask> list_run_tasks(const core::RunId& run,
                                                    const core::TaskId* only) override {
    return runs().list_run_tasks(run, only);
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

  CommitNumber write(const WriteSet& writes, Durability /*durability*/) override {
    plan_.before(Verb::commit);
    inner_->commit(writes);
    plan_.committed(writes, *inner_);
    return kDurable;
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

  [[nodiscard]] const LaneCache& lanes() const override { return inner_->lanes(); }
  [[nodiscard]] bool may_be_claimable(const core::Lane& lane) const override {
    return inner_->may_be_claimable(lane);
  }

  std::unique_ptr<Transaction> begin_after(const Hints& hints, const SqlWork* work) override {
    plan_.before(Verb::begin);
    auto transaction = inner_->begin_after(hints, work);
    if (work == nullptr) plan_.begun(*transaction);
    return std::make_unique<FaultyTransaction>(std::move(transaction), plan_);
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
  std::vector<core::Record> select_records(const RecordSelection& selection) override {
    return reader().select_records(selection);
  }
  core::StoreVitals vitals() override { return reader().vitals(); }
  void check_ready() override { reader().check_ready(); }
  RowCounts count_rows(const core::Uuid& before) override { return reader().count_rows(before); }
  std::vector<core::Verdict> check_tables() override { return reader().check_tables(); }
  FinishedTasks list_finished(const FinishedPage& page) override { return reader().list_finished(page); }
  std::vector<core::AuditEntry> list_audit(const AuditPage& page) override {
    return reader().list_audit(page);
  }
  Due find_due(const DueLimits& limits) override { return reader().find_due(limits); }
  std::optional<StoredRun> find_run(const core::RunId& id, RunParts parts) override {
    return reader().find_run(id, parts);
  }
  std::vector<core::Run> list_runs(const RunPage& page) override { return reader().list_runs(page); }
  std::vector<StoredEvent> list_run_events(const core::RunId& run, std::int64_t after,
                                           std::size_t limit) override {
    return reader().list_run_events(run, after, limit);
  }
  bool may_have_changed() override { return reader().may_have_changed(); }
  void maintain() override { reader().maintain(); }
  [[nodiscard]] StoreTraits traits() const override {
    StoreTraits traits = inner_->traits();
    traits.flushes_apart = false;
    return traits;
  }

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
