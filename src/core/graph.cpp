#include "core/graph.hpp"

#include <algorithm>
#include <map>

#include "core/ensure.hpp"

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

// Spreads one end through the graph, as far as it goes by itself.
class Spreading {
 public:
  Spreading(const Graph& graph, const ProgressOf& progress_of) : graph_(graph), progress_of_(progress_of) {}

  Consequences run(NodeIndex node, NodeEnd end) {
    if (cancels(node, end)) {
      cancel_behind(node);
      return std::move(found_);
    }
    note_end(node, end != NodeEnd::skipped);
    for (std::size_t i = 0; i < found_.skipped.size(); ++i) note_end(found_.skipped[i], false);
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool cancels(NodeIndex node, NodeEnd end) const {
    return end == NodeEnd::cancelled || (end == NodeEnd::failed && !graph_.continues_on_error(node));
  }

  void note_end(NodeIndex node, bool is_lead) {
    for (const NodeIndex next : graph_.successors(node)) {
      NodeProgress& progress = progress_of_(next);
      PAWL_ENSURE(progress.unmet > 0, "each of the tasks before ends once");
      --progress.unmet;
      progress.has_lead = progress.has_lead || is_lead;
      if (progress.unmet > 0 || progress.is_decided) continue;
      progress.is_decided = true;
      (progress.has_lead ? found_.ready : found_.skipped).push_back(next);
    }
  }

  // Their counts stay as they are: what is cancelled does not count down, and is recounted if the run is
  // retried.
  void cancel_behind(NodeIndex node) {
    std::vector<NodeIndex> behind{node};
    for (std::size_t i = 0; i < behind.size(); ++i) {
      for (const NodeIndex next : graph_.successors(behind[i])) {
        NodeProgress& progress = progress_of_(next);
        if (progress.is_decided) continue;
        progress.is_decided = true;
        found_.cancelled.push_back(next);
        behind.push_back(next);
      }
    }
  }

  const Graph& graph_;
  const ProgressOf& progress_of_;
  Consequences found_;
};

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

NodeProgress first_progress(const Graph& graph, NodeIndex node) {
  return {.unmet = static_cast<std::uint32_t>(graph.predecessors(node).size())};
}

NodeProgress recounted(const Graph& graph, NodeIndex node, const EndOf& end_of) {
  NodeProgress progress = first_progress(graph, node);
  for (const NodeIndex before : graph.predecessors(node)) {
    const auto end = end_of(before);
    const bool is_met =
        end && *end != NodeEnd::cancelled && (*end != NodeEnd::failed || graph.continues_on_error(before));
    if (!is_met) continue;
    --progress.unmet;
    progress.has_lead = progress.has_lead || *end != NodeEnd::skipped;
  }
  return progress;
}

Consequences end_node(const Graph& graph, NodeIndex node, NodeEnd end, const ProgressOf& progress_of) {
  return Spreading{graph, progress_of}.run(node, end);
}

std::vector<NodeIndex> compensation_order(const Graph& graph, std::span<const NodeIndex> completed) {
  std::vector<NodeIndex> order;
  for (std::size_t i = completed.size(); i > 0; --i) {
    if (const auto compensation = graph.compensation_of(completed[i - 1])) order.push_back(*compensation);
  }
  return order;
}

}  // namespace pawl::core
