// Starts and ends tasks, and starts their successors.
#include <utility>

#include <fmt/format.h>

#include "core/base/damage.hpp"
#include "core/base/limits.hpp"
#include "core/definition/condition.hpp"
#include "core/json/json_value.hpp"
#include "core/json/json_writer.hpp"
#include "core/run/run_apply.hpp"
#include "core/run/run_steps.hpp"
#include "core/task/task_type.hpp"

namespace pawl::core {

namespace {

// Smaller costs are recorded together with later ones, if there are any.
constexpr std::int64_t kNotedCost = 64LL << 10U;

std::int64_t size_of(const RawJson& json) { return static_cast<std::int64_t>(json.text.size()); }

TaskError limit_error(std::string message) {
  return {.code = "limit_exceeded", .message = std::move(message), .retryable = false};
}

// A template that refers to no element renders the same for each.
bool may_refer_to_element(std::string_view text) {
  const auto has = [text](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return has("#/item") || has("#/index") || has("\\");
}

// The bounds of #/tasks/ID/errors: the number of errors, and the bytes of each message.
constexpr std::size_t kShownErrorsMax = 1'000;
constexpr std::size_t kShownMessageBytes = 500;

std::string_view beginning_of(std::string_view message) {
  if (message.size() <= kShownMessageBytes) return message;
  std::size_t end = kShownMessageBytes;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0U) == 0x80U) --end;
  return message.substr(0, end);
}

void write_failure(Writer& out, const Node& node) {
  out.begin_object();
  if (node.key.item != kNoItem) out.field("index", std::int64_t{node.key.item});
  out.field("code", node.error ? node.error->code : std::string{to_string(node.state)});
  out.field("message", beginning_of(node.error ? std::string_view{node.error->message} : "")).end_object();
}

}  // namespace

std::int64_t RunSteps::emit(RunEventType type, RunEventData data) {
  std::vector<RunEvent>& events = decision_.events;
  const auto cause = events.empty() ? context_.caused_by : std::optional{events.front().sequence};
  RunEvent& event = events.emplace_back();  // constructed in place, since it is large
  event.sequence = run().sequence + 1;
  event.type = type;
  event.at = context_.now;
  event.data = std::move(data);
  if (undos_) event.data.undos = std::exchange(undos_, std::nullopt);
  if (cost_.rendered + cost_.scanned >= kNotedCost) event.data.cost = std::exchange(cost_, {});
  event.caused_by = cause;
  event.actor = context_.actor;
  event.trace_id = context_.trace_id;
  event.span_id = context_.span_id;
  const Applied applied = apply(working_, event);
  // A decision emits only events that apply to a run that matches its log.
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
  if (const auto deferred = run().deferred) emit(RunEventType::timer_fired, about(*deferred));
  start_first();
  for (const NodeKey key : working_.live_keys()) {
    const Node& node = working_.node(key);
    if (node.state == NodeState::blocked && node.unmet == 0) ready_.push_back(key);
    // All its elements have ended; only the node itself has not.
    if (node.state == NodeState::waiting && node.items && node.items_left == 0) end_whole(key.index);
  }
}

void RunSteps::drain() {
  for (std::size_t next = 0; next < ready_.size(); ++next) {  // the loop appends to it
    if (run().deferred && is_spent()) break;                  // start_held finds the rest again
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
    return;  // the body begins its steps
  }
  const Graph* graph = working_.plan().graph;
  if (graph == nullptr) {
    RunEventData data = about(key);
    data.node_state = NodeState::pending;
    emit(RunEventType::task_scheduled, data);
    effect(FreeTask{*node.task_id});
  } else if (key.item == kNoItem && !node.has_lead && !graph->predecessors(key.index).empty()) {
    emit(RunEventType::task_skipped, about(key));
    node_ended(key);
  } else if (is_spent()) {
    defer(key);
  } else if (key.item != kNoItem) {
    begin(key);
  } else {
    start_node(key);
  }
}

// Sets a timer that is due immediately, one for all nodes that could begin. An element uses the one of its
// for_each.
void RunSteps::defer(NodeKey key) {
  if (run().deferred) return;
  RunEventData data = about({.index = key.index});
  data.until = context_.now;
  data.is_deferral = true;
  emit(RunEventType::timer_set, data);
}

void RunSteps::go_on(const Node& node) {
  const NodeKey key = node.key;
  if (run().deferred == key) {
    if (is_spent()) return;  // the timer stays due
    wake();
    emit(RunEventType::timer_fired, about(key));
    if (can_start()) start_held();
    return;
  }
  const bool stops = is_stopping(run()) || is_closed(run().state);  // otherwise the run was retried meanwhile
  if (stops && !takes_stop(node)) return;
  emit(RunEventType::timer_fired, about(key));
  const bool is_terminated = run().error && run().error->code == "terminated";
  if (stops) stop_outside(node, is_terminated);
}

bool RunSteps::shares_run_input(NodeKey key) {
  const DefinitionTask& task = definition_of(key);
  if (task.type != NodeType::activity || !task.input.empty()) return false;
  const std::size_t least = key.item == kNoItem ? kSharedInputBytesOfOne : kSharedInputBytes;
  return run().facts.input.text.size() >= least;
}

