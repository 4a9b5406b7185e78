#pragma once
// The service itself: health, readiness, metrics, its API description and the dashboard over HTTP.

#include <span>

#include "server/handlers.hpp"

namespace pawl::server {

[[nodiscard]] std::span<const Handler> service_calls();

}  // namespace pawl::server
