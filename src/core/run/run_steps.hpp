#pragma once
// Implements the run machine: one decision in progress. Each event is applied as soon as it is emitted, so
// that later code sees the state after it. The parts are in run_progress.cpp (tasks start and end),
// run_wait.cpp (timers, signals, children), run_failure.cpp (stopping), run_undo.cpp (undoing), run_open.cpp
// (tasks of open runs) and run_actions.cpp.

#include <map>

#include "core/definition/expression.hpp"
#include "core/run/run_machine.hpp"

namespace pawl::core {

class RunSteps {
 public:
  RunSteps(WorkingRun&, RunContext&&) = delete;  // the context must outlive it
  RunSteps(WorkingRun& working, const RunContext& context)
      : working_(working), context_(context), was_closed_(is_closed(working.run().state)) {}

  [[nodiscard]] const Run& run() const { return working_.run(); }
  [[nodiscard]] WorkingRun& working() { return working_; }
  [[nodiscard]] const RunContext& context() const { return context_; }

  std::int64_t emit(RunEventType type, RunEventData data = {});
  template <typename Effect>
  void effect(Effect effect) {
    decision_.effects.emplace_back(std::move(effect));
  }
  // A payload about one node.
  [[nodiscard]] RunEventData about(NodeKey key);

  // --- progress ---
  void start_first();       // nodes without predecessors
  void start_held();        // nodes that could have started while the run was paused or ended
  void begin(NodeKey key);  // all its conditions hold
  void complete_node(NodeKey key, const RawJson& output, int attempt = 0);
  // `output`: of a for_each that continues with the results of some elements.
  void fail_node(NodeKey key, const TaskError& error, int attempt = 0, const RawJson& output = {});
  void node_ended(NodeKey key);
  // Continues the remaining work of an earlier commit, when the timer of `node` fires.
  void go_on(const Node& node);
  // The reason why no further child may start below this run, if any.
  [[nodiscard]] std::optional<TaskError> too_deep() const;
  void note_child();  // counts it in the budget

  // --- waits ---
  void wake();  // ends the sleep, before the cause is recorded
  void begin_wait(NodeKey key);
  void consume(NodeKey key, const Signal& signal);
  void schedule(NodeKey key, const std::string& activity, const RawJson& input);
  [[nodiscard]] Status fit_to_type(TaskSpec& spec, const RawJson& payload);
  [[nodiscard]] static TaskError unfit(const Problem& problem);

  // --- failure ---
  void stop_all();   // requests a stop of everything in progress, and waits for it
  void cut_loose();  // requests a stop of everything in progress, and does not wait
  void cancel_node(NodeKey key);
  // Requests a stop of the node's task or child; forced, ends it.
  void stop_outside(const Node& node, bool is_forced = false);
  // The same, or sets a timer for it if this commit has stopped enough.
  void stop_in_turn(const Node& node, bool is_forced = false);
  [[nodiscard]] bool undoes() const { return run().facts.on_failure == OnFailure::compensate; }
  [[nodiscard]] bool may_become_undoable();  // a task in progress has a compensation
  void begin_undoing(const std::optional<std::string>& reason = {});
  void undo_next();
  void conclude_undoing();
  [[nodiscard]] std::vector<NodeKey> owed_undos();
  void fail_undoing(NodeKey key, const TaskError& error, int attempt);
  void terminate(const std::optional<std::string>& reason);

  // --- open runs ---
  void cancel_followers(NodeIndex index);
  void take_back(NodeKey key);  // revives its task, which starts if it can
  void revive_ended();          // revives all tasks that did not complete

