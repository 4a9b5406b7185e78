#pragma once
// A directed graph over the node indexes 0 to size-1. Each node's successors keep the order in which the
// edges were given. Every function here takes time linear in nodes and edges and does not recurse.

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
  std::vector<std::uint32_t> starts_;  // where each node's targets begin, plus one end offset
  std::vector<NodeIndex> targets_;
};

[[nodiscard]] std::vector<Edge> reversed(std::span<const Edge> edges);

// Topological order (Kahn's algorithm): free nodes are visited first in, first out, initially by ascending
// index. Nodes on a cycle, and nodes behind one, are missing.
[[nodiscard]] std::vector<NodeIndex> topological_order(const Adjacency& graph);

// The nodes of one cycle in the direction of its edges, beginning with its lowest; empty if there is none.
[[nodiscard]] std::vector<NodeIndex> find_cycle(const Adjacency& graph);

}  // namespace pawl::core
