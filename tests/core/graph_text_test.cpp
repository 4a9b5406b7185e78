#include "core/definition/graph_text.hpp"

#include <gtest/gtest.h>

namespace pawl::core {
namespace {

Definition small_definition() {
  return *parse_definition(R"({"name":"say \"x\"","tasks":[
    {"id":"a","activity":"t","compensate":"undo"},
    {"id":"wait","type":"sleep","duration":"1s","after":["a"]},
    {"id":"ok?","type":"signal","signal":"s","after":["a"]},
    {"id":"<b> \"q\" #1","type":"workflow","workflow":"w","after":["wait","ok?"]},
    {"id":"undo","type":"compensation","activity":"t"}]})");
}

TEST(Mermaid, DrawsTasksByTypeAndTheirEdges) {
  EXPECT_EQ(mermaid_text(small_definition()), R"(flowchart TD
  n0["a"]
  n1(["wait"])
  n2{{"ok?"}}
  n3[["#60;b#62; #34;q#34; #35;1"]]
  n4("undo")
  n0 --> n1
  n0 --> n2
  n0 -. compensate .-> n4
  n1 --> n3
  n2 --> n3
)");
}

TEST(Mermaid, ShowsTheStatesOfARun) {
  const std::vector<std::string> states{"completed", "running", "skipped", "blocked", "pending"};
  EXPECT_EQ(mermaid_text(small_definition(), states), R"(flowchart TD
  n0["a<br/>completed"]
  style n0 fill:#c8e6c9
  n1(["wait<br/>running"])
  style n1 fill:#bbdefb
  n2{{"ok?<br/>skipped"}}
  style n2 fill:#f5f5f5
  n3[["#60;b#62; #34;q#34; #35;1<br/>blocked"]]
  n4("undo<br/>pending")
  style n4 fill:#fff9c4
  n0 --> n1
  n0 --> n2
  n0 -. compensate .-> n4
  n1 --> n3
  n2 --> n3
)");
}

TEST(Dot, DrawsTheSame) {
  const std::vector<std::string> states{"completed", "", "", "", ""};
  EXPECT_EQ(dot_text(small_definition(), states), R"(digraph "say \"x\"" {
  node [style=filled, fillcolor=white];
  n0 [label="a\ncompleted", shape="box", fillcolor="#c8e6c9"];
  n1 [label="wait", shape="oval"];
  n2 [label="ok?", shape="hexagon"];
  n3 [label="<b> \"q\" #1", shape="box3d"];
  n4 [label="undo", shape="note"];
  n0 -> n1;
  n0 -> n2;
  n0 -> n4 [style=dashed, label="compensate"];
  n1 -> n3;
  n2 -> n3;
}
)");
}

}  // namespace
}  // namespace pawl::core
