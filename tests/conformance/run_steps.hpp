#pragma once
// Helpers for tests of runs: definitions given by their tasks, and workers whose handling of a node's task
// the test scripts.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/api/run_api.hpp"
#include "tests/conformance/steps.hpp"

namespace pawl::core {
inline void PrintTo(RunState state, std::ostream* out) { *out << to_string(state); }
inline void PrintTo(NodeState state, std::ostream* out) { *out << to_string(state); }
}  // namespace pawl::core

namespace pawl::testing {

class RunTest : public Conformance {
 public:
  // `tasks` as JSON, and further fields of the definition in `more` (`,"output":…`). A refused step fails the
  // test.
  void define(const std::string& name, const std::string& tasks, const std::string& more = "");
  core::RunId start(const std::string& workflow, const std::string& input = "{}");
  core::Run act(const core::RunId& run, core::RunAction action);
  core::ProblemCode refused(const core::RunId& run, core::RunAction action);
  core::Run signal(const core::RunId& run, const std::string& name, const std::string& payload = "null",
                   const std::optional<std::string>& key = {});
  // Adds a task to an open run.
  core::TaskId add(const core::RunId& run, const std::vector<core::TaskId>& after = {},
                   const std::string& type = "t");

  // Claims and holds all claimable tasks. Returns their node ids.
  std::vector<std::string> claimed();
  [[nodiscard]] bool holds(const std::string& node) const { return held_.contains(node); }
  [[nodiscard]] const core::ClaimedTask& held(const std::string& node) const { return held_.at(node); }
  void start_task(const std::string& node);
  void complete_node(const std::string& node, const std::string& output = "null");
  void fail_node(const std::string& node, bool retryable = false);
  void give_back(const std::string& node);  // as a holder that was asked to stop
  void give_back_all();
  // Completes tasks until none can be claimed, each with its node's id as output. Returns the node ids in
  // order.
  std::vector<std::string> work();

  [[nodiscard]] core::Run run_of(const core::RunId& id);
  [[nodiscard]] core::RunState state_of(const core::RunId& id) { return run_of(id).state; }
  [[nodiscard]] core::NodeState node_state(const core::RunId& run, const std::string& node);
  [[nodiscard]] core::Node node_of(const core::RunId& run, const std::string& node);
  [[nodiscard]] std::vector<core::RunEvent> events(const core::RunId& run);
  [[nodiscard]] std::vector<std::string> event_names(const core::RunId& run);
  [[nodiscard]] std::vector<std::string> nodes_of(const core::RunId& run, core::RunEventType type);

  // Every run's log alone rebuilds the stored run, and `verify` finds nothing else.
  void expect_replayed();
  void TearDown() override { expect_replayed(); }

 private:
  core::ClaimedTask take(const std::string& node);
  std::map<std::string, core::ClaimedTask> held_;
};

}  // namespace pawl::testing
