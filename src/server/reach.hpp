#pragma once
// What the token of an admitted request may act on and see.

#include "core/records/checkpoint.hpp"
#include "core/run/run_command.hpp"
#include "server/services.hpp"

namespace pawl::server {

// Whether the caller may act on this queue.
[[nodiscard]] core::Status check_queue(const Request& request, const std::string& name);
// Whether the token covers all of these namespaces ("*": every namespace).
[[nodiscard]] bool sees_namespaces(const Request& request, const std::vector<std::string>& namespaces);
// Whether the token may only enqueue: such tokens must not see existing data.
[[nodiscard]] bool reads_nothing(const Request& request);

// These read the store, so call them on a thread that may block. The queue of a task or run never changes, so
// the result stays valid.

// `forbidden` if the task or run in the path belongs to another queue. The call itself reports a missing task
// or run.
[[nodiscard]] core::Status check_path(Services& services, const Request& request);
[[nodiscard]] core::Status check_owner(Services& services, const Request& request,
                                       const core::CheckpointOwner& owner);

}  // namespace pawl::server
