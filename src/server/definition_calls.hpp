#pragma once
// Workflow definitions over HTTP.

#include <span>

#include "server/handlers.hpp"

namespace pawl::server {

[[nodiscard]] std::span<const Handler> definition_calls();

}  // namespace pawl::server
