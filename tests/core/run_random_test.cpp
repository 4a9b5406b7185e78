// Random definitions, outcomes in random order, and random operator actions: every run ends, and its actions
// match a model that knows only how each task ended. The cost of a completion is measured in the nodes that
// it loads.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/run/run_machine.hpp"
#include "core/run/run_transitions.hpp"
#include "tests/core/run_harness.hpp"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using testing::RunHarness;
using testing::SeededRandom;

std::string random_task(SeededRandom& random, std::uint64_t index, std::string& compensations) {
  std::string after;
  for (std::uint64_t j = 0; j < index; ++j) {
    if (random.chance(0.25)) after += fmt::format("{}\"t{}\"", after.empty() ? "" : ",", j);
  }
  std::string text = fmt::format(R"({{"id":"t{}","after":[{}])", index, after);
  const auto type = random.below(10);
  if (type == 0) {
    text += R"(,"type":"sleep","duration":"1m")";
  } else if (type == 1) {
    text += R"(,"type":"signal","signal":"go","timeout":"5m")";
  } else if (type == 2) {
    text += R"(,"type":"workflow","workflow":"y")";
  } else {
    text += R"(,"activity":"t")";
    if (random.chance(0.2)) text += fmt::format(R"(,"for_each":{})", random.chance(0.3) ? "[]" : "[1,2,3]");
  }
  if (random.chance(0.15)) text += R"(,"when":false)";
  if (random.chance(0.4)) text += R"(,"on_error":"continue")";
  if (type != 0 && random.chance(0.4)) {
    text += fmt::format(R"(,"compensate":"u{}")", index);
    compensations += fmt::format(R"(,{{"id":"u{}","type":"compensation","activity":"u"}})", index);
  }
  return text + "}";
}

std::string random_tasks(SeededRandom& random) {
  const auto size = 1 + random.below(9);
  std::string tasks;
  std::string compensations;
  for (std::uint64_t i = 0; i < size; ++i)
    tasks += (i == 0 ? "" : ",") + random_task(random, i, compensations);
  return tasks + compensations;
}

// Applies random outcomes and actions to a run.
class Meddler {
 public:
  Meddler(RunHarness& run, SeededRandom& random, bool is_paged = false)
      : run_(run), random_(random), is_paged_(is_paged) {}

  void to_the_end() {
    run_.start();
    for (int step = 0; step < 2'000 && !::testing::Test::HasFatalFailure(); ++step) {
      if (is_closed(run_.state()) && is_paged_) run_.advance(0s);  // the remaining stops
      if (is_closed(run_.state()) && !reopen()) return;
      if (is_paged_ && random_.chance(0.7)) run_.advance(0s);
      act();
    }
    FAIL() << "the run is " << to_string(run_.state()) << " and does not end";
  }

 private:
  bool reopen() {
    if (run_.state() == RunState::compensation_failed && random_.chance(0.3)) {
      EXPECT_TRUE(random_.chance(0.5) ? run_.act(RunAction::retry) : run_.skip(first_failed_undo()));
      return !is_closed(run_.state());
    }
    if (run_.state() != RunState::failed || !random_.chance(0.4)) return false;
    const auto action =
        random_.chance(0.7) || run_.run().undoable == 0 ? RunAction::retry : RunAction::compensate;
    EXPECT_TRUE(run_.act(action));
    return true;
  }

  std::string first_failed_undo() {
    for (const Node& node : run_.nodes()) {
      if (node.state == NodeState::failed && run_.graph().is_compensation(node.key.index))
        return node_name(run_.definition().tasks[node.key.index].id, node.key);
    }
    return "none has failed";
  }

  void act() {
    if (random_.chance(0.03)) (void)run_.act(static_cast<RunAction>(random_.below(kRunActionCount)));
    if (random_.chance(0.05)) (void)run_.signal("go", fmt::to_string(random_.below(9)));
    if (run_.state() == RunState::paused && random_.chance(0.3))
      (void)run_.act(random_.chance(0.2) ? RunAction::cancel : RunAction::resume);
    if (random_.chance(0.1)) run_.advance(std::chrono::minutes{random_.below(6)});
    if (!run_.children().empty() && random_.chance(0.3)) end_child();
    act_on_task();
  }

