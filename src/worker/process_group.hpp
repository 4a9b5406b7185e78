#pragma once
// Whether somebody in a process group is still at work. Any thread.

#include <sys/types.h>

namespace pawl::worker {

// The kernel also counts those that have ended and that their parent has not taken yet, which the first
// process of a container may never do: this does not. Reads all of /proc; true where that cannot be read.
[[nodiscard]] bool has_living_process(pid_t group);

}  // namespace pawl::worker
