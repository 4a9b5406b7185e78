#pragma once
// A definition made ready to be run: its tasks as numbers (their places in the definition), who follows whom,
// and the rules by which the end of one task lets others start.
//
// A task waits until all it comes after have ended. Then
//   - it is skipped if every one of them was skipped, so that what only a skipped task leads to is skipped as
//   well;
//   - otherwise it starts: its `when` is looked at, and a condition that does not hold makes it end as
//   skipped.
// A task that failed and does not say `on_error: continue` cancels all that follows it, however far. With it,
// those that follow start as if it had completed (a reference to its output leads nowhere).
//
// Always: an end costs as much as there are tasks that it lets start, skips or cancels, with their own
// followers; never the size of the graph.

#include <functional>
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

enum class NodeEnd : std::uint8_t { completed, failed, skipped, cancelled };

// Where a task stands that has not started: what a run keeps for each.
struct NodeProgress {
  std::uint32_t unmet = 0;  // of those it comes after, how many have not ended
  bool has_lead = false;    // one of them ended otherwise than skipped
  bool is_decided = false;  // it was let start, was skipped or was cancelled

  bool operator==(const NodeProgress&) const = default;
};

// The progress of a task, to be read and changed.
using ProgressOf = std::function<NodeProgress&(NodeIndex)>;

[[nodiscard]] NodeProgress first_progress(const Graph& graph, NodeIndex node);
// The same from how its predecessors ended (nothing: not yet). For a run that is retried or checked.
using EndOf = std::function<std::optional<NodeEnd>(NodeIndex)>;
[[nodiscard]] NodeProgress recounted(const Graph& graph, NodeIndex node, const EndOf& end_of);

// What the end of a task brings about, in the order in which it comes about.
struct Consequences {
  std::vector<NodeIndex> ready = {};
  std::vector<NodeIndex> skipped = {};
  std::vector<NodeIndex> cancelled = {};

  bool operator==(const Consequences&) const = default;
};

[[nodiscard]] Consequences end_node(const Graph& graph, NodeIndex node, NodeEnd end,
                                    const ProgressOf& progress_of);

// The compensations of what completed, in exact reverse order of completion; tasks without one are passed
// over.
[[nodiscard]] std::vector<NodeIndex> compensation_order(const Graph& graph,
                                                        std::span<const NodeIndex> completed);

}  // namespace pawl::core
