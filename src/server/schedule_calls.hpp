#pragma once
// Schedules over HTTP.

#include <span>

#include "server/handlers.hpp"

namespace pawl::server {

[[nodiscard]] std::span<const Handler> schedule_calls();

}  // namespace pawl::server
