#include "core/run/run_graph.hpp"

#include <algorithm>

#include "core/definition/graph_text.hpp"

namespace pawl::core {

namespace {

NodeType type_of(const Node& step) {
  switch (step.kind.value_or(StepKind::function)) {
    case StepKind::sleep: return NodeType::sleep;
    case StepKind::signal: return NodeType::signal;
    case StepKind::child: return NodeType::workflow;
    case StepKind::compensation: return NodeType::compensation;
    default: return NodeType::activity;
  }
}

// For a code run: the body, then its steps in the order in which they reached their current state.
std::vector<const Node*> steps_in_order(const RunView& view) {
  std::vector<const Node*> steps;
  for (const Node& node : view.nodes) steps.push_back(&node);
  std::sort(steps.begin(), steps.end(), [](const Node* a, const Node* b) {
    const bool is_first = a->key == kBodyKey;
    return is_first != (b->key == kBodyKey) ? is_first : a->since < b->since;
  });
  return steps;
}

Definition plan_of_code(const RunView& view) {
  Definition plan{.name = view.run.facts.workflow};
  for (const Node* node : steps_in_order(view)) {
    const bool is_body = node->key == kBodyKey;
    DefinitionTask task{.id = is_body ? "body" : node->name, .type = type_of(*node)};
    if (!is_body && task.type != NodeType::compensation) task.after.emplace_back("body");
    plan.tasks.push_back(std::move(task));
  }
  return plan;
}

// An open run has no definition; an equivalent one is built from its tasks.
Definition plan_of(const RunView& view) {
  if (view.definition) return *view.definition;
  if (view.run.facts.kind == RunKind::code) return plan_of_code(view);
  Definition plan{.name = view.run.facts.workflow};
  for (const Node& node : view.nodes)
    plan.tasks.push_back({.id = node.task_id ? to_string(*node.task_id) : std::to_string(node.key.index)});
  for (const Node& node : view.nodes) {
    for (const NodeIndex next : node.followers)
      plan.tasks.at(next).after.push_back(plan.tasks.at(node.key.index).id);
  }
  return plan;
}

// The combined state of the elements, for a node without a state of its own: the compensation of a for_each.
NodeState state_of_elements(const Run& run, const std::vector<const Node*>& elements) {
  const auto any = [&](NodeState state) {
    return std::any_of(elements.begin(), elements.end(),
                       [&](const Node* node) { return shown_state(run, *node) == state; });
  };
  for (const NodeState state : {NodeState::failed, NodeState::running, NodeState::pending, NodeState::blocked,
                                NodeState::cancelled}) {
    if (any(state)) return state;
  }
  return NodeState::completed;
}

void show(const RunView& view, const Node& node, RunGraphNode& shown) {
  shown.state = shown_state(view.run, node);
  shown.task_id = node.task_id;
  shown.attempt = node.attempt;
}

std::vector<RunGraphNode> nodes_of(const RunView& view, const Definition& plan) {
  std::vector<RunGraphNode> nodes;
  for (const DefinitionTask& task : plan.tasks) nodes.push_back({.id = task.id, .type = task.type});
  if (view.run.facts.kind == RunKind::code) {
    const std::vector<const Node*> steps = steps_in_order(view);
    for (std::size_t i = 0; i < steps.size(); ++i) show(view, *steps[i], nodes[i]);
    return nodes;
  }
  std::vector<std::vector<const Node*>> elements(nodes.size());
  for (const Node& node : view.nodes) {
    if (node.key.index >= nodes.size()) continue;
    if (node.key.item != kNoItem) {
      elements[node.key.index].push_back(&node);
      continue;
    }
    show(view, node, nodes[node.key.index]);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].type == NodeType::compensation && !elements[i].empty())
      nodes[i].state = state_of_elements(view.run, elements[i]);
  }
  return nodes;
}

std::vector<std::string> state_names(const RunView& view, const Definition& plan) {
  std::vector<std::string> names;
  for (const RunGraphNode& node : nodes_of(view, plan)) names.emplace_back(to_string(node.state));
  return names;
}

}  // namespace

RunGraph graph_of(const RunView& view) {
  const Definition plan = plan_of(view);
  RunGraph graph{.nodes = nodes_of(view, plan)};
  for (const DefinitionTask& task : plan.tasks) {
    for (const std::string& before : task.after) graph.edges.push_back({.from = before, .to = task.id});
  }
  return graph;
}

std::string run_mermaid_text(const RunView& view) {
  const Definition plan = plan_of(view);
  return mermaid_text(plan, state_names(view, plan));
}

std::string run_dot_text(const RunView& view) {
  const Definition plan = plan_of(view);
  return dot_text(plan, state_names(view, plan));
}

}  // namespace pawl::core