  void end_child() {
    constexpr std::array kEnds{RunState::completed, RunState::failed, RunState::cancelled};
    run_.finish_child(run_.children().begin()->first, kEnds.at(random_.below(kEnds.size())), "5");
  }

  void act_on_task() {
    std::vector<std::string> names;
    for (const auto& [name, task] : run_.tasks()) {
      if (!task.is_held) names.push_back(name);
    }
    if (names.empty()) return;
    const std::string name = names[random_.below(names.size())];
    switch (random_.below(8)) {
      case 0: return run_.fail(name);
      case 1: return run_.lose(name);
      case 2:
      case 3: return run_.claim(name);
      case 4:
        if (run_.task(name).is_stop_requested) return run_.stop(name);
        return;
      default: return run_.complete(name, fmt::to_string(random_.below(100)));
    }
  }

  RunHarness& run_;
  SeededRandom& random_;
  bool is_paged_;
};

// The invariants that follow from the log and the definition alone.
class Model {
 public:
  explicit Model(RunHarness& run) : run_(run), graph_(run.graph()) {}

  void check() {
    check_order();
    check_end();
    check_saga();
    check_signals();
  }

 private:
  using Type = RunEventType;

  static bool is_start(Type type) {
    return type == Type::task_scheduled || type == Type::timer_set || type == Type::child_started;
  }

  // I23: a node starts only after all of its predecessors have ended, at least one of them other than
  // skipped.
  void check_order() {
    std::map<NodeIndex, NodeState> ended;
    for (const RunEvent& event : run_.events()) {
      if (!event.data.node || graph_.is_compensation(event.data.node->index)) continue;
      const NodeIndex index = event.data.node->index;
      if (is_start(event.type)) expect_met(index, ended);
      if (event.type == Type::task_skipped) expect_skippable(index, ended);
      if (event.data.node->item != kNoItem) continue;
      if (event.type == Type::task_completed) ended[index] = NodeState::completed;
      if (event.type == Type::task_failed) ended[index] = NodeState::failed;
      if (event.type == Type::task_skipped) ended[index] = NodeState::skipped;
    }
  }

  void expect_met(NodeIndex index, const std::map<NodeIndex, NodeState>& ended) {
    bool has_lead = graph_.predecessors(index).empty();
    for (const NodeIndex before : graph_.predecessors(index)) {
      const auto end = ended.find(before);
      ASSERT_NE(end, ended.end()) << run_.definition().tasks[index].id;
      const bool is_good = end->second != NodeState::failed || graph_.continues_on_error(before);
      EXPECT_TRUE(is_good) << run_.definition().tasks[index].id;
      has_lead = has_lead || end->second != NodeState::skipped;
    }
    EXPECT_TRUE(has_lead) << "what only a skipped task leads to is skipped";
  }

  void expect_skippable(NodeIndex index, const std::map<NodeIndex, NodeState>& ended) {
    bool all_skipped = !graph_.predecessors(index).empty();
    for (const NodeIndex before : graph_.predecessors(index)) {
      ASSERT_TRUE(ended.contains(before)) << run_.definition().tasks[index].id;
      all_skipped = all_skipped && ended.at(before) == NodeState::skipped;
    }
    EXPECT_TRUE(all_skipped || !run_.definition().tasks[index].when.empty());
  }

  // I24: an ended run has nothing under way, and in a completed run every task ended successfully.
  void check_end() {
    EXPECT_EQ(run_.run().counts.live(), 0);
    EXPECT_TRUE(run_.claimable().empty());
    for (const NodeIndex index : graph_.order()) {
      const Node node = run_.node_of(run_.definition().tasks[index].id);
      const NodeState shown = shown_state(run_.run(), node);
      EXPECT_TRUE(has_ended(shown)) << to_string(shown);
      if (run_.state() != RunState::completed) continue;
      const bool is_good = shown == NodeState::completed || shown == NodeState::skipped ||
                           (shown == NodeState::failed && graph_.continues_on_error(index));
      EXPECT_TRUE(is_good) << run_.definition().tasks[index].id << " is " << to_string(shown);
    }
  }

