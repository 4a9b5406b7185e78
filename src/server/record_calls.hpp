#pragma once
// Locks, idempotency keys, workers, types and checkpoints over HTTP.

#include <span>

#include "server/handlers.hpp"

namespace pawl::server {

[[nodiscard]] std::span<const Handler> record_calls();

}  // namespace pawl::server
