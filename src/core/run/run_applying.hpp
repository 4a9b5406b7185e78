#pragma once
// Implements `apply` for one event. Changes of the run itself are in run_apply.cpp, changes of its nodes and
// signals in run_apply_nodes.cpp.

#include <optional>
#include <string>

#include "core/run/run_apply.hpp"
#include "core/run/run_transitions.hpp"

namespace pawl::core {

class Applying {
 public:
  Applying(WorkingRun& working, const RunEvent& event)
      : working_(working), event_(event), data_(event.data), run_(working.change_run()) {}

  Applied run();

 private:
  [[nodiscard]] bool is_code() const { return run_.facts.kind == RunKind::code; }

  // --- the run ---
  Applied change();
  Applied move(RunState to);
  Applied close(RunState to);
  Applied create();
  Applied start();
  Applied sleep();
  Applied complete();
  Applied begin_failing(const std::optional<TaskError>& error);
  Applied fail();
  Applied cancel();
  Applied retry();
  void reset(Node& node);
  Applied begin_compensating();
  Applied reopen_to_undo();
  Applied fail_compensation();
  Applied retry_compensation();
  void reset_compensation(Node& node);

  // --- its nodes and signals ---
  [[nodiscard]] bool is_counted(const Node& node) const;
  // Sets the state, with the counts of the run or without them. A move that the table does not list makes the
  // event invalid.
  void set_state(Node& node, NodeState state);
  void become(Node& node, NodeState state);
  void set_error(Node& node, const std::optional<TaskError>& error);
  Result<Node*, std::string> live_node();
  Applied schedule();
  Applied expand(Node& node);
  Applied add_to_open();
  Applied step(NodeState state);
  Applied take_back();
  Applied end_node(NodeState state);
  void finish(Node& node, NodeState state);
  void note_end(const Node& node);
  Applied receive();
  Applied consume();
  Applied defer();
  Applied set_timer();
  Applied clear_timer();
  Applied start_child();
  Applied end_compensation(NodeState state);
  Applied pop_undone();
  Applied skip_compensation();
  [[nodiscard]] NodeKey undone_by(const Node& compensation) const;
  void owe(std::vector<Node*> nodes);
  Applied register_undos();
  Node& add_step();
  Applied wait_for_steps(Node& body);
  void note_step_end(const Node& step);

  WorkingRun& working_;
  const RunEvent& event_;
  const RunEventData& data_;
  Run& run_;
  std::optional<std::string> unlisted_;  // a move of a node that is not in the table
};

}  // namespace pawl::core
