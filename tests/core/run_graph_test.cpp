// A run as a graph for drawing.
#include "core/run/run_graph.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

RunView saga() {
  RunView view;
  view.run.state = RunState::compensating;
  view.definition = *parse_definition(
      R"({"name":"saga","tasks":[{"id":"reserve","activity":"t","for_each":[1,2],"compensate":"release"},
          {"id":"pay","activity":"t","after":["reserve"]},
          {"id":"release","type":"compensation","activity":"t"}]})");
  view.nodes = {{.key = {.index = 0}, .state = NodeState::completed, .items = 2},
                {.key = {.index = 0, .item = 0}, .state = NodeState::completed},
                {.key = {.index = 0, .item = 1}, .state = NodeState::completed},
                {.key = {.index = 1}, .state = NodeState::failed, .attempt = 3},
                {.key = {.index = 2}},
                {.key = {.index = 2, .item = 1}, .state = NodeState::running}};
  return view;
}

TEST(RunGraphs, HaveANodePerTaskAndAnEdgePerDependency) {
  const RunGraph graph = graph_of(saga());
  ASSERT_EQ(graph.nodes.size(), 3U);
  EXPECT_EQ(graph.nodes[1], (RunGraphNode{.id = "pay", .state = NodeState::failed, .attempt = 3}));
  EXPECT_EQ(graph.edges, (std::vector<RunGraphEdge>{{.from = "reserve", .to = "pay"}}));
}

TEST(RunGraphs, ShowTheCompensationOfAForEachByTheStateOfItsElements) {
  EXPECT_EQ(graph_of(saga()).nodes[2].state, NodeState::running);
  RunView view = saga();
  view.nodes.back().state = NodeState::completed;
  EXPECT_EQ(graph_of(view).nodes[2].state, NodeState::completed);
}

TEST(RunGraphs, OfAnOpenRunShowItsTasks) {
  RunView view;
  view.run.facts.workflow = "open";
  for (const char* id : {"0198c0de-0000-7000-8000-000000000001", "0198c0de-0000-7000-8000-000000000002"}) {
    Node& node = view.nodes.emplace_back();
    node.key.index = static_cast<NodeIndex>(view.nodes.size() - 1);
    node.task_id = TaskId{*parse_uuid(id)};
  }
  view.nodes[0].followers = {1};
  const RunGraph graph = graph_of(view);
  EXPECT_EQ(graph.edges, (std::vector<RunGraphEdge>{{.from = "0198c0de-0000-7000-8000-000000000001",
                                                     .to = "0198c0de-0000-7000-8000-000000000002"}}));
  EXPECT_NE(run_dot_text(view).find("n0 -> n1;"), std::string::npos);
}

TEST(RunGraphs, AreDrawnWithTheirStates) {
  EXPECT_NE(run_mermaid_text(saga()).find("n1[\"pay<br/>failed\"]"), std::string::npos)
      << run_mermaid_text(saga());
}

}  // namespace
}  // namespace pawl::core