  // I27 and I28: each compensation of a completed node runs once, in reverse order, and none is missing.
  void check_saga() {
    std::vector<NodeKey> owed;  // the last one is undone next
    std::vector<NodeKey> failed;
    bool has_begun = false;
    for (const RunEvent& event : run_.events()) {
      const RunEventData& data = event.data;
      if (event.type == Type::compensation_triggered) has_begun = true;
      if (event.type == Type::workflow_retried) owe_again(owed, failed);
      if (event.type == Type::task_skipped && data.state) std::erase(failed, undone_by(*data.node));
      if (event.type == Type::compensation_completed || event.type == Type::compensation_failed) {
        ASSERT_FALSE(owed.empty());
        EXPECT_EQ(owed.back(), undone_by(*data.node));
        if (event.type == Type::compensation_failed) failed.push_back(owed.back());
        owed.pop_back();
      }
      if (event.type != Type::task_completed) continue;
      const Node node = run_.node_of(data.node_id);
      if (!node.items && graph_.compensation_of(node.key.index)) completed_.push_back(node.key);
      if (!node.items && graph_.compensation_of(node.key.index)) owed.push_back(node.key);
    }
    const bool is_terminated = run_.run().error && run_.run().error->code == "terminated";
    if (is_terminated) return;
    EXPECT_EQ(run_.state() == RunState::compensated, has_begun && owed.empty() && failed.empty());
    EXPECT_EQ(run_.state() == RunState::compensation_failed, has_begun && !failed.empty());
    if (run_.state() == RunState::failed && run_.run().facts.on_failure == OnFailure::compensate) {
      EXPECT_TRUE(completed_.empty()) << "what was done is undone";
    }
  }

  [[nodiscard]] NodeKey undone_by(NodeKey compensation) const {
    for (NodeIndex index = 0; index < graph_.size(); ++index) {
      if (graph_.compensation_of(index) == compensation.index) return {index, compensation.item};
    }
    return {};
  }

  // Sorted by the order of completion.
  void owe_again(std::vector<NodeKey>& owed, std::vector<NodeKey>& failed) const {
    owed.insert(owed.end(), failed.begin(), failed.end());
    failed.clear();
    const auto place = [&](NodeKey key) { return std::find(completed_.begin(), completed_.end(), key); };
    std::sort(owed.begin(), owed.end(), [&](NodeKey a, NodeKey b) { return place(a) < place(b); });
  }

  // I35: each signal is consumed at most once, in the order of arrival.
  void check_signals() {
    std::int64_t last = 0;
    for (const RunEvent& event : run_.events()) {
      if (event.type != Type::signal_consumed) continue;
      EXPECT_GT(event.data.signal_sequence, last);
      last = event.data.signal_sequence;
    }
  }

  RunHarness& run_;
  const Graph& graph_;
  std::vector<NodeKey> completed_;  // nodes with a compensation, in the order of completion
};

// Rows of the tables that were taken.
struct Moves {
  std::set<std::tuple<RunState, RunEventType, RunState>> runs;
  std::set<std::tuple<NodeState, RunEventType, NodeState>> nodes;
};

// An event may pass through a state: the two rows that lead from `before` to `after`.
void note_run(RunState before, RunEventType event, RunState after, Moves& moves) {
  moves.runs.emplace(before, event, after);
  for (const RunTransition& first : kRunTransitions) {
    for (const RunTransition& second : kRunTransitions) {
      const bool is_way = first.from == before && first.event == event && second.from == first.to &&
                          second.event == event && second.to == after;
      if (!is_way) continue;
      moves.runs.emplace(first.from, event, first.to);
      moves.runs.emplace(second.from, event, second.to);
    }
  }
}

// Records the changes of state by each event of the run and of its nodes.
void note_moves(const RunHarness& run, Moves& moves) {
  WorkingRun working{{.definition = &run.definition(), .graph = &run.graph()}};
  std::map<NodeKey, NodeState> states;
  for (const RunEvent& event : run.events()) {
    const RunState before = working.run().state;
    ASSERT_TRUE(apply(working, event));
    note_run(before, event.type, working.run().state, moves);
    for (const NodeKey key : working.all_keys()) {
      const NodeState state = working.node(key).state;
      NodeState& last = states.try_emplace(key, NodeState::blocked).first->second;
      if (last != state || event.data.node == key) moves.nodes.emplace(last, event.type, state);
      last = state;
    }
  }
}