void RunSteps::note_cost(std::int64_t rendered, std::int64_t scanned) {
  cost_.rendered += rendered;
  cost_.scanned += scanned;
  if (context_.budget == nullptr) return;
  context_.budget->rendered -= rendered;
  context_.budget->scanned -= scanned;
}

std::optional<TaskError> RunSteps::over_bounds(std::int64_t rendered) const {
  const RunBounds& bounds = context_.bounds;
  const std::int64_t all_rendered = run().cost.rendered + cost_.rendered + rendered;
  const std::int64_t all_scanned = run().cost.scanned + cost_.scanned;
  if (all_rendered > static_cast<std::int64_t>(bounds.rendered_bytes_max))
    return limit_error(
        fmt::format("its input makes {} bytes of inputs in this run, limits.run_rendered allows {}: give the "
                    "task a smaller input, or split the run",
                    all_rendered, bounds.rendered_bytes_max));
  if (all_scanned > static_cast<std::int64_t>(bounds.scanned_bytes_max))
    return limit_error(
        fmt::format("the references of this run have read {} bytes, limits.run_scanned allows {}: refer to "
                    "smaller values, or split the run",
                    all_scanned, bounds.scanned_bytes_max));
  return std::nullopt;
}

std::optional<TaskError> RunSteps::too_many(NodeIndex index, std::size_t elements) {
  const RunCounts& counts = run().counts;
  const auto count = static_cast<std::int64_t>(elements);
  const std::int64_t nodes = counts.blocked + counts.live() + counts.completed + counts.failed +
                             counts.skipped + counts.cancelled + count;
  if (nodes > kRunNodesMax)
    return limit_error(
        fmt::format("with {} elements the run has {} tasks, at most {} can be", count, nodes, kRunNodesMax));
  const RawJson& input = definition_of({.index = index}).input;
  const NodeType type = definition_of({.index = index}).type;
  const bool has_input = type != NodeType::sleep && type != NodeType::signal;
  const bool is_shared = shares_run_input({.index = index, .item = 0});
  if (count == 0 || !has_input || is_shared || may_refer_to_element(input.text)) return std::nullopt;
  const Evaluated<RawJson>& same = input_of({.index = index, .item = 0});
  return same ? over_bounds(size_of(*same) * count) : std::nullopt;
}

void RunSteps::start_node(NodeKey key) {
  const DefinitionTask& task = definition_of(key);
  if (!task.when.empty()) {
    std::size_t scanned = 0;
    const Evaluated<bool> is_wanted = holds(task.when, lookup(key), &scanned);
    note_cost(0, static_cast<std::int64_t>(scanned));
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
  std::size_t scanned = 0;
  const Evaluated<Elements> elements = render_elements(definition_of(key).for_each, lookup(key), &scanned);
  note_cost(0, static_cast<std::int64_t>(scanned));
  if (!elements) return fail_node(key, elements.problem());
  if (const auto error = too_many(key.index, elements->size())) return fail_node(key, *error);
  if (context_.budget != nullptr) context_.budget->elements -= static_cast<std::int64_t>(elements->size());
  RunEventData data = about(key);
  data.items = static_cast<std::uint32_t>(elements->size());
  data.node_state = NodeState::waiting;
  emit(RunEventType::task_scheduled, data);
  elements_.insert_or_assign(key.index, *elements);
  if (elements->empty()) return end_whole(key.index);
  for (std::size_t i = 0; i < elements->size(); ++i)
    ready_.push_back({.index = key.index, .item = static_cast<std::int32_t>(i)});
}

// Rendered again for an element that is retried: the same references give the same elements.
const RunSteps::Elements* RunSteps::elements_of_node(NodeIndex index) {
  if (const auto found = elements_.find(index); found != elements_.end()) return &found->second;
  const NodeKey key{.index = index};
  std::size_t scanned = 0;
  Evaluated<Elements> elements = render_elements(definition_of(key).for_each, lookup(key), &scanned);
  note_cost(0, static_cast<std::int64_t>(scanned));
  if (!elements) return nullptr;
  return &elements_.emplace(index, std::move(*elements)).first->second;
}

std::optional<std::string_view> RunSteps::errors_of_node(NodeIndex index) {
  const Node& whole = working_.node({.index = index});
  if (whole.state == NodeState::completed) return "[]";
  if (whole.state != NodeState::failed) return std::nullopt;
  if (const auto found = errors_.find(index); found != errors_.end()) return found->second;
  Writer out;
  out.begin_array();
  if (!whole.items) write_failure(out, whole);
  std::size_t count = 0;
  const std::vector<NodeKey> keys = whole.items ? working_.item_keys(index) : std::vector<NodeKey>{};
  for (const NodeKey key : keys) {
    const Node& item = working_.node(key);
    if (item.state == NodeState::completed || ++count > kShownErrorsMax) continue;
    write_failure(out, item);
  }
  out.end_array();
  return errors_.emplace(index, out.take()).first->second;
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
    if (reference.root == Reference::Root::errors) return errors_of_node(*index);
    const Node& node = working_.node({.index = *index});
    // With on_error: continue, a failed for_each has the outputs of its completed elements.
    if (node.state == NodeState::failed && !node.output.empty()) return node.output.text;
    if (node.state != NodeState::completed) return std::nullopt;
    return node.output.empty() ? kNull : node.output.text;
  };
}

