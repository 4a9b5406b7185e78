// A definition in its indexed form.
#include "core/definition/graph.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/core/definitions.hpp"

namespace pawl::core {
namespace {

using Nodes = std::vector<NodeIndex>;

TEST(Graph, OfTheExampleOrderHasDenseIndexes) {
  const auto parsed = parse_definition(testing::kOrderFulfilment);
  ASSERT_TRUE(parsed);
  const Graph graph{*parsed};
  EXPECT_EQ(graph.size(), 8U);
  EXPECT_EQ(graph.order(), (Nodes{0, 1, 2, 3, 4, 5})) << "compensations stand outside";
  EXPECT_EQ(graph.starts(), Nodes{0});
  EXPECT_EQ(graph.compensation_of(0), 6U);
  EXPECT_EQ(graph.compensation_of(1), 7U);
  EXPECT_EQ(graph.compensation_of(2), std::nullopt);
  EXPECT_TRUE(graph.is_compensation(6));
  EXPECT_TRUE(graph.continues_on_error(5));
  EXPECT_EQ(graph.find("approval"), 2U);
  EXPECT_EQ(graph.find("nobody"), std::nullopt);
  EXPECT_TRUE(std::ranges::equal(graph.predecessors(1), Nodes{0}));
  EXPECT_TRUE(std::ranges::equal(graph.successors(1), Nodes{2}));
}

}  // namespace
}  // namespace pawl::core