// Rows that these graph runs do not take. Others take them in tests/conformance: code runs, open runs, and
// runs with a deadline.
bool is_of_other_runs(const RunTransition& row) {
  using Event = RunEventType;
  const bool is_created = row.from == RunState::created && row.to == RunState::cancelled;
  const bool fails_alone = row.event == Event::workflow_failed && row.to != RunState::failed;
  const bool undoes_alone = row.event == Event::compensation_triggered && row.from != RunState::failing;
  const bool is_late = row.event == Event::deadline_exceeded;
  const bool is_older = row.event == Event::compensation_failed;
  // A sleeping run wakes before one of its tasks fails.
  const bool is_asleep = row.from == RunState::sleeping && row.event == Event::task_failed;
  return is_created || fails_alone || undoes_alone || is_late || is_older || is_asleep;
}

bool is_of_other_runs(const NodeTransition& row) {
  const std::string_view event = to_string(row.event);
  const bool is_by_hand_in_open_run =
      row.event == RunEventType::task_retrying && row.to == NodeState::blocked;
  const bool is_of_body = row.from.contains(NodeState::completed) ||
                          (row.event == RunEventType::task_scheduled && row.to == NodeState::blocked);
  return event.starts_with("step_") || is_by_hand_in_open_run || is_of_body;
}

TEST(RandomRuns, EndAsTheModelPredicts) {
  SeededRandom random{20260209};
  Moves moves;
  std::map<RunState, int> ends;
  for (int round = 0; round < 1'500 && !::testing::Test::HasFailure(); ++round) {
    const std::string tasks = random_tasks(random);
    SCOPED_TRACE(fmt::format("round {}: {}", round, tasks));
    RunHarness run{tasks, std::string{random.chance(0.1) ? R"(,"deadline":"10m")" : ""} +
                              (random.chance(0.3) ? R"(,"on_failure":"fail")" : "")};
    Meddler{run, random}.to_the_end();
    if (::testing::Test::HasFatalFailure()) return;
    Model{run}.check();
    note_moves(run, moves);
    ++ends[run.state()];
  }
  for (const RunState end : {RunState::completed, RunState::failed, RunState::compensated,
                             RunState::compensation_failed, RunState::cancelled})
    EXPECT_GT(ends[end], 10) << to_string(end) << ": a test that never gets there shows nothing";
  for (const RunTransition& row : kRunTransitions) {
    const bool is_taken = moves.runs.contains({row.from, row.event, row.to});
    EXPECT_TRUE(is_taken || is_of_other_runs(row))
        << to_string(row.from) << ", " << to_string(row.event) << ", " << to_string(row.to);
  }
  for (const NodeTransition& row : kNodeTransitions) {
    const bool is_taken = std::any_of(moves.nodes.begin(), moves.nodes.end(), [&](const auto& taken) {
      const auto& [from, event, to] = taken;
      return row.from.contains(from) && row.event == event && row.to == to;
    });
    EXPECT_TRUE(is_taken || is_of_other_runs(row)) << to_string(row.event) << ", " << to_string(row.to);
  }
}

