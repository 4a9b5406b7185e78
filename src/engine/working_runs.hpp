#pragma once
// The runs that one group of commands touches, as the working set has its tasks: a later command sees what an
// earlier one did, and one commit writes what came of it. One thread, one transaction.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run_machine.hpp"
#include "engine/plans.hpp"
#include "engine/run_cache.hpp"
#include "engine/step_waits.hpp"
#include "store/store.hpp"

namespace pawl::engine {

class WorkingRuns {
 public:
  WorkingRuns(store::Transaction& tx, Plans& plans, RunCache& cache)
      : tx_(tx), plans_(plans), cache_(cache) {}

  // Loads those that exist and are not here yet: from the cache, where the commit finds out whether another
  // node has changed them since, else from the store, which locks them.
  void lock(std::vector<core::RunId> ids);
  // The same for runs whose bodies write steps: reads all nodes of short ones, so that their next steps need
  // no reads.
  void lock_of_bodies(const std::vector<core::RunId>& ids);
  // Reads nodes that will be looked at, all in one question: each given one, and what its end may let start.
  void prefetch(const std::vector<store::NodeRef>& nodes);
  void load_keys(std::vector<store::RunKeyRef> refs);

  // Null if there is none.
  [[nodiscard]] core::WorkingRun* find(const core::RunId& id);
  // Of those that are here only.
  [[nodiscard]] core::WorkingRun* here(const core::RunId& id);
  // It was started by this group.
  [[nodiscard]] bool is_new(const core::RunId& id) const;
  // The same of one namespace.
  [[nodiscard]] core::WorkingRun* find(const std::string& ns, const core::RunId& id);
  [[nodiscard]] core::WorkingRun& add_new(const core::RunId& id, SharedPlan plan);
  void note(const core::RunId& id, std::vector<core::RunEvent> events);

  [[nodiscard]] std::optional<core::RunId> run_of(const store::RunKeyRef& ref) const;
  void give_key(const store::RunKeyRef& ref, const core::RunId& run);

  [[nodiscard]] SharedPlan plan_of(const core::RunId& id) const;
  [[nodiscard]] SharedPlan latest_plan(const std::string& ns, const std::string& workflow);
  [[nodiscard]] SharedPlan find_plan(const std::string& ns, const std::string& workflow, int version);
  // As Transaction::peek_record, once for all that this group starts.
  [[nodiscard]] const std::optional<core::Record>& peek(const core::RecordRef& ref);

  // When something of what changed here is due.
  [[nodiscard]] std::optional<core::TimePoint> earliest_due() const;
  [[nodiscard]] std::vector<const core::Run*> changed() const;
  // Of the changed runs that `is_wanted` accepts.
  [[nodiscard]] std::vector<RunStepChange> step_changes(
      const std::function<bool(const core::RunId&)>& is_wanted) const;
  // Throws `retry` where what was kept from before, and is not to be written, is not what is stored.
  void confirm_guesses();
  void add_to(store::WriteSet& writes);
  // After the commit of these writes, with which this one is at its end.
  void keep_in_cache(const store::WriteSet& writes);

  // Of those of `ids` that are kept from before and had no signals: what `visit` is called with. They are
  // taken out of `ids`. That they are so still is compared by the commit.
  void visit_kept(std::vector<core::RunId>& ids,
                  const std::function<void(const core::RunId&, core::WorkingRun&)>& visit);

 private:
  // The nodes of one run as they are stored. Of a graph run it reads all nodes once several were asked for
  // one by one; the nodes of a code run grow with its history, and are read as they are needed.
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
    int asked_ = 0;
  };

  struct Entry {
    SharedPlan plan;  // null: an open run
    std::unique_ptr<Source> source;
    std::unique_ptr<core::WorkingRun> working;
    std::int64_t sequence_before = 0;
    std::string hash_before = {};
    core::RunRowMark row = {};
    std::vector<core::RunEvent> events = {};  // of this group
    bool is_guess = false;                    // it was kept from before, not read
    bool had_signals = true;                  // there may be some that nobody has consumed
  };
  struct Key {
    std::optional<core::RunId> before = {};
    std::optional<core::RunId> now = {};
  };

  [[nodiscard]] Plans::Read reader();
  [[nodiscard]] bool has_cached(const core::RunId& id);  // and has taken it out of the cache
  void keep_in_cache(const core::RunId& id, Entry& entry);
  void add_stored(store::StoredRun stored);
  void want_with_followers(const store::NodeRef& ref, std::vector<store::NodeRef>& wanted) const;

  store::Transaction& tx_;
  Plans& plans_;
  RunCache& cache_;
  std::map<core::RunId, Entry> runs_;
  std::map<store::RunKeyRef, Key> keys_;
  std::map<core::RecordRef, std::optional<core::Record>> peeked_;
  std::vector<std::pair<core::RunId, RunCache::Kept>> seen_;  // answers rest on them
};

}  // namespace pawl::engine
