#pragma once
// What each call is for tokens that are narrower than a role in a whole namespace: those that are bound to
// queues, those that only enqueue or only claim, and those that administer some namespaces.
//
// Always: a call without a row does not compile, and the default of a row allows nothing.

#include <cstdint>

#include "wire/routes.hpp"

namespace pawl::wire {

enum class QueueReach : std::uint8_t {
  none,      // a token that is bound to queues is refused
  any,       // it concerns no queue
  compared,  // the call itself compares each queue that it touches, or shows only what is the token's
  task,      // the path names a task, whose queue is compared
  run,       // the path names a run, whose queue is compared
};

// Of calls that are in no namespace.
enum class NamespaceReach : std::uint8_t {
  all,    // needs a token for all namespaces, where it needs an administrator's
  some,   // shows and changes only what is of the token's namespaces
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
