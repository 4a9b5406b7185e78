#pragma once
// Runs over HTTP.

#include <span>

#include "server/handlers.hpp"

namespace pawl::server {

[[nodiscard]] std::span<const Handler> run_calls();

}  // namespace pawl::server
