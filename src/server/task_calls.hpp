#pragma once
// Tasks over HTTP.

#include <span>

#include "server/handlers.hpp"

namespace pawl::server {

[[nodiscard]] std::span<const Handler> task_calls();

}  // namespace pawl::server
