// What the end of a task brings about, against a model that looks at the whole graph again and again.
#include "core/graph.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/core/definitions.hpp"
#include "tests/support/env.hpp"

namespace pawl::core {
namespace {

Definition definition_of(const std::string& tasks) {
  auto parsed = parse_definition(fmt::format(R"({{"name":"x","tasks":[{}]}})", tasks));
  if (!parsed) throw std::runtime_error(parsed.problem().detail);
  return *parsed;
}

std::string task_text(const std::string& id, const std::vector<std::string>& after,
                      const std::string& more = "") {
  std::string list;
  for (const std::string& one : after) list += (list.empty() ? "\"" : ",\"") + one + "\"";
  return fmt::format(R"({{"id":"{}","activity":"t","after":[{}]{}}})", id, list, more);
}

// A run that keeps all progress in memory.
class Progress {
 public:
  explicit Progress(const Graph& graph) : graph_(graph) {
    for (NodeIndex node = 0; node < graph.size(); ++node) progress_.push_back(first_progress(graph, node));
  }

  Consequences end(NodeIndex node, NodeEnd end) {
    return end_node(graph_, node, end, [this](NodeIndex one) -> NodeProgress& { return progress_[one]; });
  }
  [[nodiscard]] const NodeProgress& of(NodeIndex node) const { return progress_[node]; }

 private:
  const Graph& graph_;
  std::vector<NodeProgress> progress_;
};

using Nodes = std::vector<NodeIndex>;

TEST(Graph, OfTheOrderIsDense) {
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

TEST(Graph, UndoesInExactReverseOrderOfCompletion) {
  const auto parsed = parse_definition(testing::kOrderFulfilment);
  ASSERT_TRUE(parsed);
  const Graph graph{*parsed};
  EXPECT_EQ(compensation_order(graph, Nodes{0, 1, 2}), (Nodes{7, 6}));
  EXPECT_EQ(compensation_order(graph, Nodes{1, 0}), (Nodes{6, 7})) << "of completion, not of the definition";
  EXPECT_EQ(compensation_order(graph, Nodes{}), Nodes{});
}

TEST(End, LetsAJoinStartOnceAllBeforeItHaveEnded) {
  const Graph graph{
      definition_of(task_text("a", {}) + "," + task_text("b", {}) + "," + task_text("c", {"a", "b"}))};
  Progress run{graph};
  EXPECT_EQ(run.end(1, NodeEnd::completed), Consequences{});
  EXPECT_EQ(run.of(2).unmet, 1U);
  EXPECT_EQ(run.end(0, NodeEnd::completed), Consequences{.ready = {2}});
}

TEST(End, OfASkippedTaskSkipsWhatOnlyItLeadsTo) {
  // a -> b -> c, a -> d, and e after c and d.
  const Graph graph{definition_of(task_text("a", {}) + "," + task_text("b", {"a"}) + "," +
                                  task_text("c", {"b"}) + "," + task_text("d", {"a"}) + "," +
                                  task_text("e", {"c", "d"}))};
  Progress run{graph};
  EXPECT_EQ(run.end(0, NodeEnd::completed), (Consequences{.ready = {1, 3}}));
  EXPECT_EQ(run.end(1, NodeEnd::skipped), Consequences{.skipped = {2}}) << "e has another way to it";
  EXPECT_EQ(run.end(3, NodeEnd::completed), Consequences{.ready = {4}});

  Progress other{graph};
  (void)other.end(0, NodeEnd::completed);
  (void)other.end(1, NodeEnd::skipped);
  EXPECT_EQ(other.end(3, NodeEnd::skipped), Consequences{.skipped = {4}}) << "now it has none";

  Progress all{graph};
  EXPECT_EQ(all.end(0, NodeEnd::skipped), (Consequences{.skipped = {1, 3, 2, 4}}));
}

TEST(End, OfAFailedTaskCancelsAllThatFollows) {
  const Graph graph{definition_of(task_text("a", {}) + "," + task_text("b", {}) + "," +
                                  task_text("c", {"a"}) + "," + task_text("d", {"c", "b"}) + "," +
                                  task_text("e", {"b"}))};
  Progress run{graph};
  EXPECT_EQ(run.end(0, NodeEnd::failed), (Consequences{.cancelled = {2, 3}}));
  EXPECT_EQ(run.end(1, NodeEnd::completed), Consequences{.ready = {4}})
      << "what was cancelled does not start";
}

TEST(End, OfAFailedTaskThatContinuesIsAnEndLikeOthers) {
  const Graph graph{
      definition_of(task_text("a", {}, R"(,"on_error":"continue")") + "," + task_text("b", {"a"}))};
  Progress run{graph};
  EXPECT_EQ(run.end(0, NodeEnd::failed), Consequences{.ready = {1}});
}

// The model: no counts, only how each task ended; looked at again until nothing more follows.
class Model {
 public:
  explicit Model(const Graph& graph) : graph_(graph), ends_(graph.size()), is_ready_(graph.size(), false) {}

  [[nodiscard]] Nodes ready() const {
    Nodes nodes;
    for (NodeIndex node = 0; node < graph_.size(); ++node) {
      if (is_ready_[node] && !ends_[node]) nodes.push_back(node);
    }
    return nodes;
  }

  void end(NodeIndex node, NodeEnd end) {
    ends_[node] = end;
    settle();
  }

  void settle() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (NodeIndex node = 0; node < graph_.size(); ++node) {
        if (!is_ready_[node] && !ends_[node]) has_changed = settle(node) || has_changed;
      }
    }
  }

