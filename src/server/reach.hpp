#pragma once
// Queue checks for tokens that are bound to queues, where the check must read the store. The queue of a task
// or run never changes, so the result stays valid. Call these on a thread that may block.

#include "core/records/checkpoint.hpp"
#include "core/run/run_command.hpp"
#include "server/calls.hpp"

namespace pawl::server {

// `forbidden` if the task or run in the path belongs to another queue. The call itself reports a missing task
// or run.
[[nodiscard]] core::Status check_path(Services& services, const Request& request);
[[nodiscard]] core::Status check_owner(Services& services, const Request& request,
                                       const core::CheckpointOwner& owner);

// A denial is sent after it is recorded in the audit; other responses are sent immediately.
void answer_or_deny(Services& services, const Request& request, Response response, const Answer& answer);

}  // namespace pawl::server
