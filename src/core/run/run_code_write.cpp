// Applies the writes of a workflow body: steps begin, end and are retried; the body waits or is parked.
#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/base/canary.hpp"
#include "core/records/token.hpp"
#include "core/run/run_steps.hpp"
#include "core/run/step.hpp"

namespace pawl::core {

namespace {

// The default for steps without a policy of their own.
RetryPolicy step_retry() { return {.max_attempts = 5}; }
RetryPolicy retry_of(const Node& node) { return node.retry.value_or(step_retry()); }

// The events of shorter attempts omit the duration: they practically began when they were written.
constexpr Duration kToldTook = std::chrono::milliseconds{1};

RawJson detail_of(const StepWrite& write) {
  if (write.took < kToldTook) return {};
  return {fmt::format(R"({{"took_us":{}}})", write.took.count())};
}

bool is_registered_undo(const Node& node) {
  return node.kind == StepKind::compensation && node.state == NodeState::blocked && node.attempt == 0;
}

class StepWriter {
 public:
  StepWriter(RunSteps& steps, const StepWrite& write, const Boxed<TaskError>& failure)
      : steps_(steps), write_(write), failure_(failure), key_(steps.working().key_of_step(write.step_id)) {}

  // Whether the step can be written like this; checked before anything is written.
  [[nodiscard]] Status allowed() {
    const Node* node = find();
    if (node == nullptr) return Done{};
    if (node->kind != kind())
      return Problem{ProblemCode::conflict, fmt::format("step '{}' is a {}, not a {}", write_.step_id,
                                                        to_string(*node->kind), to_string(write_.kind))};
    if (write_.action == StepAction::cancel) return Done{};
    if (write_.action != StepAction::begin && !is_reported(*node->kind))
      return Problem{ProblemCode::conflict, fmt::format("step '{}' is a {}, which ends by itself",
                                                        write_.step_id, to_string(*node->kind))};
    const bool is_late =
        !planted(Canary::late_step_accepted) && write_.action != StepAction::begin && has_ended(node->state);
    const bool is_same = (write_.action == StepAction::complete && node->state == NodeState::completed) ||
                         (write_.action == StepAction::fail && node->state == NodeState::failed);
    if (is_late && (!is_same || write_.must_be_new))
      return Problem{ProblemCode::already_completed,
                     fmt::format("step '{}' is {}", write_.step_id, to_string(node->state))};
    return Done{};
  }

  // Whether it begins an attempt that only an existing step can have: `execute` would write nothing, and
  // there would be no node to answer with.
  [[nodiscard]] bool lacks_step() {
    const bool is_first = write_.attempt == 0 || write_.attempt == 1;
    return write_.action == StepAction::begin && !is_first && is_reported(write_.kind) && find() == nullptr;
  }

  StepAnswer write() {
    StepAnswer answer{.step_id = write_.step_id};
    const Node* node = find();
    if (node == nullptr || !has_ended(node->state)) {
      const bool undoes = kind() == StepKind::compensation && write_.action != StepAction::cancel;
      if (undoes) begin_undoing();
      switch (write_.action) {
        case StepAction::begin:
          answer.should_execute = begin();
          answer.scheduled_retry = is_to_be_tried_later();
          break;
        case StepAction::complete: complete(); break;
        case StepAction::fail: answer.scheduled_retry = fail(); break;
        case StepAction::cancel: cancel(); break;
      }
    }
    answer.now = memo_of(steps_.working().node(key_));
    return answer;
  }

 private:
  [[nodiscard]] const Node* find() { return steps_.working().find(key_); }

  [[nodiscard]] StepKind kind() {
    const Node* node = write_.is_kind_given ? nullptr : find();
    return node == nullptr ? write_.kind : *node->kind;
  }

  [[nodiscard]] bool is_to_be_tried_later() {
    const Node* node = find();
    return node != nullptr && node->state == NodeState::pending && node->kind != StepKind::task &&
           node->scheduled_at > steps_.context().now;
  }

  // The first event of a step describes it in full; registering an undo does not begin it.
  RunEventData data() {
    RunEventData data{.node = key_, .node_id = write_.step_id};
    const Node* node = find();
    if (node != nullptr && !is_registered_undo(*node)) return data;
    data.kind = kind();
    if (write_.retry != step_retry()) data.retry = write_.retry;
    return data;
  }

