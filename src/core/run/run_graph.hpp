#pragma once
// A run as a graph to draw: one node for each task of its definition, of an open run, or for each step of a
// code run. The elements of a for_each are one node.

#include <optional>
#include <string>
#include <vector>

#include "core/api/run_api.hpp"

namespace pawl::core {

struct RunGraphNode {
  std::string id = {};
  NodeType type = NodeType::activity;
  NodeState state = NodeState::blocked;
  std::optional<TaskId> task_id = {};
  int attempt = 0;

  bool operator==(const RunGraphNode&) const = default;
};
struct RunGraphEdge {
  std::string from = {};
  std::string to = {};

  bool operator==(const RunGraphEdge&) const = default;
};
struct RunGraph {
  std::vector<RunGraphNode> nodes = {};
  std::vector<RunGraphEdge> edges = {};  // from predecessor to successor; compensations have none
};

[[nodiscard]] RunGraph graph_of(const RunView& view);
[[nodiscard]] std::string run_mermaid_text(const RunView& view);
[[nodiscard]] std::string run_dot_text(const RunView& view);

}  // namespace pawl::core
