#pragma once
// Defines, for each call, what tokens with narrower rights than a role in a namespace may do: tokens bound to
// queues, tokens that only enqueue or only claim, and administrators of some namespaces.
//
// A call without a row does not compile, and the default of a row allows nothing.

#include <cstdint>

#include "wire/routes.hpp"

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
[[nodiscard]] Access access_of(Call call);

}  // namespace pawl::wire