  int next_attempt() {
    const Node* node = find();
    return (node == nullptr ? 0 : node->attempt) + 1;
  }

  // The first compensation begins the undoing: the regular work of the body is over.
  void begin_undoing() {
    if (steps_.run().state != RunState::compensating)
      steps_.emit(RunEventType::compensation_triggered,
                  {.state = RunState::compensating, .error = failure_.copy()});
  }

  bool begin() {
    const Node* node = find();
    const bool is_new = node == nullptr || node->state == NodeState::blocked;
    switch (kind()) {
      case StepKind::sleep: return is_new && set_timer();
      case StepKind::signal: return is_new && await_signal();
      case StepKind::child: return is_new && start_child();
      case StepKind::task: return is_new && enqueue();
      default: return execute();
    }
  }

  bool execute() {
    if (is_to_be_tried_later()) return false;
    if (write_.attempt != 0 && write_.attempt != next_attempt()) return false;
    const Node* node = find();
    const bool was_lost = node != nullptr && node->state == NodeState::running;
    if (was_lost && is_used_up(retry_of(*node), node->attempt - node->attempts_before)) {
      end(NodeState::failed, {},
          TaskError{.code = "worker_lost",
                    .message = "each attempt ended with the loss of its worker",
                    .retryable = false});
      return false;
    }
    RunEventData started = data();
    started.attempt = next_attempt();
    started.input = write_.input;
    started.detail = detail_of(write_);
    steps_.emit(RunEventType::step_started, started);
    return true;
  }

  bool set_timer() {
    RunEventData timer = data();
    timer.until = write_.until ? *write_.until : steps_.context().now + write_.wait.value_or(Duration{0});
    steps_.emit(RunEventType::timer_set, timer);
    if (*timer.until > steps_.context().now) return false;
    steps_.emit(RunEventType::timer_fired, steps_.about(key_));
    steps_.complete_node(key_, {});
    return false;
  }

  bool await_signal() {
    RunEventData started = data();
    started.attempt = next_attempt();
    started.node_state = NodeState::waiting;
    started.signal = write_.signal;
    steps_.emit(RunEventType::step_started, started);
    if (const auto signal = steps_.working().next_signal(write_.signal)) {
      steps_.consume(key_, *signal);
    } else if (write_.wait || write_.until) {
      RunEventData timer = data();
      timer.until = write_.until ? *write_.until : steps_.context().now + *write_.wait;
      steps_.emit(RunEventType::timer_set, timer);
    }
    return false;
  }

  bool start_child() {
    if (const auto error = steps_.too_deep()) {
      end(NodeState::failed, {}, *error);
      return false;
    }
    steps_.note_child();
    const ChildSpec& spec = *write_.child;
    const RunFacts& facts = steps_.run().facts;
    StartChild child{.child_id = RunId{steps_.context().next_id()},
                     .node = key_,
                     .node_id = write_.step_id,
                     .workflow = spec.workflow,
                     .input = spec.input,
                     .queue = spec.queue.value_or(facts.queue),
                     .priority = spec.priority.value_or(facts.priority),
                     .labels = spec.labels,
                     .run_key = spec.run_key,
                     .may_be_code = true};
    if (spec.deadline) child.deadline_at = steps_.context().now + *spec.deadline;
    RunEventData started = data();
    started.child_id = child.child_id;
    started.input = spec.input;
    steps_.emit(RunEventType::child_started, started);
    steps_.effect(std::move(child));
    return false;
  }

  bool enqueue() {
    EnqueueNode enqueue{.task_id = TaskId{steps_.context().next_id()},
                        .node = key_,
                        .node_id = write_.step_id,
                        .spec = *write_.task,
                        .attempts_used = next_attempt() - 1};
    if (const Status fits = steps_.fit_to_type(enqueue.spec, enqueue.spec.payload); !fits) {
      end(NodeState::failed, {}, RunSteps::unfit(fits.problem()));
      return false;
    }
    RunEventData scheduled = data();
    scheduled.task_id = enqueue.task_id;
    const TaskId task_id = enqueue.task_id;
    steps_.emit(RunEventType::task_scheduled, scheduled);
    steps_.effect(std::move(enqueue));
    if (steps_.run().state == RunState::paused) steps_.effect(HoldTask{task_id});
    return false;
  }

