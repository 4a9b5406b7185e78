#pragma once
// A definition prepared for execution: its tasks as node indexes (their positions in the definition) with
// their successors and predecessors. core/run/run_machine.hpp describes how the end of one task starts
// others.

#include <optional>
#include <span>
#include <vector>

#include "core/definition/adjacency.hpp"
#include "core/definition/definition.hpp"

namespace pawl::core {

class Graph {
 public:
  // The definition must have been checked.
  explicit Graph(const Definition& definition);

  [[nodiscard]] std::size_t size() const { return followers_.size(); }
  [[nodiscard]] std::span<const NodeIndex> successors(NodeIndex node) const {
    return followers_.successors(node);
  }
  [[nodiscard]] std::span<const NodeIndex> predecessors(NodeIndex node) const {
    return sources_.successors(node);
  }
  [[nodiscard]] std::optional<NodeIndex> compensation_of(NodeIndex node) const {
    return compensations_[node];
  }
  [[nodiscard]] bool is_compensation(NodeIndex node) const { return is_compensation_[node]; }
  [[nodiscard]] bool continues_on_error(NodeIndex node) const { return continues_on_error_[node]; }
  [[nodiscard]] std::optional<NodeIndex> find(std::string_view id) const;

  // Every task after its predecessors, without compensations.
  [[nodiscard]] const std::vector<NodeIndex>& order() const { return order_; }
  // The tasks that start with the run.
  [[nodiscard]] std::vector<NodeIndex> starts() const;

 private:
  Graph(const Definition& definition, const std::vector<Edge>& edges);

  Adjacency followers_;
  Adjacency sources_;
  std::vector<std::optional<NodeIndex>> compensations_;
  std::vector<bool> is_compensation_;
  std::vector<bool> continues_on_error_;
  std::vector<NodeIndex> order_;
  std::vector<std::pair<std::string, NodeIndex>> ids_;  // sorted
};

}  // namespace pawl::core
