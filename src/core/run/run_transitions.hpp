#pragma once
// The state tables of runs and of their nodes: one row for each event that moves one of them. `apply` refuses
// an event whose row is missing. The diagrams of docs/reference/runs.md are generated from the tables. Pure.

#include <array>
#include <cstdint>
#include <string>

#include "core/run/run.hpp"
#include "core/run/run_event.hpp"

namespace pawl::core {

struct RunTransition {
  RunState from;
  RunEventType event;
  RunState to;
};

// An event that moves a run twice has two rows: workflow_completed passes through `completing`, and an event
// that fails a run and undoes it passes through `failing`.
inline constexpr std::array kRunTransitions{
    RunTransition{RunState::created, RunEventType::workflow_started, RunState::running},
    RunTransition{RunState::created, RunEventType::workflow_cancelled, RunState::cancelled},

    RunTransition{RunState::running, RunEventType::workflow_sleeping, RunState::sleeping},
    RunTransition{RunState::running, RunEventType::workflow_paused, RunState::paused},
    RunTransition{RunState::running, RunEventType::workflow_completed, RunState::completing},
    RunTransition{RunState::running, RunEventType::task_failed, RunState::failing},
    RunTransition{RunState::running, RunEventType::deadline_exceeded, RunState::failing},
    RunTransition{RunState::running, RunEventType::workflow_failed, RunState::failing},
    RunTransition{RunState::running, RunEventType::workflow_cancelled, RunState::failing},
    RunTransition{RunState::running, RunEventType::compensation_triggered, RunState::failing},
    RunTransition{RunState::running, RunEventType::workflow_cancelled, RunState::cancelled},

    RunTransition{RunState::sleeping, RunEventType::workflow_woken, RunState::running},
    RunTransition{RunState::sleeping, RunEventType::workflow_paused, RunState::paused},
    RunTransition{RunState::sleeping, RunEventType::task_failed, RunState::failing},
    RunTransition{RunState::sleeping, RunEventType::deadline_exceeded, RunState::failing},
    RunTransition{RunState::sleeping, RunEventType::workflow_failed, RunState::failing},
    RunTransition{RunState::sleeping, RunEventType::workflow_cancelled, RunState::failing},
    RunTransition{RunState::sleeping, RunEventType::compensation_triggered, RunState::failing},
    RunTransition{RunState::sleeping, RunEventType::workflow_cancelled, RunState::cancelled},

    RunTransition{RunState::paused, RunEventType::workflow_resumed, RunState::running},
    RunTransition{RunState::paused, RunEventType::task_failed, RunState::failing},
    RunTransition{RunState::paused, RunEventType::deadline_exceeded, RunState::failing},
    RunTransition{RunState::paused, RunEventType::workflow_failed, RunState::failing},
    RunTransition{RunState::paused, RunEventType::workflow_cancelled, RunState::failing},
    RunTransition{RunState::paused, RunEventType::compensation_triggered, RunState::failing},
    RunTransition{RunState::paused, RunEventType::workflow_cancelled, RunState::cancelled},

    RunTransition{RunState::completing, RunEventType::workflow_completed, RunState::completed},

    RunTransition{RunState::failing, RunEventType::workflow_retried, RunState::running},
    RunTransition{RunState::failing, RunEventType::compensation_triggered, RunState::compensating},
    // Nothing could be undone.
    RunTransition{RunState::failing, RunEventType::workflow_failed, RunState::compensating},
    RunTransition{RunState::failing, RunEventType::workflow_failed, RunState::failed},
    RunTransition{RunState::failing, RunEventType::workflow_cancelled, RunState::cancelled},

    RunTransition{RunState::failed, RunEventType::workflow_retried, RunState::running},
    RunTransition{RunState::failed, RunEventType::compensation_triggered, RunState::compensating},

    RunTransition{RunState::compensating, RunEventType::compensation_completed, RunState::compensated},
    // A code run has undone everything; a graph run has no failed compensation left.
    RunTransition{RunState::compensating, RunEventType::workflow_failed, RunState::compensated},
    RunTransition{RunState::compensating, RunEventType::workflow_failed, RunState::compensation_failed},
    // In logs of older versions the first failed compensation ends the run.
    RunTransition{RunState::compensating, RunEventType::compensation_failed, RunState::compensation_failed},
    RunTransition{RunState::compensating, RunEventType::workflow_cancelled,
                  RunState::cancelled},  // terminated

    RunTransition{RunState::compensation_failed, RunEventType::workflow_retried, RunState::compensating},
    RunTransition{RunState::compensation_failed, RunEventType::task_skipped, RunState::compensating},
};

// A set of node states.
struct NodeStates {
  std::uint8_t bits = 0;

