#include "core/definition/adjacency.hpp"

#include <algorithm>

namespace pawl::core {

namespace {

constexpr NodeIndex kNone = static_cast<NodeIndex>(-1);

std::vector<std::uint32_t> in_degrees(const Adjacency& graph) {
  std::vector<std::uint32_t> degrees(graph.size(), 0);
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    for (const NodeIndex next : graph.successors(node)) ++degrees[next];
  }
  return degrees;
}

// For each node missing from `order`, one of its predecessors that is missing too; kNone for the other nodes.
std::vector<NodeIndex> stuck_predecessors(const Adjacency& graph, const std::vector<NodeIndex>& order) {
  std::vector<bool> is_reached(graph.size(), false);
  for (const NodeIndex node : order) is_reached[node] = true;
  std::vector<NodeIndex> predecessors(graph.size(), kNone);
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    if (is_reached[node]) continue;
    for (const NodeIndex next : graph.successors(node)) predecessors[next] = node;
  }
  return predecessors;
}

}  // namespace

// Counting sort by source node; it is stable, so each node's edges keep their order.
Adjacency::Adjacency(std::size_t size, std::span<const Edge> edges)
    : starts_(size + 1, 0), targets_(edges.size()) {
  for (const Edge& edge : edges) ++starts_[edge.from + 1];
  for (std::size_t i = 1; i <= size; ++i) starts_[i] += starts_[i - 1];
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (const Edge& edge : edges) targets_[next[edge.from]++] = edge.to;
}

std::vector<Edge> reversed(std::span<const Edge> edges) {
  std::vector<Edge> turned;
  turned.reserve(edges.size());
  for (const Edge& edge : edges) turned.push_back({.from = edge.to, .to = edge.from});
  return turned;
}

std::vector<NodeIndex> topological_order(const Adjacency& graph) {
  std::vector<std::uint32_t> unmet = in_degrees(graph);
  std::vector<NodeIndex> order;
  order.reserve(graph.size());
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    if (unmet[node] == 0) order.push_back(node);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const NodeIndex next : graph.successors(order[i])) {
      if (--unmet[next] == 0) order.push_back(next);
    }
  }
  return order;
}

std::vector<NodeIndex> find_cycle(const Adjacency& graph) {
  const std::vector<NodeIndex> order = topological_order(graph);
  if (order.size() == graph.size()) return {};
  const std::vector<NodeIndex> predecessors = stuck_predecessors(graph, order);
  NodeIndex node = 0;
  while (predecessors[node] == kNone) ++node;
  // After as many steps back as there are nodes, the walk is on a cycle, wherever it began.
  for (std::size_t i = 0; i < graph.size(); ++i) node = predecessors[node];
  std::vector<NodeIndex> cycle{node};
  for (NodeIndex back = predecessors[node]; back != node; back = predecessors[back]) cycle.push_back(back);
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

}  // namespace pawl::core
