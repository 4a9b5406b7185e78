#include "core/run/run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/enum_names.hpp"

namespace pawl::core {

namespace {

constexpr std::array<std::string_view, kRunStateCount> kStateNames{
    "created", "running", "sleeping",     "paused",      "completing",          "completed",
    "failing", "failed",  "compensating", "compensated", "compensation_failed", "cancelled"};
constexpr std::array<std::string_view, kRunKindCount> kRunKindNames{"graph", "code", "open"};
constexpr std::array<std::string_view, kStepKindCount> kStepKindNames{
    "function", "sleep", "signal", "child", "task", "compensation", "marker"};
constexpr std::array<std::string_view, kNodeStateCount> kNodeStateNames{
    "blocked", "pending", "running", "waiting", "completed", "failed", "skipped", "cancelled"};

bool goes_nowhere(const Run& run) {
  return is_stopping(run) || is_closed(run.state) || run.state == RunState::compensating;
}

}  // namespace

std::string_view to_string(RunState state) { return kStateNames.at(static_cast<std::size_t>(state)); }
std::optional<RunState> run_state_from(std::string_view name) {
  return enum_from<RunState>(kStateNames, name);
}
std::string_view to_string(RunKind kind) { return kRunKindNames.at(static_cast<std::size_t>(kind)); }
std::optional<RunKind> run_kind_from(std::string_view name) {
  return enum_from<RunKind>(kRunKindNames, name);
}
std::string_view to_string(StepKind kind) { return kStepKindNames.at(static_cast<std::size_t>(kind)); }
std::optional<StepKind> step_kind_from(std::string_view name) {
  return enum_from<StepKind>(kStepKindNames, name);
}
std::string_view to_string(NodeState state) { return kNodeStateNames.at(static_cast<std::size_t>(state)); }
std::optional<NodeState> node_state_from(std::string_view name) {
  return enum_from<NodeState>(kNodeStateNames, name);
}

bool is_closed(RunState state) {
  return state == RunState::completed || state == RunState::failed || state == RunState::compensated ||
         state == RunState::compensation_failed || state == RunState::cancelled;
}

bool is_stopping(const Run& run) { return run.state == RunState::failing || run.cancel_requested; }

RunCounts shown_counts(const Run& run) {
  RunCounts counts = run.counts;
  const std::int64_t claimed = std::min(run.claimed, counts.pending);
  counts.pending -= claimed;
  counts.running += claimed;
  if (!goes_nowhere(run)) return counts;
  counts.cancelled += counts.blocked;
  counts.blocked = 0;
  return counts;
}

std::string traceparent_of(const std::string& trace_id, const std::string& span_id, std::uint8_t flags) {
  if (trace_id.empty() || span_id.empty()) return {};
  return fmt::format("00-{}-{}-{:02x}", trace_id, span_id, flags);
}

Boxed<TraceContext> task_trace_of(const RunFacts& facts) {
  std::string traceparent = traceparent_of(facts.trace_id, facts.span_id, facts.trace_flags);
  if (traceparent.empty() || facts.tracestate.empty()) return {};
  return TraceContext{.traceparent = std::move(traceparent), .tracestate = facts.tracestate};
}

bool is_retrying(const Run& run) { return run.retrying > 0 && !is_closed(run.state); }

bool is_retrying(const Node& node) { return node.state == NodeState::pending && node.error.has_value(); }

Node first_node(const Graph& graph, NodeKey key) {
  Node node{.key = key};
  if (key.item == kNoItem) node.unmet = static_cast<std::uint32_t>(graph.predecessors(key.index).size());
  return node;
}

NodeState shown_state(const Run& run, const Node& node) {
  const bool is_owed = node.kind == StepKind::compensation && run.compensation_error.has_value();
  if (is_owed) return node.state;
  return node.state == NodeState::blocked && goes_nowhere(run) ? NodeState::cancelled : node.state;
}

// Hashes the name, so that a step is found by its name through the key that every node has. FNV-1a, which
// must never change: the stores contain the keys.
NodeKey step_key(std::string_view name, std::uint32_t probe) {
  constexpr std::uint32_t kPlaces = 0x7ffffffe;  // every index except the body's
  std::uint32_t hash = 2166136261U;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  return {.index = 1 + (hash % kPlaces + probe) % kPlaces};
}

std::string node_name(const std::string& id, NodeKey key) {
  return key.item == kNoItem ? id : fmt::format("{}[{}]", id, key.item);
}

std::string operation_key(const RunId& run, const std::string& node) {
  return fmt::format("{}:{}", to_string(run), node);
}

std::string execution_key(const RunId& run, const std::string& node, int attempt) {
  return fmt::format("{}:{}:{}", to_string(run), node, attempt);
}

}  // namespace pawl::core
