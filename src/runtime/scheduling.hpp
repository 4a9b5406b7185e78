#pragma once
// How the kernel is asked to share the processors between our threads.

namespace pawl::runtime {

// For a thread of which there are many, each woken by the one that commits for all: without this, each of
// those that a commit wakes may take the processor from it, and the next group begins later.
// Where the kernel does not know it nothing changes.
void let_others_finish();

}  // namespace pawl::runtime
