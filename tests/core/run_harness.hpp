#pragma once
// One run with a store of maps, and workers, timers and children that the test controls. After each decision
// the log is serialized, parsed, replayed, and compared with the stored state.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/run/run_apply.hpp"
#include "core/run/run_machine.hpp"
#include "tests/support/env.hpp"

namespace pawl::testing {

class RunHarness final : public core::RunSource {
 public:
  struct HeldTask {
    core::EnqueueNode made = {};
    int attempt = 0;
    bool is_leased = false;
    bool is_held = false;  // by a pause, or by its predecessors
    bool is_stop_requested = false;
  };

  // The tasks of a definition as JSON, and its further fields (`,"output":…`).
  explicit RunHarness(const std::string& tasks, const std::string& more = "");
  explicit RunHarness(core::Definition definition);
  struct OpenRun {
    bool auto_complete = false;
  };
  explicit RunHarness(OpenRun open) : is_open_(true), auto_complete_(open.auto_complete) {}

  void start(const std::string& input = "{}");
  core::Status act(core::RunAction action, std::optional<std::int64_t> expected_sequence = {});
  core::Status skip(const std::optional<std::string>& step);
  core::Status signal(const std::string& name, const std::string& payload = "null",
                      const std::optional<std::string>& key = {});
  core::Result<RunHarness*> rewind(const std::string& to);
  core::Result<std::string> add(const std::vector<std::string>& after = {});

  // The claimable tasks, in node order.
  [[nodiscard]] std::vector<std::string> claimable() const;
  [[nodiscard]] bool has_task(const std::string& name) const { return tasks_.contains(name); }
  [[nodiscard]] const HeldTask& task(const std::string& name) const { return tasks_.at(name); }
  [[nodiscard]] const std::map<std::string, HeldTask>& tasks() const { return tasks_; }
  [[nodiscard]] const std::map<std::string, core::StartChild>& children() const { return children_; }
  [[nodiscard]] const std::vector<std::string>& stopped_children() const { return stopped_children_; }
  void claim(const std::string& name);
  void complete(const std::string& name, const std::string& output = "null");
  void fail(const std::string& name, const std::string& code = "boom");
  void lose(const std::string& name);          // its lease expires, and it is retried
  void stop(const std::string& name);          // reports the requested stop
  void report_late(const core::TaskOutcome&);  // delivers the outcome as it is
  void finish_child(const std::string& name, core::RunState state, const std::string& output = "null");
  void report_child(const core::ChildOutcome&);  // delivers the outcome as it is
  void advance(core::Duration by);               // fires due timers too
  void fire(const std::string& name);            // its timer, due or not

  [[nodiscard]] const core::Run& run() const { return run_; }
  [[nodiscard]] core::RunState state() const { return run_.state; }
  [[nodiscard]] core::NodeState state_of(const std::string& name);
  [[nodiscard]] core::Node node_of(const std::string& name);
  [[nodiscard]] const std::vector<core::RunEvent>& events() const { return events_; }
  [[nodiscard]] std::vector<std::string> event_names() const;
  // The node ids of all events of a type, in order.
  [[nodiscard]] std::vector<std::string> nodes_of(core::RunEventType type) const;
  [[nodiscard]] const std::vector<core::ChildOutcome>& parent_outcomes() const { return parent_outcomes_; }
  [[nodiscard]] const core::Graph& graph() const { return *graph_; }
  [[nodiscard]] const core::Definition& definition() const { return definition_; }
  [[nodiscard]] std::size_t nodes_asked() const { return nodes_asked_; }
  void do_not_replay() { replays_ = false; }
  // Limits each later decision to this budget.
  void page_by(core::CommitBudget page) { page_ = page; }
  void bound_by(core::RunBounds bounds) { bounds_ = bounds; }
  void stand_at_depth(int depth) { depth_ = depth; }
  ManualClock clock;

  [[nodiscard]] std::optional<core::Node> node(core::NodeKey key) override;
  [[nodiscard]] std::vector<core::Node> nodes() override;
  [[nodiscard]] std::vector<core::Node> items(core::NodeIndex index) override;
  [[nodiscard]] std::vector<core::Node> earliest_timers(std::size_t count) override;
  [[nodiscard]] std::optional<core::Node> node_of(const core::TaskId& task) override;
  [[nodiscard]] std::vector<core::Signal> unread_signals(const std::string& name, std::size_t count) override;
  [[nodiscard]] bool has_signal(const std::string& idempotency_key) override;

 private:
  [[nodiscard]] core::RunPlan plan() const;
  [[nodiscard]] core::RunContext context();
  [[nodiscard]] core::RunFacts facts();
  [[nodiscard]] core::NodeKey key_of(const std::string& name) const;
  void tell(const std::string& name, core::TaskOutcomeKind kind, core::AttemptOutcome cause,
            const std::string& output, std::optional<core::TaskError> error);
  void take(core::WorkingRun& working, core::RunDecision decision);
  void do_effect(const core::RunEffect& effect);
  void stop_task(const core::StopTask& stop);
  core::Status act_with(const core::RunActionAsked& asked);
  HeldTask* find(const core::TaskId& id);
  void verify() const;

  core::Definition definition_;
  std::optional<core::Graph> graph_;
  SeededRandom random_{7};
  core::IdGenerator ids_{random_};
  core::Run run_;
  std::map<core::NodeKey, core::Node> nodes_;
  std::map<std::int64_t, core::Signal> signals_;
  std::vector<core::RunEvent> events_;
  std::map<std::string, HeldTask> tasks_;  // the tasks that have not ended, by node name
  std::map<std::string, core::StartChild> children_;
  std::vector<std::string> stopped_children_;
  std::vector<core::ChildOutcome> parent_outcomes_;
  std::size_t nodes_asked_ = 0;
  std::unique_ptr<RunHarness> fork_;
  bool replays_ = true;
  std::optional<core::CommitBudget> page_;
  core::CommitBudget budget_;  // of the current decision
  core::RunBounds bounds_;
  int depth_ = 0;
  bool is_open_ = false;
  bool auto_complete_ = false;
};

}  // namespace pawl::testing
