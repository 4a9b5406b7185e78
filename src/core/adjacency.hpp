#pragma once
// A directed graph as numbers: nodes 0 to size-1 and, for each, the nodes that its edges lead to, in the
// order in which the edges were given. All that is asked of it costs time in proportion to nodes and edges,
// and no stack.

#include <cstdint>
#include <span>
#include <vector>

namespace pawl::core {

using NodeIndex = std::uint32_t;

struct Edge {
  NodeIndex from = 0;
  NodeIndex to = 0;

  bool operator==(const Edge&) const = default;
};

class Adjacency {
 public:
  Adjacency(std::size_t size, std::span<const Edge> edges);

  [[nodiscard]] std::size_t size() const { return starts_.size() - 1; }
  [[nodiscard]] std::span<const NodeIndex> successors(NodeIndex node) const {
    return std::span{targets_}.subspan(starts_[node], starts_[node + 1] - starts_[node]);
  }

 private:
  std::vector<std::uint32_t> starts_;  // where the targets of each node begin; one more at the end
  std::vector<NodeIndex> targets_;
};

[[nodiscard]] std::vector<Edge> reversed(std::span<const Edge> edges);

// Every node after all that lead to it; among those that could come next the one that was free first, at the
// start the lowest. Nodes on a cycle, and behind one, are missing.
[[nodiscard]] std::vector<NodeIndex> topological_order(const Adjacency& graph);

// The nodes of one cycle in the direction of its edges, beginning with its lowest; empty if there is none.
[[nodiscard]] std::vector<NodeIndex> find_cycle(const Adjacency& graph);

}  // namespace pawl::core
