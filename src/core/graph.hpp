#pragma once
// A definition made ready to be run: its tasks as numbers (their places in the definition), and who follows
// whom. How the end of one task lets others start is told in core/run_machine.hpp.

#include <optional>
#include <span>
#include <vector>

#include "core/adjacency.hpp"
#include "core/definition.hpp"

namespace pawl::core {

class Graph {
 public:
  // The definition was checked.
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

  // Every task after those it comes after; compensations are not in it.
  [[nodiscard]] const std::vector<NodeIndex>& order() const { return order_; }
  // What starts with the run.
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
