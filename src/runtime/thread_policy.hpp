#pragma once
// Sets how the kernel shares the processors between our threads.

namespace pawl::runtime {

// Moves the calling thread to the kernel's batch policy; no effect if the kernel does not support it. For the
// threads of callers that a commit wakes.
//
// Speed: without it, each woken thread may take the processor from the committing thread, and the next group
// begins later. It changes only when threads run.
void use_batch_scheduling();

}  // namespace pawl::runtime
