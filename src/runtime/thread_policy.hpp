#pragma once
// Sets how the kernel shares the processors between our threads.

namespace pawl::runtime {

// For a thread of which there are many, each woken by the thread that commits for all. Without it, each
// thread that a commit wakes may take the processor from the committing thread, and the next group begins
// later. No effect if the kernel does not support it.
void let_others_finish();

}  // namespace pawl::runtime
