// Order and cycles of random graphs, compared with a naive model that searches from every node.
#include "core/definition/adjacency.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/env.hpp"

namespace pawl::core {
namespace {

struct RandomGraph {
  std::size_t size;
  std::vector<Edge> edges;
};

RandomGraph random_graph(testing::SeededRandom& random) {
  RandomGraph graph{.size = 1 + static_cast<std::size_t>(random.below(12)), .edges = {}};
  const auto edges = random.below(2 * graph.size + 1);
  const bool is_forward = random.chance(0.5);  // acyclic by construction in half of the rounds
  for (std::uint64_t i = 0; i < edges; ++i) {
    auto from = static_cast<NodeIndex>(random.below(graph.size));
    auto to = static_cast<NodeIndex>(random.below(graph.size));
    if (is_forward && from == to) continue;
    if (is_forward && from > to) std::swap(from, to);
    graph.edges.push_back({.from = from, .to = to});
  }
  return graph;
}

// Warshall's algorithm: which nodes are reachable from which.
std::vector<std::vector<bool>> reachable(const RandomGraph& graph) {
  std::vector<std::vector<bool>> reach(graph.size, std::vector<bool>(graph.size, false));
  for (const Edge& edge : graph.edges) reach[edge.from][edge.to] = true;
  for (std::size_t k = 0; k < graph.size; ++k) {
    for (std::size_t i = 0; i < graph.size; ++i) {
      for (std::size_t j = 0; j < graph.size; ++j) reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
    }
  }
  return reach;
}

bool has_edge(const RandomGraph& graph, NodeIndex from, NodeIndex to) {
  return std::find(graph.edges.begin(), graph.edges.end(), Edge{.from = from, .to = to}) != graph.edges.end();
}

TEST(Adjacency, KeepsTheOrderOfEdges) {
  const std::vector<Edge> edges{{2, 1}, {0, 2}, {0, 1}, {0, 2}};
  const Adjacency graph{4, edges};
  EXPECT_TRUE(std::ranges::equal(graph.successors(0), std::vector<NodeIndex>{2, 1, 2}));
  EXPECT_TRUE(graph.successors(1).empty());
  EXPECT_TRUE(std::ranges::equal(graph.successors(2), std::vector<NodeIndex>{1}));
  EXPECT_TRUE(graph.successors(3).empty());
}

TEST(Cycle, AgreesWithANaiveSearch) {
  testing::SeededRandom random{20260206};
  int with_cycle = 0;
  for (int round = 0; round < 20'000; ++round) {
    const RandomGraph graph = random_graph(random);
    const auto reach = reachable(graph);
    bool expected = false;
    for (std::size_t i = 0; i < graph.size; ++i) expected = expected || reach[i][i];

    const std::vector<NodeIndex> cycle = find_cycle(Adjacency{graph.size, graph.edges});
    ASSERT_EQ(!cycle.empty(), expected) << "round " << round;
    with_cycle += expected ? 1 : 0;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      ASSERT_TRUE(has_edge(graph, cycle[i], cycle[(i + 1) % cycle.size()])) << "round " << round;
      ASSERT_GE(cycle[i], cycle.front()) << "it begins with its lowest";
      ASSERT_EQ(std::count(cycle.begin(), cycle.end(), cycle[i]), 1);
    }
  }
  EXPECT_GT(with_cycle, 1'000);
  EXPECT_LT(with_cycle, 19'000);
}

TEST(Order, PutsEveryNodeAfterItsPredecessors) {
  testing::SeededRandom random{20260207};
  for (int round = 0; round < 5'000; ++round) {
    const RandomGraph graph = random_graph(random);
    const auto reach = reachable(graph);
    const std::vector<NodeIndex> order = topological_order(Adjacency{graph.size, graph.edges});
    for (NodeIndex node = 0; node < graph.size; ++node) {
      bool is_behind_a_cycle = false;
      for (std::size_t i = 0; i < graph.size; ++i)
        is_behind_a_cycle = is_behind_a_cycle || (reach[i][i] && (i == node || reach[i][node]));
      ASSERT_EQ(std::count(order.begin(), order.end(), node), is_behind_a_cycle ? 0 : 1) << "round " << round;
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        ASSERT_FALSE(has_edge(graph, order[i], order[j])) << "round " << round;
    }
  }
}

TEST(Order, OfAChainOfAMillionNodesUsesNoRecursion) {
  constexpr std::size_t kSize = 1'000'000;
  std::vector<Edge> edges;
  for (NodeIndex i = 1; i < kSize; ++i) edges.push_back({.from = i - 1, .to = i});
  EXPECT_EQ(topological_order(Adjacency{kSize, edges}).size(), kSize);
  edges.push_back({.from = kSize - 1, .to = 0});
  EXPECT_EQ(find_cycle(Adjacency{kSize, edges}).size(), kSize);
}

}  // namespace
}  // namespace pawl::core