  // An end implies a begin that was not written: the attempt is counted all the same.
  int ended_attempt() {
    const Node* node = find();
    return node != nullptr && node->state == NodeState::running ? node->attempt : next_attempt();
  }

  void complete() { end(NodeState::completed, write_.output, std::nullopt); }

  void end(NodeState state, const RawJson& output, const std::optional<TaskError>& error) {
    const bool is_done = state == NodeState::completed;
    const bool undoes = kind() == StepKind::compensation;
    RunEventData ended = data();
    ended.attempt = ended_attempt();
    ended.output = output;
    ended.error = error;
    ended.detail = detail_of(write_);
    if (undoes && !is_done) return fail_undoing(std::move(ended));
    const RunEventType type = is_done ? RunEventType::step_completed : RunEventType::step_failed;
    steps_.emit(undoes ? RunEventType::compensation_completed : type, std::move(ended));
    if (!undoes) steps_.node_ended(key_);
  }

  void cancel() {
    if (const Node* node = find()) steps_.stop_outside(*node);
    RunEventData canceled = data();
    canceled.error =
        TaskError{.code = "cancelled", .message = "the workflow canceled it", .retryable = false};
    steps_.emit(RunEventType::task_cancelled, std::move(canceled));
    steps_.node_ended(key_);
  }

  // The body runs the remaining undos; the end of the body decides the run's final state.
  void fail_undoing(RunEventData failed) {
    failed.state = RunState::compensating;
    steps_.emit(RunEventType::compensation_failed, std::move(failed));
  }

  // A client that did not receive the answer repeats the same failure.
  [[nodiscard]] bool is_repeated() {
    const Node* node = find();
    return node != nullptr && node->state == NodeState::pending && write_.attempt != 0 &&
           node->attempt == write_.attempt;
  }

  bool fail() {
    if (is_repeated()) return true;
    const int attempt = ended_attempt();
    const Node* node = find();
    const bool is_first = node == nullptr || is_registered_undo(*node);
    const RetryPolicy retry = is_first ? write_.retry.value_or(step_retry()) : retry_of(*node);
    const int used = attempt - (node == nullptr ? 0 : node->attempts_before);
    const bool is_final =
        !write_.error.retryable || is_non_retryable(retry, write_.error.code) || is_used_up(retry, used);
    if (is_final) {
      end(NodeState::failed, {}, write_.error);
      return false;
    }
    RunEventData again = data();
    again.attempt = attempt;
    again.error = write_.error;
    again.detail = detail_of(write_);
    again.until =
        steps_.context().now + write_.retry_after.value_or(retry_delay(retry, used, steps_.context().chance));
    steps_.emit(RunEventType::step_retrying, again);
    return true;
  }

