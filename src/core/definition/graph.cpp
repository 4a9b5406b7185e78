#include "core/definition/graph.hpp"

#include <algorithm>
#include <map>

namespace pawl::core {

namespace {

using Places = std::map<std::string_view, NodeIndex>;

Places places_of(const Definition& definition) {
  Places places;
  for (std::size_t i = 0; i < definition.tasks.size(); ++i)
    places.emplace(definition.tasks[i].id, static_cast<NodeIndex>(i));
  return places;
}

std::vector<Edge> edges_of(const Definition& definition) {
  const Places places = places_of(definition);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < definition.tasks.size(); ++i) {
    for (const std::string& id : definition.tasks[i].after)
      edges.push_back({.from = places.at(id), .to = static_cast<NodeIndex>(i)});
  }
  return edges;
}

}  // namespace

Graph::Graph(const Definition& definition) : Graph(definition, edges_of(definition)) {}

Graph::Graph(const Definition& definition, const std::vector<Edge>& edges)
    : followers_(definition.tasks.size(), edges),
      sources_(definition.tasks.size(), reversed(edges)),
      compensations_(definition.tasks.size()),
      is_compensation_(definition.tasks.size()),
      continues_on_error_(definition.tasks.size()) {
  const Places places = places_of(definition);
  for (std::size_t i = 0; i < definition.tasks.size(); ++i) {
    const DefinitionTask& task = definition.tasks[i];
    if (task.compensate) compensations_[i] = places.at(*task.compensate);
    is_compensation_[i] = task.type == NodeType::compensation;
    continues_on_error_[i] = task.continue_on_error;
  }
  for (const NodeIndex node : topological_order(followers_)) {
    if (!is_compensation_[node]) order_.push_back(node);
  }
  for (const auto& [id, place] : places) ids_.emplace_back(id, place);
}

std::optional<NodeIndex> Graph::find(std::string_view id) const {
  const auto found =
      std::lower_bound(ids_.begin(), ids_.end(), id,
                       [](const auto& one, std::string_view wanted) { return one.first < wanted; });
  if (found == ids_.end() || found->first != id) return std::nullopt;
  return found->second;
}

std::vector<NodeIndex> Graph::starts() const {
  std::vector<NodeIndex> first;
  for (const NodeIndex node : order_) {
    if (predecessors(node).empty()) first.push_back(node);
  }
  return first;
}

}  // namespace pawl::core
