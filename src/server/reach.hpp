#pragma once
// What a token that is bound to queues may reach, where that takes a look at the store. A task's queue and a
// run's never change, so that what was looked at stays true. On a thread that may wait.

#include "core/checkpoint.hpp"
#include "core/run_command.hpp"
#include "server/calls.hpp"

namespace pawl::server {

// `forbidden` if the task or the run that the path names is of another queue. What is not there is for the
// call to refuse.
[[nodiscard]] core::Status check_path(Services& services, const Request& request);
[[nodiscard]] core::Status check_owner(Services& services, const Request& request,
                                       const core::CheckpointOwner& owner);

// The answer to one who is denied something goes out after the audit has it; others go out at once.
void answer_or_deny(Services& services, const Request& request, Response response, const Answer& answer);

}  // namespace pawl::server
