#include "engine/run_check.hpp"

#include <map>

#include <fmt/format.h>

namespace pawl::engine {

namespace {

using core::Node;
using core::Run;

template <typename T>
void compare(std::vector<std::string>& differences, std::string_view what, const T& rebuilt,
             const T& stored) {
  if (!(rebuilt == stored)) differences.push_back(fmt::format("{} differs from the events", what));
}

void compare_runs(const Run& rebuilt, const Run& stored, std::vector<std::string>& differences) {
  if (rebuilt.state != stored.state) {
    differences.push_back(
        fmt::format("state is {}, but {} by the events", to_string(stored.state), to_string(rebuilt.state)));
  }
  if (rebuilt.sequence != stored.sequence) {
    differences.push_back(
        fmt::format("sequence is {}, the events go to {}", stored.sequence, rebuilt.sequence));
  }
  compare(differences, "request", rebuilt.facts, stored.facts);
  compare(differences, "custom_status", rebuilt.custom_status, stored.custom_status);
  compare(differences, "output", rebuilt.output, stored.output);
  compare(differences, "error", rebuilt.error, stored.error);
  compare(differences, "deadline_at", rebuilt.deadline_at, stored.deadline_at);
  compare(differences, "wake_at", rebuilt.wake_at, stored.wake_at);
  compare(differences, "counts", rebuilt.counts, stored.counts);
  if (differences.empty()) compare(differences, "the run", rebuilt, stored);
}

template <typename Part, typename KeyOf, typename NameOf>
void compare_parts(const std::vector<Part>& rebuilt, const std::vector<Part>& stored, KeyOf key_of,
                   NameOf name_of, std::vector<std::string>& differences) {
  std::map<decltype(key_of(stored.front())), const Part*> by_key;
  for (const Part& part : stored) by_key.emplace(key_of(part), &part);
  for (const Part& part : rebuilt) {
    const auto found = by_key.find(key_of(part));
    if (found == by_key.end()) {
      differences.push_back(fmt::format("{} is not stored", name_of(part)));
      continue;
    }
    compare(differences, name_of(part), part, *found->second);
    by_key.erase(found);
  }
  for (const auto& [key, part] : by_key)
    differences.push_back(fmt::format("no event mentions {}", name_of(*part)));
}

void check_chain(const store::StoredRun& stored, RunFindings& findings) {
  std::string before;
  std::int64_t last = 0;
  for (const store::StoredEvent& event : stored.events) {
    if (event.event.sequence != last + 1) {
      findings.gaps.push_back(fmt::format("event {} comes after event {}", event.event.sequence, last));
    }
    last = event.event.sequence;
    const std::string hash = core::event_hash(before, stored.run.facts.id, event.event, event.payload);
    if (hash != event.hash)
      findings.chain.push_back(fmt::format("event {} or the one before it was changed", last));
    before = event.hash;  // so that one change is reported once
  }
  if (last != stored.run.sequence)
    findings.gaps.push_back(fmt::format("the run is at {}, its events go to {}", stored.run.sequence, last));
  if (!stored.events.empty() && before != stored.hash)
    findings.chain.emplace_back("the last event does not match the run's hash");
}

// Recounts from the nodes alone, without the events.
void check_counts(const store::StoredRun& stored, core::RunPlan plan, std::vector<std::string>& findings) {
  std::map<core::NodeState, std::int64_t> counted;
  std::map<core::NodeIndex, bool> is_stored;
  for (const Node& node : stored.nodes) {
    const bool is_compensation = plan.graph != nullptr ? plan.graph->is_compensation(node.key.index)
                                                       : node.kind == core::StepKind::compensation;
    if (node.key.item == core::kNoItem) is_stored[node.key.index] = true;
    if (!is_compensation && node.items.value_or(0) == 0) ++counted[node.state];
  }
  if (plan.graph != nullptr && stored.run.started_at) {
    for (const core::NodeIndex index : plan.graph->order()) {
      if (!is_stored.contains(index)) ++counted[core::NodeState::blocked];
    }
  }
  const core::RunCounts& kept = stored.run.counts;
  const std::map<core::NodeState, std::int64_t> expected{
      {core::NodeState::blocked, kept.blocked},     {core::NodeState::pending, kept.pending},
      {core::NodeState::running, kept.running},     {core::NodeState::waiting, kept.waiting},
      {core::NodeState::completed, kept.completed}, {core::NodeState::failed, kept.failed},
      {core::NodeState::skipped, kept.skipped},     {core::NodeState::cancelled, kept.cancelled}};
  for (const auto& [state, count] : expected) {
    if (counted[state] != count)
      findings.push_back(
          fmt::format("{} nodes are {}, the run says {}", counted[state], to_string(state), count));
  }
  if (core::is_closed(stored.run.state) && kept.live() > 0)
    findings.push_back(fmt::format("the run is {} and {} of its tasks are under way",
                                   to_string(stored.run.state), kept.live()));
}

}  // namespace

core::Result<core::ReplayedRun, std::string> rebuild(const std::vector<store::StoredEvent>& events,
                                                     core::RunPlan plan) {
  std::vector<core::RunEvent> readable;
  readable.reserve(events.size());
  for (const store::StoredEvent& event : events) {
    if (!event.is_readable) return fmt::format("event {} cannot be read", event.event.sequence);
    readable.push_back(event.event);
  }
  return core::replay(readable, plan);
}

RunFindings look_at_run(const store::StoredRun& stored, core::RunPlan plan) {
  RunFindings findings;
  check_chain(stored, findings);
  check_counts(stored, plan, findings.standing);
  auto rebuilt = rebuild(stored.events, plan);
  if (!rebuilt) {
    findings.replay.push_back(rebuilt.problem());
    return findings;
  }
  findings.rebuilt = std::move(*rebuilt);
  compare_runs(findings.rebuilt.run, stored.run, findings.replay);
  const auto node_name = [](const Node& node) {
    return node.key.item == core::kNoItem ? fmt::format("node {}", node.key.index)
                                          : fmt::format("node {}[{}]", node.key.index, node.key.item);
  };
  compare_parts(
      findings.rebuilt.nodes, stored.nodes, [](const Node& node) { return node.key; }, node_name,
      findings.replay);
  compare_parts(
      findings.rebuilt.signals, stored.signals, [](const core::Signal& signal) { return signal.sequence; },
      [](const core::Signal& signal) { return fmt::format("signal {}", signal.sequence); }, findings.replay);
  return findings;
}

}  // namespace pawl::engine