  [[nodiscard]] constexpr bool contains(NodeState state) const {
    return (bits >> static_cast<unsigned>(state) & 1U) != 0;
  }
};

template <typename... States>
constexpr NodeStates any_of_states(States... states) {
  return {static_cast<std::uint8_t>((0U | ... | (1U << static_cast<unsigned>(states))))};
}

inline constexpr NodeStates kLiveNode =
    any_of_states(NodeState::blocked, NodeState::pending, NodeState::running, NodeState::waiting);
inline constexpr NodeStates kRetriedNode = any_of_states(NodeState::failed, NodeState::cancelled);
inline constexpr NodeStates kEndedBody =
    any_of_states(NodeState::completed, NodeState::failed, NodeState::cancelled);

struct NodeTransition {
  NodeStates from = {};
  RunEventType event = {};
  NodeState to = {};
};

// Every live state is equal here: a worker need not report the start of a task, and a step need not have been
// shown as started.
inline constexpr std::array kNodeTransitions{
    NodeTransition{kLiveNode, RunEventType::task_scheduled, NodeState::pending},
    // Its signal is awaited, or the elements of its for_each are known.
    NodeTransition{kLiveNode, RunEventType::task_scheduled, NodeState::waiting},
    NodeTransition{kLiveNode, RunEventType::task_scheduled, NodeState::blocked},  // in a paused run
    NodeTransition{kLiveNode, RunEventType::task_started, NodeState::running},
    NodeTransition{kLiveNode, RunEventType::task_retrying, NodeState::pending},
    NodeTransition{kLiveNode, RunEventType::task_completed, NodeState::completed},
    NodeTransition{kLiveNode, RunEventType::task_failed, NodeState::failed},
    NodeTransition{kLiveNode, RunEventType::task_skipped, NodeState::skipped},
    NodeTransition{kLiveNode, RunEventType::task_cancelled, NodeState::cancelled},

    NodeTransition{kLiveNode, RunEventType::step_started, NodeState::running},
    NodeTransition{kLiveNode, RunEventType::step_started, NodeState::waiting},  // for a signal or a time
    NodeTransition{kLiveNode, RunEventType::step_retrying, NodeState::pending},
    NodeTransition{kLiveNode, RunEventType::step_completed, NodeState::completed},
    NodeTransition{kLiveNode, RunEventType::step_failed, NodeState::failed},

    NodeTransition{kLiveNode, RunEventType::timer_set, NodeState::waiting},
    NodeTransition{kLiveNode, RunEventType::child_started, NodeState::waiting},
    NodeTransition{kLiveNode, RunEventType::compensation_completed, NodeState::completed},
    NodeTransition{kLiveNode, RunEventType::compensation_failed, NodeState::failed},

    // By hand: a task of an open run, a run, and a failed compensation that is given up.
    NodeTransition{kLiveNode, RunEventType::task_retrying, NodeState::blocked},
    NodeTransition{kRetriedNode, RunEventType::task_retrying, NodeState::blocked},
    NodeTransition{kRetriedNode, RunEventType::workflow_retried, NodeState::blocked},
    NodeTransition{kRetriedNode, RunEventType::workflow_retried, NodeState::waiting},  // for its elements
    NodeTransition{any_of_states(NodeState::failed), RunEventType::task_skipped, NodeState::skipped},

    // The body of a code run runs again to undo.
    NodeTransition{kEndedBody, RunEventType::compensation_triggered, NodeState::blocked},
    NodeTransition{any_of_states(NodeState::completed), RunEventType::workflow_retried, NodeState::blocked},
};

// Whether some event moves a run so.
[[nodiscard]] bool may_move(RunState from, RunState to);
// Sets the run's state if the table has the row.
[[nodiscard]] bool move_to(Run& run, RunEventType event, RunState to);
// Whether the table has the row.
[[nodiscard]] bool may_become(NodeState from, RunEventType event, NodeState to);

// The tables as Mermaid state diagrams, for the docs.
[[nodiscard]] std::string run_states_mermaid();
[[nodiscard]] std::string node_states_mermaid();

}  // namespace pawl::core