  RunSteps& steps_;
  const StepWrite& write_;
  const Boxed<TaskError>& failure_;  // the error for which the body undoes
  NodeKey key_;
};

Status check_steps(RunSteps& steps, const WriteSteps& command) {
  std::set<std::string_view> earlier;  // ids of the previous `collected` steps, only if needed
  std::size_t collected = 0;
  for (std::size_t i = 0; i < command.steps.size(); ++i) {
    const StepWrite& step = command.steps[i];
    StepWriter writer{steps, step, command.failure};
    if (const Status allowed = writer.allowed(); !allowed) return allowed;
    if (!writer.lacks_step()) continue;
    for (; collected < i; ++collected) earlier.insert(command.steps[collected].step_id);
    if (earlier.contains(step.step_id)) continue;
    return invalid_field(command.steps.size() == 1 ? "attempt" : fmt::format("steps[{}].attempt", i),
                         fmt::format("{} cannot begin: the run has no step '{}', so its first attempt is 1",
                                     step.attempt, step.step_id));
  }
  return Done{};
}

// The conditions of a body's wait, and whether it is over already.
struct BodyWait {
  std::optional<TimePoint> until = {};
  std::optional<std::uint32_t> steps = {};  // how many steps have to end
  std::string signal = {};
  bool nothing_to_undo = false;
  bool is_over = false;
};

// The step that started the child. Live steps are searched first, since they are loaded already.
const Node* step_of_child(WorkingRun& working, const RunId& child) {
  const auto find_in = [&](const std::vector<NodeKey>& keys) -> const Node* {
    const auto found = std::find_if(keys.begin(), keys.end(),
                                    [&](NodeKey key) { return working.node(key).child_id == child; });
    return found == keys.end() ? nullptr : &working.node(*found);
  };
  const Node* live = find_in(working.live_keys());
  return live != nullptr ? live : find_in(working.all_keys());
}

// A body whose token is bound to queues may send nothing to other queues. The queue of a step is determined
// only when the default of its type is filled in.
Status check_reach(RunSteps& steps, const WriteSteps& command) {
  if (command.bound_to.empty()) return Done{};
  const std::string& own = steps.run().facts.queue;
  for (const StepWrite& step : command.steps) {
    Status allowed = Done{};
    if (step.child) allowed = check_queue(command.bound_to, step.child->queue.value_or(own));
    if (step.task) {
      TaskSpec spec = *step.task;
      if (steps.fit_to_type(spec, step.task->payload)) allowed = check_queue(command.bound_to, spec.queue);
    }
    if (!allowed) return allowed;
  }
  return Done{};
}

Status check_awaited(WorkingRun& working, const WriteSteps& command) {
  if (!command.suspend) return Done{};
  for (const RunId& child : command.suspend->children) {
    if (step_of_child(working, child) == nullptr)
      return invalid_field("children", fmt::format("run {} is no child of this one", to_string(child)));
  }
  for (const std::string& name : command.suspend->steps) {
    const bool is_written = std::any_of(command.steps.begin(), command.steps.end(),
                                        [&](const StepWrite& step) { return step.step_id == name; });
    const Node* step = is_written ? nullptr : working.find_step(name);
    if (!is_written && step == nullptr)
      return invalid_field("suspend.steps", fmt::format("there is no step '{}'", name));
    // A step that was cancelled when the run failed is back at its beginning after a retry: nothing would end
    // it.
    if (step != nullptr && step->state == NodeState::blocked)
      return invalid_field("suspend.steps", fmt::format("step '{}' has to be begun again first", name));
  }
  return Done{};
}

BodyWait wait_of(WorkingRun& working, const SuspendBody& suspend, TimePoint now) {
  BodyWait wait{.until = suspend.until,
                .nothing_to_undo = !suspend.may_undo,
                .is_over = suspend.until && *suspend.until <= now};
  std::uint32_t left = 0;
  std::uint32_t ended = 0;
  for (const std::string& name : suspend.steps) {
    ++(has_ended(working.find_step(name)->state) ? ended : left);
  }
  if (!suspend.steps.empty()) {
    wait.steps = suspend.wants_all ? left : 1;
    wait.is_over = wait.is_over || (suspend.wants_all ? left == 0 : ended > 0);
  }
  if (!suspend.children.empty()) {
    for (const RunId& child : suspend.children)
      wait.is_over = wait.is_over || has_ended(step_of_child(working, child)->state);
    wait.steps = 1;
  }
  for (const std::string& name : suspend.signals) {
    wait.signal = suspend.signals.size() == 1 ? name : "*";
    wait.is_over = wait.is_over || working.next_signal(name).has_value();
  }
  return wait;
}

// A stopping run waits only for its tasks and children, which got a stop request.
bool ends_while_stopping(WorkingRun& working, const SuspendBody& suspend) {
  if (suspend.steps.empty() || !suspend.wants_all) return false;
  return std::all_of(suspend.steps.begin(), suspend.steps.end(), [&](const std::string& name) {
    const Node* step = working.find_step(name);
    return step != nullptr && (has_ended(step->state) || step->task_id || step->child_id);
  });
}

Status check_undos(WorkingRun& working, const WriteSteps& command) {
  if (!command.undos) return Done{};
  for (const std::string& name : *command.undos) {
    const Node* node = working.find_step(name);
    if (node != nullptr && node->kind != StepKind::compensation)
      return Problem{ProblemCode::conflict, fmt::format("undos: step '{}' is a {}, not a compensation", name,
                                                        to_string(*node->kind))};
  }
  return Done{};
}

// Attaches the undos that are not recorded yet to the next event.
void declare_undos(RunSteps& steps, const WriteSteps& command) {
  if (!command.undos) return;
  std::vector<std::string> added;
  for (const std::string& name : *command.undos) {
    if (steps.working().find_step(name) == nullptr) added.push_back(name);
  }
  const bool is_repeated = added.empty() && !command.undos->empty();
  if (!is_repeated) steps.attach_undos(std::move(added));
}

// Fails the run now, so that its tasks and children end before the body undoes.
void begin_failing(RunSteps& steps, const WriteSteps& command) {
  const Run& run = steps.run();
  if (!command.failure || !command.suspend || is_stopping(run) || run.state == RunState::compensating) return;
  steps.emit(RunEventType::workflow_failed, {.state = RunState::failing, .error = command.failure.copy()});
  steps.stop_others();
}

// A stopping run still has work to do, so it cannot be parked.
Status check_park(const Run& run) {
  if (!is_stopping(run) && run.state != RunState::compensating) return Done{};
  return Problem{ProblemCode::invalid_state,
                 fmt::format("the run is {}{} and cannot become paused", to_string(run.state),
                             run.cancel_requested ? ", to be cancelled," : "")};
}

Status check_body(const Run& run) {
  if (run.facts.kind != RunKind::code)
    return Problem{ProblemCode::invalid_state,
                   fmt::format("a {} run has no steps", to_string(run.facts.kind))};
  if (is_closed(run.state))
    return Problem{ProblemCode::already_completed, fmt::format("the run is {}", to_string(run.state))};
  return Done{};
}

void suspend(RunSteps& steps, const BodyWait& wait) {
  RunEventData data = steps.about(kBodyKey);
  data.until = wait.until;
  data.items = wait.steps;
  data.signal = wait.signal;
  data.nothing_to_undo = wait.nothing_to_undo;
  steps.emit(RunEventType::timer_set, data);
}

void park(RunSteps& steps, const std::string& reason) {
  if (steps.run().state != RunState::paused)
    steps.emit(RunEventType::workflow_paused, {.reason = reason, .custom_status = reason});
  RunEventData body = steps.about(kBodyKey);
  body.node_state = NodeState::blocked;
  steps.emit(RunEventType::task_scheduled, body);
}

}  // namespace

Result<StepsDecision> write_steps(WorkingRun& working, const WriteSteps& command, const RunContext& context) {
  if (const Status valid = check_body(working.run()); !valid) return valid.problem();
  if (const Status valid = check_awaited(working, command); !valid) return valid.problem();
  if (command.park) {
    if (const Status allowed = check_park(working.run()); !allowed) return allowed.problem();
  }
  if (const Status valid = check_undos(working, command); !valid) return valid.problem();
  RunSteps steps{working, context};
  if (const Status allowed = check_steps(steps, command); !allowed) return allowed.problem();
  if (const Status allowed = check_reach(steps, command); !allowed) return allowed.problem();
  declare_undos(steps, command);
  StepsWritten written{.now = context.now};
  written.steps.reserve(command.steps.size());
  for (const StepWrite& step : command.steps)
    written.steps.push_back(StepWriter{steps, step, command.failure}.write());
  if (command.custom_status)
    steps.emit(RunEventType::checkpoint_written, {.custom_status = *command.custom_status});
  begin_failing(steps, command);
  const bool may_wait = !is_closed(working.run().state);
  if (command.park && may_wait) {
    park(steps, *command.park);
  } else if (command.suspend && may_wait) {
    const BodyWait wait = wait_of(working, *command.suspend, context.now);
    // A stopping body waits only for the tasks and children that are stopping too.
    const bool is_over =
        wait.is_over || (is_stopping(working.run()) && !ends_while_stopping(working, *command.suspend));
    written.is_suspended = !is_over || command.suspend->always;
    if (written.is_suspended) suspend(steps, wait);
    if (written.is_suspended && is_over) steps.wake_body();
  }
  if (steps.has_unattached_undos()) steps.emit(RunEventType::checkpoint_written);
  written.is_paused = working.run().state == RunState::paused;
  written.stop = stop_reason_of(working.run());
  return StepsDecision{.run = steps.finish(), .written = std::move(written)};
}

}  // namespace pawl::core