const Evaluated<RawJson>& RunSteps::input_of(NodeKey key) {
  const RawJson& input = definition_of(key).input;
  if (key.item == kNoItem || may_refer_to_element(input.text)) return input_.emplace(evaluate(input, key));
  const auto known = inputs_.find(key.index);
  if (known != inputs_.end()) return known->second;
  return inputs_.emplace(key.index, evaluate(input, key)).first->second;
}

Evaluated<RawJson> RunSteps::evaluate(const RawJson& input, NodeKey key) {
  if (input.empty()) return run().facts.input;
  const Lookup values = lookup(key);
  Resolver resolver{values};
  Evaluated<RawJson> rendered = render(input.text, resolver);
  note_cost(0, static_cast<std::int64_t>(resolver.bytes_read()));
  return rendered;
}

void RunSteps::begin(NodeKey key) {
  const DefinitionTask& task = definition_of(key);
  if (context_.budget != nullptr) --context_.budget->begun;
  if (task.type == NodeType::sleep || task.type == NodeType::signal) return begin_wait(key);
  const bool is_child = task.type == NodeType::workflow;
  if (const auto error = is_child ? too_deep() : std::nullopt) return fail_node(key, *error);
  const Evaluated<RawJson>& input = input_of(key);
  if (!input) return fail_node(key, input.problem());
  const std::int64_t copied = shares_run_input(key) ? 0 : size_of(*input);
  if (const auto error = over_bounds(copied)) return fail_node(key, *error);
  note_cost(copied, 0);
  if (is_child) return start_child(key, *input);
  schedule(key, task.activity, *input);
}

// Fills in the defaults of the task's type, if it is declared, and checks the payload against it.
Status RunSteps::fit_to_type(TaskSpec& spec, const RawJson& payload) {
  const auto type = context_.declared_type ? context_.declared_type(spec.type) : nullptr;
  if (type == nullptr) return Done{};
  note_cost(0, size_of(payload));
  fill_in(type->type, spec);
  return type->check_payload(payload);
}

TaskError RunSteps::unfit(const Problem& problem) {
  return {.code = std::string{kind_of(problem.code).name}, .message = problem.detail, .retryable = false};
}

void RunSteps::schedule(NodeKey key, const std::string& activity, const RawJson& input) {
  const DefinitionTask& task = definition_of(key);
  const bool is_shared = shares_run_input(key);
  EnqueueNode enqueue{.task_id = TaskId{context_.next_id()},
                      .node = key,
                      .node_id = working_.node_id(key),
                      .spec = {.type = activity,
                               .payload = is_shared ? RawJson{} : input,
                               .takes_run_input = is_shared,
                               .queue = task.queue.value_or(run().facts.queue),
                               .priority = task.priority.value_or(run().facts.priority),
                               .retry = task.retry.value_or(RetryPolicy{}),
                               .timeout = task.timeout,
                               .labels = task.labels,
                               .given = {.queue = task.queue.has_value(),
                                         .priority = task.priority.has_value(),
                                         .retry = task.retry.has_value()}},
                      .attempts_used = working_.node(key).attempt};
  // A compensation gets the output of the task that it undoes, even if its type does not accept it.
  const Status fits = fit_to_type(enqueue.spec, input);
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

void RunSteps::fail_node(NodeKey key, const TaskError& error, int attempt, const RawJson& output) {
  const bool is_open = working_.plan().graph == nullptr;
  const bool fails_run = !is_open && !is_stopping(run()) && !working_.continues_on_error(key.index);
  RunEventData data = about(key);
  data.error = error;
  data.attempt = attempt;
  data.output = output;
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
  const bool is_too_deep = !is_too_large && depth_of(output) > kJsonDepthMax;
  const bool is_kept = !is_too_large && !is_too_deep && working_.continues_on_error(index);
  if (error) {
    error->message =
        fmt::format("{} of {} elements did not complete, the first: {}", working_.node(whole).items_failed,
                    *working_.node(whole).items, error->message);
    fail_node(whole, *error, 0, is_kept ? RawJson{std::move(output)} : RawJson{});
  } else if (cancelled > 0) {
    emit(RunEventType::task_cancelled, about(whole));
    node_ended(whole);
  } else if (is_too_large) {
    fail_node(whole, evaluation_error("payload_too_large",
                                      fmt::format("the outputs have over {} bytes", kPayloadBytesMax)));
  } else if (is_too_deep) {
    fail_node(whole, evaluation_error(kInvalidValue,
                                      fmt::format("the outputs are nested deeper than {}", kJsonDepthMax)));
  } else {
    complete_node(whole, {std::move(output)});
  }
}

}  // namespace pawl::core
