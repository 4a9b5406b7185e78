// The table of run states, without the machine.
#include "core/run/run.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "core/run/run_event.hpp"
#include "core/run/run_machine.hpp"
#include "core/run/run_transitions.hpp"
#include "tests/places/places.hpp"

namespace pawl::core {
namespace {

std::vector<RunState> all_states() {
  std::vector<RunState> states;
  for (int i = 0; i < kRunStateCount; ++i) states.push_back(static_cast<RunState>(i));
  return states;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file{testing::source_dir() + "/" + path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

TEST(TheTableOfRuns, AgreesWithMayMoveForEveryPair) {
  for (const RunState from : all_states()) {
    for (const RunState to : all_states()) {
      const bool is_listed =
          std::any_of(kRunTransitions.begin(), kRunTransitions.end(),
                      [&](const RunTransition& row) { return row.from == from && row.to == to; });
      EXPECT_EQ(may_move(from, to), is_listed) << to_string(from) << " " << to_string(to);
    }
  }
}

TEST(TheTableOfRuns, MovesARunByTheListedEventsOnly) {
  for (const RunState from : all_states()) {
    for (int event = 0; event < kRunEventTypeCount; ++event) {
      for (const RunState to : all_states()) {
        const auto type = static_cast<RunEventType>(event);
        const bool is_listed = std::any_of(
            kRunTransitions.begin(), kRunTransitions.end(),
            [&](const RunTransition& row) { return row.from == from && row.event == type && row.to == to; });
        core::Run run{.state = from};
        EXPECT_EQ(move_to(run, type, to), is_listed);
        EXPECT_EQ(run.state, is_listed ? to : from);
      }
    }
  }
}

TEST(TheTableOfNodes, KeepsACompletedNodeUnlessItIsTheBodyOfARun) {
  for (const NodeTransition& row : kNodeTransitions) {
    const bool is_body = row.to == NodeState::blocked && (row.event == RunEventType::compensation_triggered ||
                                                          row.event == RunEventType::workflow_retried);
    EXPECT_TRUE(is_body || !row.from.contains(NodeState::completed)) << to_string(row.event);
    EXPECT_FALSE(row.from.contains(NodeState::skipped)) << to_string(row.event);
  }
  EXPECT_TRUE(may_become(NodeState::waiting, RunEventType::task_completed, NodeState::completed));
  EXPECT_FALSE(may_become(NodeState::waiting, RunEventType::task_completed, NodeState::failed));
  EXPECT_FALSE(may_become(NodeState::completed, RunEventType::task_completed, NodeState::completed));
}

TEST(TheTableOfNodes, IsDrawnInTheDocs) {
  const std::string page = text_of_file("docs/reference/runs.md");
  EXPECT_NE(page.find("```mermaid\n" + node_states_mermaid() + "```\n"), std::string::npos)
      << "docs/reference/runs.md should have\n"
      << node_states_mermaid();
}

TEST(TheTableOfRuns, LetsOnlyFailedRunsAndFailedCompensationsReopen) {
  for (const RunTransition& row : kRunTransitions) {
    const bool may_be_retried = row.from == RunState::failed || row.from == RunState::compensation_failed;
    EXPECT_TRUE(!is_closed(row.from) || may_be_retried) << to_string(row.from);
  }
}

TEST(TheTableOfRuns, ReachesEveryStateFromCreated) {
  std::vector<bool> reached(static_cast<std::size_t>(kRunStateCount));
  reached[0] = true;
  for (int round = 0; round < kRunStateCount; ++round) {
    for (const RunTransition& row : kRunTransitions) {
      if (reached[static_cast<std::size_t>(row.from)]) reached[static_cast<std::size_t>(row.to)] = true;
    }
  }
  EXPECT_EQ(std::count(reached.begin(), reached.end(), true), kRunStateCount);
}

TEST(TheTableOfRuns, IsDrawnInTheDocs) {
  const std::string page = text_of_file("docs/reference/runs.md");
  EXPECT_NE(page.find("```mermaid\n" + run_states_mermaid() + "```\n"), std::string::npos)
      << "docs/reference/runs.md should have\n"
      << run_states_mermaid();
}

TEST(TheEventsOfRuns, AreAllInTheDocs) {
  const std::string page = text_of_file("docs/reference/runs.md");
  for (int i = 0; i < kRunEventTypeCount; ++i) {
    const std::string name{to_string(static_cast<RunEventType>(i))};
    EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
  }
}

TEST(NamesOfRuns, RoundTripThroughText) {
  for (const RunState state : all_states()) EXPECT_EQ(run_state_from(to_string(state)), state);
  EXPECT_EQ(run_state_from("done"), std::nullopt);
  for (int i = 0; i < kRunKindCount; ++i)
    EXPECT_EQ(run_kind_from(to_string(static_cast<RunKind>(i))), static_cast<RunKind>(i));
  for (int i = 0; i < kNodeStateCount; ++i)
    EXPECT_EQ(node_state_from(to_string(static_cast<NodeState>(i))), static_cast<NodeState>(i));
  for (int i = 0; i < kRunEventTypeCount; ++i)
    EXPECT_EQ(run_event_type_from(to_string(static_cast<RunEventType>(i))), static_cast<RunEventType>(i));
  EXPECT_EQ(to_string(RunEventType::workflow_created), "workflow_created");
  EXPECT_EQ(to_string(RunEventType::checkpoint_written), "checkpoint_written");
  EXPECT_EQ(run_event_type_from("task_lost"), std::nullopt);
}

TEST(ExecutionKeys, OfARunContainTheNodeAndTheAttempt) {
  EXPECT_EQ(execution_key(RunId{}, node_name("ship", {.index = 1}), 2),
            "00000000-0000-0000-0000-000000000000:ship:2");
  EXPECT_EQ(node_name("ship", {.index = 1, .item = 4}), "ship[4]");
}

TEST(APayload, DistinguishesANullOutputFromNone) {
  EXPECT_EQ(payload_of({}).text, "{}");
  EXPECT_EQ(payload_of({.output = {"null"}}).text, R"({"output":null})");
  EXPECT_EQ(parse_payload(R"({"output":null})")->output.text, "null");
  EXPECT_EQ(parse_payload(R"({"output":1.50})")->output.text, "1.50");
}

TEST(APayload, OmitsDefaultTraceFlagsAndState) {
  RunFacts facts{.ns = "default", .workflow = "w", .input = {"1"}, .trace_id = "a", .span_id = "b"};
  const std::string before = payload_of({.run = facts}).text;
  EXPECT_TRUE(before.ends_with(R"("trace_id":"a","span_id":"b"}})")) << before;
  EXPECT_EQ(parse_payload(before)->run, facts) << "rows from before the flags";
  facts.trace_flags = 0;
  facts.tracestate = "v=1";
  const std::string text = payload_of({.run = facts}).text;
  EXPECT_TRUE(text.ends_with(R"("span_id":"b","trace_flags":0,"tracestate":"v=1"}})")) << text;
  EXPECT_EQ(parse_payload(text)->run, facts);
}

TEST(APayload, IsRejectedByFieldIfInvalid) {
  EXPECT_FALSE(parse_payload(R"({"state":"gone"})"));
  EXPECT_FALSE(parse_payload(R"({"node":[1,2,3]})"));
  EXPECT_FALSE(parse_payload(R"({"node":[-1]})"));
  EXPECT_FALSE(parse_payload(R"({"node":["a"]})"));
  EXPECT_FALSE(parse_payload(R"({"task_id":"x"})"));
  EXPECT_FALSE(parse_payload(R"({"more":1})"));
}

}  // namespace
}  // namespace pawl::core
