// continue_as_new: a new run of the same workflow replaces a run, which ends its history.
#include "core/base/canary.hpp"
#include "core/run/run_steps.hpp"

namespace pawl::core {

// The body of a paused run runs again when the run is resumed, and reaches this point again. A stopping run
// ends like one whose body completes.
void RunSteps::continue_as_new(const RawJson& input, int attempt) {
  if (run().state == RunState::paused) return enqueue_body();
  if (can_start()) next_ = ContinueRun{.next_id = RunId{context_.next_id()}, .input = input};
  complete_node(kBodyKey, {}, attempt);
}

RunDecision replace_child(WorkingRun& working, const ChildContinued& child, const RunContext& context) {
  RunSteps steps{working, context};
  const Node* node = working.find(child.node);
  if (node == nullptr || node->child_id != child.from || has_ended(node->state)) return steps.finish();
  RunEventData data = steps.about(child.node);
  data.child_id = child.to;
  steps.emit(RunEventType::child_started, data);
  return steps.finish();
}

RunFacts continued_facts(const Run& run, const ContinueRun& effect, TimePoint now) {
  RunFacts facts = run.facts;
  facts.id = effect.next_id;
  facts.input = effect.input;
  facts.rewound_from.reset();
  facts.continued_from = run.facts.id;
  if (planted(Canary::continued_run_loses_its_key)) facts.run_key.reset();
  if (facts.deadline_at) facts.deadline_at = now + (*facts.deadline_at - run.created_at);
  return facts;
}

}  // namespace pawl::core