  [[nodiscard]] const std::vector<std::optional<NodeEnd>>& ends() const { return ends_; }

 private:
  bool settle(NodeIndex node) {
    bool all_over = true;
    bool all_skipped = !graph_.predecessors(node).empty();
    for (const NodeIndex before : graph_.predecessors(node)) {
      const auto& end = ends_[before];
      const bool stops =
          end == NodeEnd::cancelled || (end == NodeEnd::failed && !graph_.continues_on_error(before));
      if (stops) {
        ends_[node] = NodeEnd::cancelled;
        return true;
      }
      all_over = all_over && end.has_value();
      all_skipped = all_skipped && end == NodeEnd::skipped;
    }
    if (!all_over) return false;
    if (all_skipped) {
      ends_[node] = NodeEnd::skipped;
    } else {
      is_ready_[node] = true;
    }
    return true;
  }

  const Graph& graph_;
  std::vector<std::optional<NodeEnd>> ends_;
  std::vector<bool> is_ready_;
};

Definition random_definition(testing::SeededRandom& random) {
  const auto size = 1 + random.below(14);
  std::string tasks;
  for (std::uint64_t i = 0; i < size; ++i) {
    std::vector<std::string> after;
    for (std::uint64_t j = 0; j < i; ++j) {
      if (random.chance(0.25)) after.push_back(fmt::format("t{}", j));
    }
    tasks += (i == 0 ? "" : ",") +
             task_text(fmt::format("t{}", i), after, random.chance(0.5) ? R"(,"on_error":"continue")" : "");
  }
  return definition_of(tasks);
}

NodeEnd random_end(testing::SeededRandom& random) {
  const auto draw = random.below(10);
  return draw < 5 ? NodeEnd::completed : draw < 8 ? NodeEnd::skipped : NodeEnd::failed;
}

class RandomRun {
 public:
  RandomRun(const Graph& graph, testing::SeededRandom& random)
      : graph_(graph), random_(random), run_(graph), model_(graph) {
    for (const NodeIndex node : graph.starts()) ready_.insert(node);
    model_.settle();
  }

  // Ends tasks in a random order until none is left, comparing with the model after each.
  void to_the_end() {
    ends_.resize(graph_.size());
    while (!ready_.empty()) {
      ASSERT_EQ(Nodes(ready_.begin(), ready_.end()), model_.ready());
      const NodeIndex node =
          *std::next(ready_.begin(), static_cast<std::ptrdiff_t>(random_.below(ready_.size())));
      const NodeEnd end = random_end(random_);
      ready_.erase(node);
      ends_[node] = end;
      take(run_.end(node, end));
      model_.end(node, end);
      ASSERT_EQ(ends_, model_.ends());
      check_counts();
    }
    for (const auto& end : ends_) ASSERT_TRUE(end) << "nothing may be left waiting";
  }

 private:
  void take(const Consequences& found) {
    ready_.insert(found.ready.begin(), found.ready.end());
    for (const NodeIndex node : found.skipped) ends_[node] = NodeEnd::skipped;
    for (const NodeIndex node : found.cancelled) ends_[node] = NodeEnd::cancelled;
  }

  void check_counts() const {
    for (NodeIndex node = 0; node < graph_.size(); ++node) {
      const NodeProgress again = recounted(graph_, node, [this](NodeIndex one) { return ends_[one]; });
      ASSERT_EQ(run_.of(node).unmet, again.unmet);
      ASSERT_EQ(run_.of(node).has_lead, again.has_lead);
    }
  }

  const Graph& graph_;
  testing::SeededRandom& random_;
  Progress run_;
  Model model_;
  std::set<NodeIndex> ready_;
  std::vector<std::optional<NodeEnd>> ends_;
};

TEST(End, OfTasksOfRandomGraphsSpreadsAsTheModelSays) {
  testing::SeededRandom random{20260208};
  for (int round = 0; round < 3'000 && !::testing::Test::HasFatalFailure(); ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    const Graph graph{random_definition(random)};
    RandomRun{graph, random}.to_the_end();
  }
}

}  // namespace
}  // namespace pawl::core
