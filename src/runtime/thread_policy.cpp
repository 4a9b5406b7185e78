#include "runtime/thread_policy.hpp"

#include <pthread.h>
#include <sched.h>

namespace pawl::runtime {

void use_batch_scheduling() {
  const sched_param standard{};
  (void)::pthread_setschedparam(::pthread_self(), SCHED_BATCH, &standard);
}

}  // namespace pawl::runtime
