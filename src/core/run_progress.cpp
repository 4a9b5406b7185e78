// Tasks start, end and let others start.
#include <utility>

#include <fmt/format.h>

#include "core/condition.hpp"
#include "core/damage.hpp"
#include "core/limits.hpp"
#include "core/run_apply.hpp"
#include "core/run_steps.hpp"
#include "core/task_type.hpp"

namespace pawl::core {

std::int64_t RunSteps::emit(RunEventType type, RunEventData data) {
  std::vector<RunEvent>& events = decision_.events;
  const auto cause = events.empty() ? context_.caused_by : std::optional{events.front().sequence};
  RunEvent& event = events.emplace_back();  // made where it stays: it is large
  event.sequence = run().sequence + 1;
  event.type = type;
  event.at = context_.now;
  event.data = std::move(data);
  if (undos_) event.data.undos = std::exchange(undos_, std::nullopt);
  event.caused_by = cause;
  event.actor = context_.actor;
  event.trace_id = context_.trace_id;
  event.span_id = context_.span_id;
  const Applied applied = apply(working_, event);
  // A decision emits what can be applied to a run that is as its log says.
  if (!applied.ok()) throw DamagedRun{"run " + to_string(run().facts.id) + ": " + applied.problem()};
  return run().sequence;
}

RunEventData RunSteps::about(NodeKey key) { return {.node = key, .node_id = working_.node_id(key)}; }

const DefinitionTask& RunSteps::definition_of(NodeKey key) const {
  return working_.plan().definition->tasks[key.index];
}

void RunSteps::start_first() {
  if (is_code() && working_.find(kBodyKey) == nullptr) return enqueue_body();
  if (working_.plan().graph == nullptr) return;
  for (const NodeIndex index : working_.plan().graph->starts()) ready_.push_back({.index = index});
}

void RunSteps::start_held() {
  start_first();
  for (const NodeKey key : working_.live_keys()) {
    const Node& node = working_.node(key);
    if (node.state == NodeState::blocked && node.unmet == 0) ready_.push_back(key);
    // Its elements are all there, only the whole did not end well.
    if (node.state == NodeState::waiting && node.items && node.items_left == 0) end_whole(key.index);
  }
}

void RunSteps::drain() {
  for (std::size_t next = 0; next < ready_.size(); ++next) {  // it grows meanwhile
    const NodeKey key = ready_[next];
    settle_node(key);
  }
  ready_.clear();
}

void RunSteps::settle_node(NodeKey key) {
  const Node& node = working_.node(key);
  if (node.state != NodeState::blocked || node.unmet > 0 || !can_start()) return;
  if (working_.is_compensation(key)) return;
  if (is_code()) {
    if (key == kBodyKey) node.task_id ? wake_body() : enqueue_body();
    return;  // steps are begun by the body
  }
  const Graph* graph = working_.plan().graph;
  if (graph == nullptr) {
    RunEventData data = about(key);
    data.node_state = NodeState::pending;
    emit(RunEventType::task_scheduled, data);
    effect(FreeTask{*node.task_id});
  } else if (key.item != kNoItem) {
    begin(key);
  } else if (!node.has_lead && !graph->predecessors(key.index).empty()) {
    emit(RunEventType::task_skipped, about(key));
    node_ended(key);
  } else {
    start_node(key);
  }
}

void RunSteps::start_node(NodeKey key) {
  const DefinitionTask& task = definition_of(key);
  if (!task.when.empty()) {
    const Evaluated<bool> is_wanted = holds(task.when, lookup(key));
    if (!is_wanted) return fail_node(key, is_wanted.problem());
    if (!*is_wanted) {
      emit(RunEventType::task_skipped, about(key));
      return node_ended(key);
    }
  }
  if (task.for_each.empty()) return begin(key);
  expand(key);
}

void RunSteps::expand(NodeKey key) {
  const Evaluated<Elements> elements = render_elements(definition_of(key).for_each, lookup(key));
  if (!elements) return fail_node(key, elements.problem());
  RunEventData data = about(key);
  data.items = static_cast<std::uint32_t>(elements->size());
  data.node_state = NodeState::waiting;
  emit(RunEventType::task_scheduled, data);
  elements_.insert_or_assign(key.index, *elements);
  if (elements->empty()) return end_whole(key.index);
  for (std::size_t i = 0; i < elements->size(); ++i)
    ready_.push_back({.index = key.index, .item = static_cast<std::int32_t>(i)});
}

// Again, for an element that is retried: the same references give the same elements.
const RunSteps::Elements* RunSteps::elements_of_node(NodeIndex index) {
  if (const auto found = elements_.find(index); found != elements_.end()) return &found->second;
  const NodeKey key{.index = index};
  Evaluated<Elements> elements = render_elements(definition_of(key).for_each, lookup(key));
  if (!elements) return nullptr;
  return &elements_.emplace(index, std::move(*elements)).first->second;
}

Lookup RunSteps::lookup(NodeKey key) {
  return [this, key](const Reference& reference) -> std::optional<std::string_view> {
    static constexpr std::string_view kNull = "null";
    switch (reference.root) {
      case Reference::Root::input: return run().facts.input.empty() ? kNull : run().facts.input.text;
      case Reference::Root::index: return indexes_[key] = std::to_string(key.item);
      case Reference::Root::item: {
        const Elements* elements = key.item == kNoItem ? nullptr : elements_of_node(key.index);
        const auto place = static_cast<std::size_t>(key.item);
        if (elements == nullptr || place >= elements->size()) return std::nullopt;
        return (*elements)[place].text;
      }
      default: break;
    }
    const auto index = working_.plan().graph->find(reference.task);
    if (!index) return std::nullopt;
    const Node& node = working_.node({.index = *index});
    if (node.state != NodeState::completed) return std::nullopt;
    return node.output.empty() ? kNull : node.output.text;
  };
}

Evaluated<RawJson> RunSteps::input_of(NodeKey key) {
  const RawJson& input = definition_of(key).input;
  if (input.empty()) return run().facts.input;
  return render(input, lookup(key));
}

void RunSteps::begin(NodeKey key) {
  const DefinitionTask& task = definition_of(key);
  if (task.type == NodeType::sleep || task.type == NodeType::signal) return begin_wait(key);
  const Evaluated<RawJson> input = input_of(key);
  if (!input) return fail_node(key, input.problem());
  if (task.type == NodeType::workflow) return start_child(key, *input);
  schedule(key, task.activity, *input);
}

// The defaults of its type, if it is declared, and whether that takes the payload.
Status RunSteps::fit_to_type(TaskSpec& spec) const {
  const auto type = context_.declared_type ? context_.declared_type(spec.type) : nullptr;
  if (type == nullptr) return Done{};
  fill_in(type->type, spec);
  return type->check_payload(spec.payload);
}

TaskError RunSteps::unfit(const Problem& problem) {
  return {.code = std::string{kind_of(problem.code).name}, .message = problem.detail, .retryable = false};
}

void RunSteps::schedule(NodeKey key, const std::string& activity, const RawJson& input) {
  const DefinitionTask& task = definition_of(key);
  EnqueueNode enqueue{.task_id = TaskId{context_.next_id()},
                      .node = key,
                      .node_id = working_.node_id(key),
                      .spec = {.type = activity,
                               .payload = input,
                               .queue = task.queue.value_or(run().facts.queue),
                               .priority = task.priority.value_or(run().facts.priority),
                               .retry = task.retry.value_or(RetryPolicy{}),
                               .timeout = task.timeout,
                               .labels = task.labels,
                               .given = {.queue = task.queue.has_value(),
                                         .priority = task.priority.has_value(),
                                         .retry = task.retry.has_value()}},
                      .attempts_used = working_.node(key).attempt};
  // What undoes gets what was done, whatever that is.
  const Status fits = fit_to_type(enqueue.spec);
  if (!fits && !working_.is_compensation(key)) return fail_node(key, unfit(fits.problem()));
  RunEventData data = about(key);
  data.task_id = enqueue.task_id;
  if (working_.is_compensation(key)) data.undoes = run().undo_top;
  emit(RunEventType::task_scheduled, data);
  const TaskId task_id = enqueue.task_id;
  effect(std::move(enqueue));
  if (run().state == RunState::paused) effect(HoldTask{task_id});
}

void RunSteps::complete_node(NodeKey key, const RawJson& output, int attempt) {
  RunEventData data = about(key);
  data.output = output;
  data.attempt = attempt;
  emit(ending(key, RunEventType::task_completed, RunEventType::step_completed), std::move(data));
  node_ended(key);
}

void RunSteps::fail_node(NodeKey key, const TaskError& error, int attempt) {
  const bool is_open = working_.plan().graph == nullptr;
  const bool fails_run = !is_open && !is_stopping(run()) && !working_.continues_on_error(key.index);
  RunEventData data = about(key);
  data.error = error;
  data.attempt = attempt;
  if (fails_run) data.state = RunState::failing;
  emit(ending(key, RunEventType::task_failed, RunEventType::step_failed), data);
  if (is_open) cancel_followers(key.index);
  if (fails_run) stop_all();
  node_ended(key);
}

void RunSteps::node_ended(NodeKey key) {
  if (is_code()) return end_body_wait();
  if (key.item != kNoItem) {
    const Node& whole = working_.node({.index = key.index});
    if (whole.items_left == 0 && !has_ended(whole.state)) end_whole(key.index);
    return;
  }
  for (const NodeIndex next : working_.successors(key.index)) {
    const Node& follower = working_.node({.index = next});
    if (follower.unmet == 0 && follower.state == NodeState::blocked) ready_.push_back({.index = next});
  }
}

void RunSteps::end_whole(NodeIndex index) {
  const NodeKey whole{.index = index};
  std::string output = "[";
  std::uint32_t cancelled = 0;
  std::optional<TaskError> error;
  for (const NodeKey key : working_.item_keys(index)) {
    const Node& item = working_.node(key);
    if (item.state == NodeState::cancelled) ++cancelled;
    if (item.state == NodeState::failed && !error) error = item.error;
    if (output.size() <= kPayloadBytesMax)
      output += (output.size() > 1 ? "," : "") + (item.output.empty() ? "null" : item.output.text);
  }
  output += "]";
  const bool is_too_large = output.size() > kPayloadBytesMax;
  if (error) {
    error->message =
        fmt::format("{} of {} elements did not complete, the first: {}", working_.node(whole).items_failed,
                    *working_.node(whole).items, error->message);
    fail_node(whole, *error);
  } else if (cancelled > 0) {
    emit(RunEventType::task_cancelled, about(whole));
    node_ended(whole);
  } else if (is_too_large) {
    fail_node(whole, evaluation_error("payload_too_large",
                                      fmt::format("the outputs have over {} bytes", kPayloadBytesMax)));
  } else {
    complete_node(whole, {std::move(output)});
  }
}

}  // namespace pawl::core