  // --- code ---
  [[nodiscard]] bool is_code() const { return run().facts.kind == RunKind::code; }
  void enqueue_body();                                // creates a new task for the body
  void wake_body();                                   // frees the body's existing task
  void end_body_wait();                               // if the wait is over
  [[nodiscard]] bool may_drop_body();                 // its code has nothing to do before the run ends
  [[nodiscard]] bool has_steps();                     // a worker has run the body and written steps
  [[nodiscard]] bool has_live_others();               // tasks or children that have not ended
  void stop_others();                                 // requests a stop of tasks and children
  void cancel_others();                               // all nodes that have not ended
  void attach_undos(std::vector<std::string> undos);  // to the next event
  [[nodiscard]] bool has_unattached_undos() const { return undos_.has_value(); }
  void lose_body(const TaskError& error, int attempt);  // if its attempts are used up
  // The body has completed and requests a run in place of this one.
  void continue_as_new(const RawJson& input, int attempt);

  // Sets the run's own state after all events; returns the decision.
  [[nodiscard]] RunDecision finish();

 private:
  using Elements = std::vector<RawJson>;

  [[nodiscard]] bool can_start() const { return run().state == RunState::running && !run().cancel_requested; }
  [[nodiscard]] const DefinitionTask& definition_of(NodeKey key) const;
  [[nodiscard]] Lookup lookup(NodeKey key);
  void drain();
  [[nodiscard]] bool is_spent() const { return context_.budget != nullptr && context_.budget->is_spent(); }
  void defer(NodeKey key);
  // Whether its task refers to the run's input instead of a copy.
  [[nodiscard]] bool shares_run_input(NodeKey key);
  void note_cost(std::int64_t rendered, std::int64_t scanned);
  [[nodiscard]] std::optional<TaskError> over_bounds(std::int64_t rendered) const;
  [[nodiscard]] std::optional<TaskError> too_many(NodeIndex index, std::size_t elements);
  [[nodiscard]] bool takes_stop(const Node& node);  // counts it in the budget
  void settle_node(NodeKey key);
  void start_node(NodeKey key);
  void expand(NodeKey key);
  void end_whole(NodeIndex index);
  void start_child(NodeKey key, const RawJson& input);
  [[nodiscard]] const Evaluated<RawJson>& input_of(NodeKey key);
  [[nodiscard]] Evaluated<RawJson> evaluate(const RawJson& input, NodeKey key);
  [[nodiscard]] const Elements* elements_of_node(NodeIndex index);
  // A JSON array with the errors of a node that has ended, of a for_each those of its elements.
  [[nodiscard]] std::optional<std::string_view> errors_of_node(NodeIndex index);

  void settle_run();
  void settle_code();
  void sleep_if_only_waiting();
  [[nodiscard]] bool only_waits();
  [[nodiscard]] bool may_owe_unknown_undos();
  void wait_for_others();
  void stop_code();
  void stop_rest();
  void conclude_code();
  void fail_compensation(const std::vector<NodeKey>& owed);
  [[nodiscard]] std::vector<std::string> ids_of(const std::vector<NodeKey>& keys);
  [[nodiscard]] RunEventType ending(NodeKey key, RunEventType of_task, RunEventType of_step);
  void settle_open();
  void conclude();
  void complete_run();
  [[nodiscard]] Evaluated<RawJson> output_of_run();
  [[nodiscard]] RawJson default_output();
  [[nodiscard]] std::vector<NodeKey> stoppable();

  WorkingRun& working_;
  const RunContext& context_;
  bool was_closed_;
  RunDecision decision_;
  std::optional<std::vector<std::string>> undos_;  // of the body, for the next event
  std::optional<ContinueRun> next_;                // replaces the run when it completes
  std::vector<NodeKey> ready_;
  RunCost cost_;                                    // for the next event that records it
  std::map<NodeIndex, Elements> elements_;          // of the expanded for_each nodes
  std::map<NodeIndex, std::string> errors_;         // of the nodes that were referred to
  std::map<NodeIndex, Evaluated<RawJson>> inputs_;  // inputs that all elements share
  std::optional<Evaluated<RawJson>> input_;         // of the node that begins
  std::map<NodeKey, std::string> indexes_;  // the text of #/index, which must live as long as the decision
};

}  // namespace pawl::core
