#include "tests/core/run_harness.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

namespace pawl::testing {

using namespace core;

namespace {

Definition parsed(const std::string& tasks, const std::string& more) {
  auto definition = parse_definition(fmt::format(R"({{"name":"x","tasks":[{}]{}}})", tasks, more));
  if (!definition) throw std::runtime_error(definition.problem().detail);
  return *definition;
}

}  // namespace

RunHarness::RunHarness(const std::string& tasks, const std::string& more) : RunHarness(parsed(tasks, more)) {}
RunHarness::RunHarness(Definition definition) : definition_(std::move(definition)), graph_(definition_) {}

RunPlan RunHarness::plan() const {
  if (is_open_) return {};
  return {.definition = &definition_, .graph = &*graph_};
}

RunContext RunHarness::context() {
  if (page_) budget_ = *page_;
  return {.now = clock.now(),
          .next_id = [this] { return ids_.next(clock.now()); },
          .bounds = bounds_,
          .budget = page_ ? &budget_ : nullptr};
}

RunFacts RunHarness::facts() {
  RunFacts facts{.id = RunId{ids_.next(clock.now())}, .ns = "default", .workflow = "x", .version = 1};
  facts.kind = is_open_ ? RunKind::open : RunKind::graph;
  facts.auto_complete = auto_complete_;
  facts.on_failure = definition_.on_failure;
  facts.parent = RunParent{.run_id = RunId{ids_.next(clock.now())}, .node = {.index = 3}, .node_id = "up"};
  facts.depth = depth_;
  if (definition_.deadline) facts.deadline_at = clock.now() + *definition_.deadline;
  return facts;
}

void RunHarness::start(const std::string& input) {
  WorkingRun working{plan()};
  RunFacts asked = facts();
  asked.input = {input};
  take(working, start_run(working, asked, context()));
}

Status RunHarness::act(RunAction action, std::optional<std::int64_t> expected_sequence) {
  return act_with({.action = action, .expected_sequence = expected_sequence});
}

Status RunHarness::skip(const std::optional<std::string>& step) {
  return act_with({.action = RunAction::skip, .step = step});
}

Status RunHarness::act_with(const RunActionAsked& asked) {
  WorkingRun working{plan(), run_, this};
  auto decision = decide_action(working, asked, context());
  if (!decision) return decision.problem();
  take(working, std::move(*decision));
  return Done{};
}

Status RunHarness::signal(const std::string& name, const std::string& payload,
                          const std::optional<std::string>& key) {
  WorkingRun working{plan(), run_, this};
  auto decision =
      decide_signal(working, {.name = name, .payload = {payload}, .idempotency_key = key}, context());
  if (!decision) return decision.problem();
  take(working, std::move(*decision));
  return Done{};
}

Result<RunHarness*> RunHarness::rewind(const std::string& to) {
  fork_ = std::make_unique<RunHarness>(definition_);
  WorkingRun source{plan(), run_, this};
  WorkingRun working{fork_->plan()};
  RunFacts asked = facts();
  asked.input = run_.facts.input;
  asked.rewound_from = run_.facts.id;
  auto decision = rewind_run(source, to, working, asked, context());
  if (!decision) return decision.problem();
  EXPECT_TRUE(source.changed_nodes().empty());
  fork_->take(working, std::move(*decision));
  return fork_.get();
}

Result<std::string> RunHarness::add(const std::vector<std::string>& after) {
  WorkingRun working{plan(), run_, this};
  const TaskId id{ids_.next(clock.now())};
  TaskAdded task{.task_id = id};
  for (const std::string& one : after) task.after.emplace_back(*parse_uuid(one));
  auto added = add_task(working, task, context());
  if (!added) return added.problem();
  HeldTask& made = tasks_[to_string(id)];
  made.made.task_id = id;
  made.made.node = added->node;
  made.made.node_id = to_string(id);
  made.is_held = added->state == NodeState::blocked;
  take(working, std::move(added->decision));
  return to_string(id);
}

std::vector<std::string> RunHarness::claimable() const {
  std::vector<std::pair<NodeKey, std::string>> found;
  for (const auto& [name, task] : tasks_) {
    if (!task.is_leased && !task.is_held) found.emplace_back(task.made.node, name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (const auto& [key, name] : found) names.push_back(name);
  return names;
}

void RunHarness::tell(const std::string& name, TaskOutcomeKind kind, AttemptOutcome cause,
                      const std::string& output, std::optional<TaskError> error) {
  const HeldTask task = tasks_.at(name);
  if (kind != TaskOutcomeKind::started && kind != TaskOutcomeKind::retrying) tasks_.erase(name);
  report_late({.node = task.made.node,
               .task_id = task.made.task_id,
               .kind = kind,
               .cause = cause,
               .attempt = task.attempt,
               .worker_id = "w",
               .output = {output},
               .error = std::move(error)});
}

void RunHarness::report_late(const TaskOutcome& outcome) {
  WorkingRun working{plan(), run_, this};
  take(working, decide_task(working, outcome, context()));
}

void RunHarness::claim(const std::string& name) {
  HeldTask& task = tasks_.at(name);
  if (task.is_leased) return;
  ASSERT_FALSE(task.is_held) << name;
  if (task.attempt == 0) task.attempt = task.made.attempts_used;
  ++task.attempt;
  task.is_leased = true;
  tell(name, TaskOutcomeKind::started, AttemptOutcome::completed, "", {});
}

void RunHarness::complete(const std::string& name, const std::string& output) {
  claim(name);
  tell(name, TaskOutcomeKind::completed, AttemptOutcome::completed, output, {});
}

void RunHarness::fail(const std::string& name, const std::string& code) {
  claim(name);
  const bool is_stopped = task(name).is_stop_requested;
  tell(name, is_stopped ? TaskOutcomeKind::cancelled : TaskOutcomeKind::failed, AttemptOutcome::failed, "",
       TaskError{.code = code, .message = "it went wrong"});
}

void RunHarness::lose(const std::string& name) {
  claim(name);
  if (task(name).is_stop_requested) return stop(name);
  tasks_.at(name).is_leased = false;
  tell(name, TaskOutcomeKind::retrying, AttemptOutcome::lease_expired, "", {});
}

void RunHarness::stop(const std::string& name) {
  tell(name, TaskOutcomeKind::cancelled, AttemptOutcome::cancelled, "", {});
}

void RunHarness::finish_child(const std::string& name, RunState state, const std::string& output) {
  const StartChild child = children_.at(name);
  children_.erase(name);
  ChildOutcome outcome{.child_id = child.child_id, .node = child.node, .state = state};
  if (state == RunState::completed) outcome.output = {output};
  if (state == RunState::failed) outcome.error = TaskError{.code = "below", .message = "a child's error"};
  WorkingRun working{plan(), run_, this};
  take(working, decide_child(working, outcome, context()));
}

void RunHarness::report_child(const ChildOutcome& outcome) {
  WorkingRun working{plan(), run_, this};
  take(working, decide_child(working, outcome, context()));
}
void RunHarness::fire(const std::string& name) {
  WorkingRun working{plan(), run_, this};
  take(working, decide_timer(working, key_of(name), context()));
}
void RunHarness::advance(Duration by) {
  clock.advance(by);
  for (bool has_fired = true; has_fired;) {
    has_fired = false;
    for (const Node& one : earliest_timers(1)) {
      if (*one.timer_at > clock.now()) break;
      WorkingRun working{plan(), run_, this};
      take(working, decide_timer(working, one.key, context()));
      has_fired = true;
    }
  }
  WorkingRun working{plan(), run_, this};
  take(working, decide_deadline(working, context()));
}

void RunHarness::take(WorkingRun& working, RunDecision decision) {
  run_ = working.run();
  for (const Node* one : working.changed_nodes()) nodes_[one->key] = *one;
  for (const Signal* one : working.changed_signals()) signals_[one->sequence] = *one;
  for (RunEvent& event : decision.events) events_.push_back(std::move(event));
  verify();
  for (const RunEffect& effect : decision.effects) do_effect(effect);
}

void RunHarness::do_effect(const RunEffect& effect) {
  if (const auto* made = std::get_if<EnqueueNode>(&effect)) {
    ASSERT_FALSE(tasks_.contains(made->node_id)) << "one task a node at a time";
    tasks_[made->node_id].made = *made;
  } else if (const auto* stopped = std::get_if<StopTask>(&effect)) {
    stop_task(*stopped);
  } else if (const auto* held = std::get_if<HoldTask>(&effect)) {
    if (HeldTask* one = find(held->task_id)) one->is_held = !one->is_leased;
  } else if (const auto* freed = std::get_if<FreeTask>(&effect)) {
    if (HeldTask* one = find(freed->task_id)) one->is_held = false;
  } else if (const auto* revived = std::get_if<ReviveTask>(&effect)) {
    const std::string name = to_string(revived->task_id);
    ASSERT_FALSE(tasks_.contains(name)) << "only what has ended is revived";
    tasks_[name] = {.made = {.task_id = revived->task_id, .node = key_of(name), .node_id = name},
                    .is_held = true};
  } else if (const auto* child = std::get_if<StartChild>(&effect)) {
    children_[child->node_id] = *child;
  } else if (const auto* ended = std::get_if<StopChild>(&effect)) {
    for (const auto& [name, one] : children_) {
      if (one.child_id == ended->child_id) stopped_children_.push_back(name);
    }
  } else if (const auto* parent = std::get_if<TellParent>(&effect)) {
    parent_outcomes_.push_back(parent->outcome);
  }
}

void RunHarness::stop_task(const StopTask& stop_asked) {
  HeldTask* one = find(stop_asked.task_id);
  if (one == nullptr) return;
  one->is_stop_requested = true;
  if (!one->is_leased || stop_asked.is_forced) stop(one->made.node_id);
}

RunHarness::HeldTask* RunHarness::find(const TaskId& id) {
  for (auto& [name, one] : tasks_) {
    if (one.made.task_id == id) return &one;
  }
  return nullptr;
}

// I19 and I20: the log has no gap, and replaying it gives the stored run.
void RunHarness::verify() const {
  if (!replays_) return;
  std::vector<RunEvent> log = events_;
  for (std::size_t i = 0; i < log.size(); ++i) {
    ASSERT_EQ(log[i].sequence, static_cast<std::int64_t>(i) + 1);
    const RawJson payload = payload_of(log[i].data);
    ASSERT_EQ(json_error(payload.text), std::nullopt) << payload.text;
    auto data = parse_payload(payload.text);
    ASSERT_TRUE(data) << payload.text << data.problem().detail;
    ASSERT_EQ(*data, log[i].data) << payload.text;
    log[i].data = std::move(*data);
  }
  const auto replayed = replay(log, plan());
  ASSERT_TRUE(replayed) << replayed.problem();
  ASSERT_EQ(replayed->run, run_);
  std::vector<Node> stored;
  for (const auto& [key, one] : nodes_) stored.push_back(one);
  ASSERT_EQ(replayed->nodes, stored);
  std::vector<Signal> kept;
  for (const auto& [sequence, one] : signals_) kept.push_back(one);
  ASSERT_EQ(replayed->signals, kept);
}

NodeKey RunHarness::key_of(const std::string& name) const {
  for (const auto& [key, one] : nodes_) {
    if (one.task_id && to_string(*one.task_id) == name) return key;
  }
  const auto bracket = name.find('[');
  NodeKey key{.index = graph_->find(name.substr(0, bracket)).value()};
  if (bracket != std::string::npos) key.item = std::stoi(name.substr(bracket + 1));
  return key;
}

Node RunHarness::node_of(const std::string& name) {
  const NodeKey key = key_of(name);
  const auto found = nodes_.find(key);
  return found == nodes_.end() ? first_node(*graph_, key) : found->second;
}

NodeState RunHarness::state_of(const std::string& name) { return shown_state(run_, node_of(name)); }

std::vector<std::string> RunHarness::event_names() const {
  std::vector<std::string> names;
  for (const RunEvent& event : events_) names.emplace_back(to_string(event.type));
  return names;
}

std::vector<std::string> RunHarness::nodes_of(RunEventType type) const {
  std::vector<std::string> ids;
  for (const RunEvent& event : events_) {
    if (event.type == type) ids.push_back(event.data.node_id);
  }
  return ids;
}

std::optional<Node> RunHarness::node(NodeKey key) {
  ++nodes_asked_;
  const auto found = nodes_.find(key);
  return found == nodes_.end() ? std::nullopt : std::optional{found->second};
}

std::vector<Node> RunHarness::nodes() {
  std::vector<Node> all;
  for (const auto& [key, one] : nodes_) all.push_back(one);
  nodes_asked_ += all.size();
  return all;
}

std::vector<Node> RunHarness::items(NodeIndex index) {
  std::vector<Node> found;
  for (const auto& [key, one] : nodes_) {
    if (key.index == index && key.item != kNoItem) found.push_back(one);
  }
  nodes_asked_ += found.size();
  return found;
}

std::vector<Node> RunHarness::earliest_timers(std::size_t count) {
  std::vector<Node> found;
  for (const auto& [key, one] : nodes_) {
    if (one.timer_at) found.push_back(one);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Node& a, const Node& b) { return *a.timer_at < *b.timer_at; });
  if (found.size() > count) found.resize(count);
  nodes_asked_ += found.size();
  return found;
}

std::optional<Node> RunHarness::node_of(const TaskId& task) {
  for (const auto& [key, one] : nodes_) {
    if (one.task_id == task) return one;
  }
  return std::nullopt;
}

std::vector<Signal> RunHarness::unread_signals(const std::string& name, std::size_t count) {
  std::vector<Signal> found;
  for (const auto& [sequence, one] : signals_) {
    if (one.name == name && !one.consumed_by && found.size() < count) found.push_back(one);
  }
  return found;
}

bool RunHarness::has_signal(const std::string& idempotency_key) {
  return std::any_of(signals_.begin(), signals_.end(),
                     [&](const auto& one) { return one.second.idempotency_key == idempotency_key; });
}

}  // namespace pawl::testing