// With small commit budgets the run does the same, in more commits.
TEST(RandomRuns, EndAsTheModelPredictsWithSmallCommitBudgets) {
  SeededRandom random{20260311};
  std::map<RunState, int> ends;
  int deferred = 0;
  for (int round = 0; round < 1'500 && !::testing::Test::HasFailure(); ++round) {
    const std::string tasks = random_tasks(random);
    SCOPED_TRACE(fmt::format("round {}: {}", round, tasks));
    RunHarness run{tasks, std::string{random.chance(0.1) ? R"(,"deadline":"10m")" : ""} +
                              (random.chance(0.3) ? R"(,"on_failure":"fail")" : "")};
    run.page_by({.begun = 1 + static_cast<std::int64_t>(random.below(3)),
                 .stopped_tasks = static_cast<std::int64_t>(1 + random.below(2)),
                 .stopped_children = static_cast<std::int64_t>(1 + random.below(2))});
    Meddler{run, random, true}.to_the_end();
    if (::testing::Test::HasFatalFailure()) return;
    Model{run}.check();
    ++ends[run.state()];
    for (const RunEvent& event : run.events()) deferred += event.data.is_deferral ? 1 : 0;
  }
  EXPECT_GT(deferred, 1'000);
  for (const RunState end : {RunState::completed, RunState::failed, RunState::compensated,
                             RunState::compensation_failed, RunState::cancelled})
    EXPECT_GT(ends[end], 10) << to_string(end) << ": a test that never gets there shows nothing";
}

// S22: a modified log is refused, or replays to some state; it never crashes the reader.
TEST(AReplay, OfATamperedLogDoesNotCrash) {
  SeededRandom random{20260210};
  int refused = 0;
  for (int round = 0; round < 300 && !::testing::Test::HasFailure(); ++round) {
    RunHarness run{random_tasks(random)};
    Meddler{run, random}.to_the_end();
    for (int change = 0; change < 20; ++change) {
      std::vector<RunEvent> log = run.events();
      const std::size_t at = random.below(log.size());
      RunEvent& event = log[at];
      switch (random.below(4)) {
        case 0: event.type = static_cast<RunEventType>(random.below(kRunEventTypeCount)); break;
        case 1:
          event.data.node = NodeKey{static_cast<NodeIndex>(random.below(30)),
                                    static_cast<std::int32_t>(random.below(5)) - 1};
          break;
        case 2: event.data = log[random.below(log.size())].data; break;
        default: event.sequence += 1 + static_cast<std::int64_t>(random.below(3));
      }
      const auto replayed = replay(log, {.definition = &run.definition(), .graph = &run.graph()});
      if (replayed) continue;
      ++refused;
      EXPECT_EQ(replayed.problem().rfind("event ", 0), 0U) << replayed.problem();
    }
  }
  EXPECT_GT(refused, 1'000);
}

TEST(AReplay, OfALogWithAMissingEventIsRejected) {
  RunHarness run{R"({"id":"a","activity":"t"})"};
  run.start();
  run.claim("a");
  run.complete("a");
  ASSERT_EQ(run.state(), RunState::completed);
  for (std::size_t missing = 0; missing + 1 < run.events().size(); ++missing) {
    std::vector<RunEvent> log = run.events();
    log.erase(log.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_FALSE(replay(log, {.definition = &run.definition(), .graph = &run.graph()})) << missing;
  }
}

std::string chain_of(std::size_t size) {
  std::string tasks;
  for (std::size_t i = 0; i < size; ++i) {
    const std::string after = i == 0 ? "" : fmt::format("\"t{}\"", i - 1);
    tasks += fmt::format(R"({}{{"id":"t{}","activity":"t","after":[{}]}})", i == 0 ? "" : ",", i, after);
  }
  return tasks;
}

TEST(ACompletion, LoadsOnlyItsSuccessorsHoweverLargeTheGraphIs) {
  std::vector<std::size_t> asked;
  for (const std::size_t size : {100U, 10'000U}) {
    RunHarness run{chain_of(size)};
    run.do_not_replay();
    run.start();
    for (int i = 0; i < 50; ++i) run.complete(fmt::format("t{}", i));
    const std::size_t before = run.nodes_asked();
    run.complete("t50");
    asked.push_back(run.nodes_asked() - before);
  }
  EXPECT_EQ(asked[0], asked[1]);
  EXPECT_LE(asked[1], 4U) << "its own, once for the start and once for the end, and its follower";
}

TEST(AChainOf10000, CompletesAndIsSkippedWithoutRecursion) {
  RunHarness run{chain_of(10'000)};
  run.do_not_replay();
  run.start();
  for (int i = 0; i < 10'000; ++i) run.complete(fmt::format("t{}", i));
  EXPECT_EQ(run.state(), RunState::completed);

  std::string tasks = chain_of(9'999);
  tasks = R"({"id":"first","activity":"t","when":false},)" + tasks;
  const auto at = tasks.find(R"("after":[])");
  tasks.replace(at, std::string_view{R"("after":[])"}.size(), R"("after":["first"])");
  RunHarness skipped{tasks};
  skipped.start();
  EXPECT_EQ(skipped.state(), RunState::completed);
  EXPECT_EQ(skipped.run().counts.skipped, 10'000);
}

}  // namespace
}  // namespace pawl::core
