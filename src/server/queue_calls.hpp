#pragma once
// Queues over HTTP.

#include <span>

#include "server/handlers.hpp"

namespace pawl::server {

[[nodiscard]] std::span<const Handler> queue_calls();

}  // namespace pawl::server
