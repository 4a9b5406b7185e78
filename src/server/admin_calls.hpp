#pragma once
// Administration over HTTP: tokens, namespaces, the audit, nodes and operations on the whole store.

#include <span>

#include "server/handlers.hpp"

namespace pawl::server {

[[nodiscard]] std::span<const Handler> admin_calls();

}  // namespace pawl::server
