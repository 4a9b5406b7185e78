#include "core/run/node_page.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

Node node_at(NodeIndex index, std::size_t bytes = 1) {
  Node node;
  node.key = {.index = index};
  node.output = {std::string(bytes, '1')};
  return node;
}

std::vector<NodeIndex> indexes_of(const NodeSlice& slice) {
  std::vector<NodeIndex> indexes;
  for (const Node& node : slice.nodes) indexes.push_back(node.key.index);
  return indexes;
}

using Indexes = std::vector<NodeIndex>;

TEST(NodePages, AreCutAtTheirNumberOfNodes) {
  NodeSlice slice{.nodes = {node_at(1), node_at(2), node_at(3)}};
  cut(slice, {.nodes = 2});
  EXPECT_EQ(indexes_of(slice), (Indexes{1, 2}));
  EXPECT_EQ(slice.next, NodeKey{.index = 3});
}

TEST(NodePages, AreCutAtTheirBytesButHaveAtLeastOneNode) {
  NodeSlice slice{.nodes = {node_at(1, 100), node_at(2, 1)}};
  cut(slice, {.bytes = 50});
  EXPECT_EQ(indexes_of(slice), Indexes{1});
  EXPECT_EQ(slice.next, NodeKey{.index = 2});
}

TEST(NodePages, EndWithoutANextKey) {
  NodeSlice slice{.nodes = {node_at(1), node_at(2)}};
  cut(slice, {.from = {.index = 2}});
  EXPECT_EQ(indexes_of(slice), Indexes{2});
  EXPECT_FALSE(slice.next);
}

TEST(NodePages, IncludeChangedNodesInTheirRange) {
  NodeSlice slice{.nodes = {node_at(1), node_at(3)}, .next = NodeKey{.index = 5}};
  const Node before = node_at(0);
  const Node between = node_at(2);
  const Node changed = node_at(3, 7);
  const Node at_next = node_at(5);
  overlay(slice, std::vector<const Node*>{&before, &between, &changed, &at_next});
  EXPECT_EQ(indexes_of(slice), (Indexes{0, 1, 2, 3}));
  EXPECT_EQ(slice.nodes.back().output.text.size(), 7U);
}

TEST(NodePages, HaveCursorsThatRoundTrip) {
  for (const NodeKey key : {NodeKey{}, NodeKey{.index = 0x7ffffffe}, NodeKey{.index = 7, .item = 3}})
    EXPECT_EQ(key_from_cursor(cursor_of(key)), key);
  for (const char* text : {"", ".", "1", "1.", ".1", "x.1", "1.x", "1.1.1", "-1.1", "4294967296.0"})
    EXPECT_FALSE(key_from_cursor(text)) << text;
}

TEST(NodePages, ShrinkWithTheNumberOfBodiesInAClaim) {
  EXPECT_EQ(claim_page(1, true).nodes, kMemoPageNodes);
  EXPECT_EQ(claim_page(100, true).nodes, kClaimMemoNodesMax / 100);
  EXPECT_EQ(claim_page(1'000, true).nodes, kMemoPageNodesMin);
  EXPECT_EQ(claim_page(1'000, true).bytes, kMemoPageBytesMin);
  EXPECT_EQ(claim_page(1, false).nodes, kMemoNodesMax);
}

}  // namespace
}  // namespace pawl::core
