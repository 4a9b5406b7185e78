#include "core/definition/graph_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/definition/graph.hpp"

namespace pawl::core {

namespace {

// The shapes of each task type, in the order of NodeType.
struct Shape {
  std::string_view open;
  std::string_view close;
  std::string_view dot;
};
constexpr std::array<Shape, kNodeTypeCount> kShapes{{
    {"[", "]", "box"},
    {"(", ")", "note"},
    {"([", "])", "oval"},
    {"{{", "}}", "hexagon"},
    {"[[", "]]", "box3d"},
}};

struct StateColour {
  std::string_view state;
  std::string_view colour;
};
// Other states are drawn without a color.
constexpr std::array kColours{
    StateColour{"completed", "#c8e6c9"},   StateColour{"running", "#bbdefb"},
    StateColour{"claimed", "#bbdefb"},     StateColour{"failed", "#ffcdd2"},
    StateColour{"dead_letter", "#ffcdd2"}, StateColour{"cancelled", "#e0e0e0"},
    StateColour{"skipped", "#f5f5f5"},     StateColour{"pending", "#fff9c4"},
};

std::string_view colour_of(std::string_view state) {
  const auto row = std::find_if(kColours.begin(), kColours.end(),
                                [&](const StateColour& one) { return one.state == state; });
  return row == kColours.end() ? std::string_view{} : row->colour;
}

// Mermaid reads labels as HTML: each character that could end a label or form a tag is written as its
// character code.
std::string mermaid_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view{"\"#<>&;`\\"}.find(c) != std::string_view::npos) {
      out += fmt::format("#{};", static_cast<int>(c));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string dot_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

std::string_view state_of(std::span<const std::string> states, std::size_t task) {
  return states.empty() ? std::string_view{} : std::string_view{states[task]};
}

const Shape& shape_of(NodeType type) { return kShapes.at(static_cast<std::size_t>(type)); }

void append_mermaid_node(std::string& out, const DefinitionTask& task, std::size_t index,
                         std::string_view state) {
  const Shape& shape = shape_of(task.type);
  const std::string label =
      mermaid_label(task.id) + (state.empty() ? "" : fmt::format("<br/>{}", mermaid_label(state)));
  out += fmt::format("  n{}{}\"{}\"{}\n", index, shape.open, label, shape.close);
  if (const std::string_view colour = colour_of(state); !colour.empty())
    out += fmt::format("  style n{} fill:{}\n", index, colour);
}

void append_dot_node(std::string& out, const DefinitionTask& task, std::size_t index,
                     std::string_view state) {
  const std::string label = dot_label(task.id) + (state.empty() ? "" : "\\n" + dot_label(state));
  const std::string_view colour = colour_of(state);
  const std::string_view shape = shape_of(task.type).dot;
  out += fmt::format("  n{} [label=\"{}\", shape=\"{}\"", index, label, shape);
  if (!colour.empty()) out += fmt::format(", fillcolor=\"{}\"", colour);
  out += "];\n";
}

}  // namespace

std::string mermaid_text(const Definition& definition, std::span<const std::string> states) {
  const Graph graph{definition};
  std::string out = "flowchart TD\n";
  for (std::size_t i = 0; i < definition.tasks.size(); ++i)
    append_mermaid_node(out, definition.tasks[i], i, state_of(states, i));
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    for (const NodeIndex next : graph.successors(node)) out += fmt::format("  n{} --> n{}\n", node, next);
    if (const auto undo = graph.compensation_of(node))
      out += fmt::format("  n{} -. compensate .-> n{}\n", node, *undo);
  }
  return out;
}

std::string dot_text(const Definition& definition, std::span<const std::string> states) {
  const Graph graph{definition};
  std::string out =
      fmt::format("digraph \"{}\" {{\n  node [style=filled, fillcolor=white];\n", dot_label(definition.name));
  for (std::size_t i = 0; i < definition.tasks.size(); ++i)
    append_dot_node(out, definition.tasks[i], i, state_of(states, i));
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    for (const NodeIndex next : graph.successors(node)) out += fmt::format("  n{} -> n{};\n", node, next);
    if (const auto undo = graph.compensation_of(node))
      out += fmt::format("  n{} -> n{} [style=dashed, label=\"compensate\"];\n", node, *undo);
  }
  return out + "}\n";
}

}  // namespace pawl::core
