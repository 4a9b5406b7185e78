#include "core/definition/definition_check.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/definition/adjacency.hpp"

namespace pawl::core {

namespace {

constexpr std::size_t kCycleShownMax = 12;  // ids; the middle of a longer cycle is elided

std::string field_of(std::size_t task, std::string_view name) {
  return fmt::format("tasks[{}].{}", task, name);
}

std::string no_such_task(const std::string& id) { return fmt::format("there is no task '{}'", id); }

class DefinitionChecker {
 public:
  DefinitionChecker(const Definition& definition, Mistakes& mistakes)
      : definition_(definition), mistakes_(mistakes) {}

  void run(const std::vector<UsedReference>& references) {
    index_ids();
    for (std::size_t i = 0; i < definition_.tasks.size(); ++i) check_after(i);
    check_compensations();
    const Adjacency graph{definition_.tasks.size(), edges_};
    const bool has_cycle = check_cycle(graph);
    const std::vector<NamedReference> named = check_names(references);
    if (!has_cycle) check_ancestors(graph, named);
  }

 private:
  // A reference to an existing task.
  struct NamedReference {
    const UsedReference* use;
    NodeIndex target;
  };

  [[nodiscard]] const DefinitionTask& task(std::size_t index) const { return definition_.tasks[index]; }

  [[nodiscard]] const NodeIndex* find(const std::string& id) const {
    const auto found = index_of_.find(id);
    return found == index_of_.end() ? nullptr : &found->second;
  }

  void index_ids() {
    for (std::size_t i = 0; i < definition_.tasks.size(); ++i) {
      const auto [first, is_new] = index_of_.emplace(task(i).id, static_cast<NodeIndex>(i));
      if (!is_new && !task(i).id.empty())
        mistakes_.add(field_of(i, "id"),
                      fmt::format("'{}' is the id of tasks[{}] as well", task(i).id, first->second));
    }
  }

  void check_after(std::size_t index) {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < task(index).after.size(); ++i) {
      const std::string& id = task(index).after[i];
      const std::string field = fmt::format("tasks[{}].after[{}]", index, i);
      const NodeIndex* before = find(id);
      if (before == nullptr) {
        mistakes_.add(field, no_such_task(id));
      } else if (task(*before).type == NodeType::compensation) {
        mistakes_.add(field, fmt::format("'{}' is a compensation: no task can come after it", id));
      } else if (!seen.insert(id).second) {
        mistakes_.add(field, fmt::format("'{}' is named twice", id));
      } else {
        edges_.push_back({.from = *before, .to = static_cast<NodeIndex>(index)});
      }
    }
  }

  void check_compensations() {
    std::map<NodeIndex, std::size_t> undoes;  // compensation to the task that names it
    for (std::size_t i = 0; i < definition_.tasks.size(); ++i) {
      if (!task(i).compensate) continue;
      const std::string& id = *task(i).compensate;
      const NodeIndex* compensation = find(id);
      if (compensation == nullptr) {
        mistakes_.add(field_of(i, "compensate"), no_such_task(id));
      } else if (task(*compensation).type != NodeType::compensation) {
        mistakes_.add(field_of(i, "compensate"), fmt::format("'{}' is of type {}, not a compensation", id,
                                                             to_string(task(*compensation).type)));
      } else if (const auto [other, is_new] = undoes.emplace(*compensation, i); !is_new) {
        mistakes_.add(field_of(i, "compensate"),
                      fmt::format("'{}' compensates '{}' already: each task needs its own", id,
                                  task(other->second).id));
      }
    }
    for (std::size_t i = 0; i < definition_.tasks.size(); ++i) {
      if (task(i).type == NodeType::compensation && !undoes.contains(static_cast<NodeIndex>(i)))
        mistakes_.add(field_of(i, "type"), fmt::format("no task is compensated by '{}'", task(i).id));
    }
  }

  bool check_cycle(const Adjacency& graph) {
    const std::vector<NodeIndex> cycle = find_cycle(graph);
    if (cycle.empty()) return false;
    std::string path;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const bool is_left_out =
          cycle.size() > kCycleShownMax && i >= kCycleShownMax - 1 && i + 1 < cycle.size();
      if (!is_left_out) path += task(cycle[i]).id + " -> ";
      if (is_left_out && i + 2 == cycle.size())
        path += fmt::format("… {} more … -> ", cycle.size() - kCycleShownMax);
    }
    mistakes_.add(field_of(cycle.front(), "after"),
                  fmt::format("is a cycle: {}{}", path, task(cycle.front()).id));
    return true;
  }

  std::vector<NamedReference> check_names(const std::vector<UsedReference>& references) {
    std::vector<NamedReference> named;
    for (const UsedReference& use : references) {
      const Reference& reference = use.placed.reference;
      if (!reference.is_of_task()) continue;
      const NodeIndex* target = find(reference.task);
      if (target == nullptr) {
        mistakes_.add(use.placed.field, no_such_task(reference.task));
      } else if (task(*target).type == NodeType::compensation) {
        mistakes_.add(use.placed.field,
                      fmt::format("'{}' is a compensation: its output cannot be referenced", reference.task));
      } else if (use.task != kOfTheRun) {
        named.push_back({.use = &use, .target = *target});
      }
    }
    return named;
  }

  // Propagates 64 targets at a time as the bits of one word: each pass is linear, and no memory is quadratic.
  void check_ancestors(const Adjacency& graph, const std::vector<NamedReference>& named) {
    std::set<NodeIndex> targets;
    for (const NamedReference& one : named) targets.insert(one.target);
    const std::vector<NodeIndex> order = topological_order(graph);
    std::vector<bool> is_before(named.size(), false);
    for (auto first = targets.begin(); first != targets.end();) {
      std::map<NodeIndex, std::uint64_t> bits;
      for (; first != targets.end() && bits.size() < 64; ++first)
        bits.emplace(*first, std::uint64_t{1} << bits.size());
      const std::vector<std::uint64_t> ancestors = spread(graph, order, bits);
      for (std::size_t i = 0; i < named.size(); ++i) {
        const auto bit = bits.find(named[i].target);
        if (bit != bits.end()) is_before[i] = (ancestors[named[i].use->task] & bit->second) != 0;
      }
    }
    for (std::size_t i = 0; i < named.size(); ++i) {
      if (is_before[i]) continue;
      mistakes_.add(named[i].use->placed.field,
                    fmt::format("'{}' may not have ended yet: add it, or one of its successors, to `after`",
                                named[i].use->placed.reference.task));
    }
  }

  // For each node, the marked nodes that lead to it.
  static std::vector<std::uint64_t> spread(const Adjacency& graph, const std::vector<NodeIndex>& order,
                                           const std::map<NodeIndex, std::uint64_t>& bits) {
    std::vector<std::uint64_t> own(graph.size(), 0);
    for (const auto& [node, bit] : bits) own[node] = bit;
    std::vector<std::uint64_t> ancestors(graph.size(), 0);
    for (const NodeIndex node : order) {
      for (const NodeIndex next : graph.successors(node)) ancestors[next] |= ancestors[node] | own[node];
    }
    return ancestors;
  }

  const Definition& definition_;
  Mistakes& mistakes_;
  std::map<std::string_view, NodeIndex> index_of_;
  std::vector<Edge> edges_;
};

}  // namespace

void check_graph(const Definition& definition, const std::vector<UsedReference>& references,
                 Mistakes& mistakes) {
  DefinitionChecker{definition, mistakes}.run(references);
}

}  // namespace pawl::core
