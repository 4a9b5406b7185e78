#pragma once
// What tokens with narrower rights than a role in a namespace may do with a call: tokens bound to queues,
// tokens that only enqueue or only claim, and administrators of some namespaces. The default allows nothing.

#include <cstdint>

namespace pawl::wire {

enum class QueueReach : std::uint8_t {
  none,      // tokens bound to queues are refused
  any,       // the call concerns no queue
  compared,  // the call checks each queue that it touches, or shows only the token's data
  task,      // the path names a task, whose queue is checked
  run,       // the path names a run, whose queue is checked
};

// For calls outside any namespace.
enum class NamespaceReach : std::uint8_t {
  all,    // if the call needs an admin, the token must be for all namespaces
  some,   // shows and changes only data of the token's namespaces
  named,  // the path names the namespace
};

struct Access {
  QueueReach queues = QueueReach::none;
  bool enqueuer = false;  // a token that only enqueues may call it
  bool claimer = false;   // a token that only claims may call it
  NamespaceReach namespaces = NamespaceReach::all;
};

// Shows no data of any queue or namespace.
inline constexpr Access kPublic{.queues = QueueReach::any, .enqueuer = true, .claimer = true};
inline constexpr Access kForEnqueuers{.queues = QueueReach::compared, .enqueuer = true};
inline constexpr Access kForClaimers{.queues = QueueReach::compared, .claimer = true};
// A worker may call these for the run whose body it holds.
inline constexpr Access kForBodies{.queues = QueueReach::run, .claimer = true};
// A lock belongs to the namespace: a claimer of one queue could take a lock that another queue's workers rely
// on.
inline constexpr Access kForLockHolders{.claimer = true};
inline constexpr Access kByTask{.queues = QueueReach::task};
inline constexpr Access kByRun{.queues = QueueReach::run};
inline constexpr Access kByQueues{.queues = QueueReach::compared};
inline constexpr Access kOfSomeNamespaces{.namespaces = NamespaceReach::some};
inline constexpr Access kOfNamedNamespace{.namespaces = NamespaceReach::named};

}  // namespace pawl::wire
