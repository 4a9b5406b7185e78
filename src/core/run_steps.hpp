#pragma once
// Inside of the run machine: one decision while it is being made. Each event is applied as soon as it is
// emitted, so that what follows looks at the state after it. Its parts stand in run_progress.cpp (tasks start
// and end), run_wait.cpp (timers, signals, children), run_failure.cpp (stopping), run_undo.cpp (undoing),
// run_open.cpp (tasks of open runs) and run_actions.cpp.

#include <map>

#include "core/expression.hpp"
#include "core/run_machine.hpp"

namespace pawl::core {

class RunSteps {
 public:
  RunSteps(WorkingRun&, RunContext&&) = delete;  // it is looked at later
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
  void start_first();       // what comes after nothing
  void start_held();        // what could have started while the run was paused or over
  void begin(NodeKey key);  // its conditions hold
  void complete_node(NodeKey key, const RawJson& output, int attempt = 0);
  void fail_node(NodeKey key, const TaskError& error, int attempt = 0);
  void node_ended(NodeKey key);
  // Goes on with what an earlier commit has left, when the timer of `key` fires.
  void go_on(const Node& node);
  // Why no further child may start below this run.
  [[nodiscard]] std::optional<TaskError> too_deep() const;
  void note_child();  // in the budget

  // --- waits ---
  void wake();  // out of sleep, before what woke it is noted
  void begin_wait(NodeKey key);
  void consume(NodeKey key, const Signal& signal);
  void schedule(NodeKey key, const std::string& activity, const RawJson& input);
  [[nodiscard]] Status fit_to_type(TaskSpec& spec, const RawJson& payload);
  [[nodiscard]] static TaskError unfit(const Problem& problem);

  // --- failure ---
  void stop_all();   // asks all that is under way to stop, and waits for it
  void cut_loose();  // asks all that is under way to stop, and does not wait
  void cancel_node(NodeKey key);
  // Asks its task or its child to stop; forced, ends it.
  void stop_outside(const Node& node, bool is_forced = false);
  // The same, or sets a timer that does it if this commit has stopped enough.
  void stop_in_turn(const Node& node, bool is_forced = false);
  [[nodiscard]] bool undoes() const { return run().facts.on_failure == OnFailure::compensate; }
  [[nodiscard]] bool may_become_undoable();  // something under way has a compensation
  void begin_undoing(const std::optional<std::string>& reason = {});
  void undo_next();
  void conclude_undoing();
  [[nodiscard]] std::vector<NodeKey> owed_undos();
  void fail_undoing(NodeKey key, const TaskError& error, int attempt);
  void terminate(const std::optional<std::string>& reason);

  // --- open runs ---
  void cancel_followers(NodeIndex index);
  void take_back(NodeKey key);  // its task is made anew of what it was, and starts if it can
  void revive_ended();          // the tasks of all that did not complete

  // --- code ---
  [[nodiscard]] bool is_code() const { return run().facts.kind == RunKind::code; }
  void enqueue_body();                                // a new task of it
  void wake_body();                                   // the one that it has
  void end_body_wait();                               // if what it waits for is there
  [[nodiscard]] bool may_drop_body();                 // its code has nothing to do before the run ends
  [[nodiscard]] bool has_steps();                     // somebody held its body and wrote some
  [[nodiscard]] bool has_live_others();               // tasks or children that have not ended
  void stop_others();                                 // asks tasks and children to stop
  void cancel_others();                               // what has not ended of it
  void attach_undos(std::vector<std::string> undos);  // to the next event
  [[nodiscard]] bool has_unattached_undos() const { return undos_.has_value(); }
  void lose_body(const TaskError& error, int attempt);  // its attempts are used up
  // The body has completed and asks for a run in place of this one.
  void continue_as_new(const RawJson& input, int attempt);

  // The run's own state after all that happened, and the decision.
  [[nodiscard]] RunDecision finish();

 private:
  using Elements = std::vector<RawJson>;

  [[nodiscard]] bool can_start() const { return run().state == RunState::running && !run().cancel_requested; }
  [[nodiscard]] const DefinitionTask& definition_of(NodeKey key) const;
  [[nodiscard]] Lookup lookup(NodeKey key);
  void drain();
  [[nodiscard]] bool is_spent() const { return context_.budget != nullptr && context_.budget->is_spent(); }
  void defer(NodeKey key);
  // Its task refers to the run's input.
  [[nodiscard]] bool shares_run_input(NodeKey key);
  void note_cost(std::int64_t rendered, std::int64_t scanned);
  [[nodiscard]] std::optional<TaskError> over_bounds(std::int64_t rendered) const;
  [[nodiscard]] std::optional<TaskError> too_many(NodeIndex index, std::size_t elements);
  [[nodiscard]] bool takes_stop(const Node& node);  // out of the budget
  void settle_node(NodeKey key);
  void start_node(NodeKey key);
  void expand(NodeKey key);
  void end_whole(NodeIndex index);
  void start_child(NodeKey key, const RawJson& input);
  [[nodiscard]] const Evaluated<RawJson>& input_of(NodeKey key);
  [[nodiscard]] Evaluated<RawJson> evaluate(const RawJson& input, NodeKey key);
  [[nodiscard]] const Elements* elements_of_node(NodeIndex index);

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
  std::optional<ContinueRun> next_;                // takes the run's place when that completes
  std::vector<NodeKey> ready_;
  RunCost cost_;                                    // for the next event that notes it
  std::map<NodeIndex, Elements> elements_;          // of the for_each that were looked at
  std::map<NodeIndex, Evaluated<RawJson>> inputs_;  // the same for all elements
  std::optional<Evaluated<RawJson>> input_;         // of the node that begins
  std::map<NodeKey, std::string> indexes_;  // the text of #/index, which lives as long as the decision
};

}  // namespace pawl::core
