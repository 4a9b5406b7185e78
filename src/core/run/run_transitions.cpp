#include "core/run/run_transitions.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace pawl::core {

namespace {

// The states that may follow, as bits, by the state before and the event: a lookup for each event of a run.
template <typename Bits, std::size_t States>
using Followers = std::array<std::array<Bits, kRunEventTypeCount>, States>;

constexpr auto kRunFollowers = [] {
  Followers<std::uint16_t, kRunStateCount> followers{};
  for (const RunTransition& row : kRunTransitions) {
    auto& bits = followers[static_cast<std::size_t>(row.from)][static_cast<std::size_t>(row.event)];
    bits = static_cast<std::uint16_t>(bits | 1U << static_cast<unsigned>(row.to));
  }
  return followers;
}();

constexpr auto kNodeFollowers = [] {
  Followers<std::uint8_t, kNodeStateCount> followers{};
  for (const NodeTransition& row : kNodeTransitions) {
    for (std::size_t from = 0; from < kNodeStateCount; ++from) {
      if (!row.from.contains(static_cast<NodeState>(from))) continue;
      auto& bits = followers[from][static_cast<std::size_t>(row.event)];
      bits = static_cast<std::uint8_t>(bits | 1U << static_cast<unsigned>(row.to));
    }
  }
  return followers;
}();

// The states that may follow by any event.
constexpr auto kRunMoves = [] {
  std::array<std::uint16_t, kRunStateCount> moves{};
  for (const RunTransition& row : kRunTransitions) {
    auto& bits = moves[static_cast<std::size_t>(row.from)];
    bits = static_cast<std::uint16_t>(bits | 1U << static_cast<unsigned>(row.to));
  }
  return moves;
}();

template <typename Table, typename State>
bool has_row(const Table& followers, State from, RunEventType event, State to) {
  const auto bits = followers[static_cast<std::size_t>(from)][static_cast<std::size_t>(event)];
  return (static_cast<unsigned>(bits) >> static_cast<unsigned>(to) & 1U) != 0;
}

// The arrows of a diagram in the order of the table, each with all its events.
class Arrows {
 public:
  void add(std::string_view from, std::string_view to, RunEventType event) {
    const auto found = std::find_if(arrows_.begin(), arrows_.end(),
                                    [&](const Arrow& arrow) { return arrow.from == from && arrow.to == to; });
    if (found == arrows_.end()) {
      arrows_.push_back({.from = from, .to = to, .events = std::string{to_string(event)}});
    } else {
      found->events += fmt::format(", {}", to_string(event));
    }
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const Arrow& arrow : arrows_)
      out += fmt::format("  {} --> {}: {}\n", arrow.from, arrow.to, arrow.events);
    return out;
  }

 private:
  struct Arrow {
    std::string_view from;
    std::string_view to;
    std::string events;
  };
  std::vector<Arrow> arrows_;
};

}  // namespace

bool may_move(RunState from, RunState to) {
  const auto bits = kRunMoves[static_cast<std::size_t>(from)];
  return (static_cast<unsigned>(bits) >> static_cast<unsigned>(to) & 1U) != 0;
}

bool move_to(Run& run, RunEventType event, RunState to) {
  if (!has_row(kRunFollowers, run.state, event, to)) return false;
  run.state = to;
  run.wake_at.reset();
  return true;
}

bool may_become(NodeState from, RunEventType event, NodeState to) {
  return has_row(kNodeFollowers, from, event, to);
}

std::string run_states_mermaid() {
  Arrows arrows;
  for (const RunTransition& row : kRunTransitions)
    arrows.add(to_string(row.from), to_string(row.to), row.event);
  std::string out = "stateDiagram-v2\n  [*] --> created\n" + arrows.text();
  for (int i = 0; i < kRunStateCount; ++i) {
    if (const auto state = static_cast<RunState>(i); is_closed(state))
      out += fmt::format("  {} --> [*]\n", to_string(state));
  }
  return out;
}

std::string node_states_mermaid() {
  std::string out = "stateDiagram-v2\n  [*] --> blocked\n  state live {\n";
  Arrows arrows;
  for (int i = 0; i < kNodeStateCount; ++i) {
    if (const auto state = static_cast<NodeState>(i); kLiveNode.contains(state))
      out += fmt::format("    {}\n", to_string(state));
  }
  for (const NodeTransition& row : kNodeTransitions) {
    if (row.from.bits == kLiveNode.bits) {
      arrows.add("live", to_string(row.to), row.event);
      continue;
    }
    for (int i = 0; i < kNodeStateCount; ++i) {
      if (const auto from = static_cast<NodeState>(i); row.from.contains(from))
        arrows.add(to_string(from), to_string(row.to), row.event);
    }
  }
  return out + "  }\n" + arrows.text();
}

}  // namespace pawl::core
