#pragma once
// Steps of code runs over HTTP.

#include <span>

#include "server/handlers.hpp"

namespace pawl::server {

[[nodiscard]] std::span<const Handler> step_calls();

}  // namespace pawl::server
