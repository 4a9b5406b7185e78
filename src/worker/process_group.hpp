#pragma once
// Checks whether a process group has a process that still runs. Thread-safe.

#include <sys/types.h>

namespace pawl::worker {

// The kernel also counts zombies, which the first process of a container may never reap; this does not. Reads
// all of /proc; true if that cannot be read.
[[nodiscard]] bool has_living_process(pid_t group);

}  // namespace pawl::worker
