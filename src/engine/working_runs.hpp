#pragma once
// The runs that one group of commands touches, as WorkingSet has its tasks: a later command sees the effect
// of an earlier one, and one commit writes the result. One thread, one transaction.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run_machine.hpp"
#include "engine/plans.hpp"
#include "engine/run_cache.hpp"
#include "engine/step_waits.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class WorkingRuns {
 public:
  WorkingRuns(store::Transaction& tx, Plans& plans, RunCache& cache)
      : tx_(tx), plans_(plans), cache_(cache) {}

  // Loads the runs that exist and are not loaded yet: from the cache, where the commit detects changes by
  // other nodes, else from the store, which locks them.
  void lock(std::vector<core::RunId> ids);
  // The same for runs whose bodies write steps. Reads all nodes of short runs, so that their next steps need
  // no reads.
  void lock_of_bodies(const std::vector<core::RunId>& ids);
  // Reads nodes in one query: each given one, and those that its end may start.
  void prefetch(const std::vector<store::NodeRef>& nodes);
  void load_keys(std::vector<store::RunKeyRef> refs);

  // Null if there is none.
  [[nodiscard]] core::WorkingRun* find(const core::RunId& id);
  // Finds only runs that are loaded.
  [[nodiscard]] core::WorkingRun* here(const core::RunId& id);
  // Whether this group started the run.
  [[nodiscard]] bool is_new(const core::RunId& id) const;
  // The same, within one namespace.
  [[nodiscard]] core::WorkingRun* find(const std::string& ns, const core::RunId& id);
  [[nodiscard]] core::WorkingRun& add_new(const core::RunId& id, SharedPlan plan);
  void note(const core::RunId& id, std::vector<core::RunEvent> events);

  [[nodiscard]] std::optional<core::RunId> run_of(const store::RunKeyRef& ref) const;
  void give_key(const store::RunKeyRef& ref, const core::RunId& run);

  [[nodiscard]] SharedPlan plan_of(const core::RunId& id) const;
  [[nodiscard]] SharedPlan latest_plan(const std::string& ns, const std::string& workflow);
  [[nodiscard]] SharedPlan find_plan(const std::string& ns, const std::string& workflow, int version);
  // Reads a record without a lock, once per group.
  [[nodiscard]] const std::optional<core::Record>& peek(const core::RecordRef& ref);
  // Whether workers have offered the workflow as code.
  [[nodiscard]] bool is_code(const std::string& ns, const std::string& workflow);
  // Whether a SQL function has returned this id for a run that has not started yet.
  [[nodiscard]] bool is_promised(const core::RunId& id);
  // The run's input, from this group or the store; none if it cannot be read.
  [[nodiscard]] std::optional<core::RawJson> input_of(const core::RunId& id);

  // The earliest due time among the changes of this group.
  [[nodiscard]] std::optional<core::TimePoint> earliest_due() const;
  [[nodiscard]] std::vector<const core::Run*> changed() const;
  // The changes of those changed runs that `is_wanted` accepts.
  [[nodiscard]] std::vector<RunStepChange> step_changes(
      const std::function<bool(const core::RunId&)>& is_wanted) const;
  // Throws `retry` if a cached run that this group does not write differs from the stored one.
  void confirm_guesses();
  void add_to(store::WriteSet& writes);
  // Call it after the commit of these writes. It ends the use of this object.
  void keep_in_cache(const store::WriteSet& writes);

  // Calls `visit` for those of `ids` that are cached and have had no signals, and removes them from `ids`.
  // The commit compares that they are still current.
  void visit_cached(std::vector<core::RunId>& ids,
                    const std::function<void(const core::RunId&, core::WorkingRun&)>& visit);

 private:
  // Reads the stored nodes of one run. For a graph run it reads all nodes after several single reads. The
  // nodes of a code run grow with its history, and are read as needed.
  class Source final : public core::RunSource {
   public:
    Source(store::Transaction& tx, core::RunId run, core::RunKind kind) : tx_(tx), run_(run), kind_(kind) {}

    void keep(core::NodeKey key, std::optional<core::Node> node) { known_.emplace(key, std::move(node)); }
    [[nodiscard]] bool knows(core::NodeKey key) const { return has_all_ || known_.contains(key); }

    [[nodiscard]] std::optional<core::Node> node(core::NodeKey key) override;
    [[nodiscard]] std::vector<core::Node> nodes() override;
    [[nodiscard]] std::vector<core::Node> items(core::NodeIndex index) override;
    [[nodiscard]] std::vector<core::Node> earliest_timers(std::size_t count) override;
    [[nodiscard]] std::optional<core::Node> node_of(const core::TaskId& task) override;
    [[nodiscard]] std::vector<core::Signal> unread_signals(const std::string& name,
                                                           std::size_t count) override;
    [[nodiscard]] bool has_signal(const std::string& idempotency_key) override;

   private:
    void read_all();

    store::Transaction& tx_;
    core::RunId run_;
    core::RunKind kind_;
    std::map<core::NodeKey, std::optional<core::Node>> known_;
    bool has_all_ = false;
    int reads_ = 0;
  };

  struct Entry {
    SharedPlan plan;  // null unless it is a graph run
    std::unique_ptr<Source> source;
    std::unique_ptr<core::WorkingRun> working;
    std::int64_t sequence_before = 0;
    std::string hash_before = {};
    core::RunRowMark row = {};
    std::vector<core::RunEvent> events = {};  // of this group
    bool is_guess = false;                    // from the cache, not read
    bool had_signals = true;                  // unconsumed signals may exist
  };
  struct Key {
    std::optional<core::RunId> before = {};
    std::optional<core::RunId> now = {};
  };

  [[nodiscard]] Plans::Read reader();
  [[nodiscard]] bool has_cached(const core::RunId& id);  // takes the run out of the cache
  void keep_in_cache(const core::RunId& id, Entry& entry);
  void add_stored(store::StoredRun stored);
  void want_with_followers(const store::NodeRef& ref, std::vector<store::NodeRef>& wanted) const;

  store::Transaction& tx_;
  Plans& plans_;
  RunCache& cache_;
  std::map<core::RunId, Entry> runs_;
  std::map<store::RunKeyRef, Key> keys_;
  std::map<core::RecordRef, std::optional<core::Record>> peeked_;
  std::vector<std::pair<core::RunId, RunCache::Kept>> seen_;  // cached runs that answers rely on
};

}  // namespace pawl::engine
