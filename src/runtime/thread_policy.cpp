#include "runtime/scheduling.hpp"

#include <pthread.h>
#include <sched.h>

namespace pawl::runtime {

void let_others_finish() {
  const sched_param standard{};
  (void)::pthread_setschedparam(::pthread_self(), SCHED_BATCH, &standard);
}

}  // namespace pawl::runtime
