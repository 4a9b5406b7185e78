#pragma once
// Creates the first token when a server that is reachable from other machines starts: without a token nothing
// could call it.

#include <string>

#include "core/api/api.hpp"
#include "core/base/result.hpp"

namespace pawl::server {

// Creates an admin token for all namespaces and returns its text. The store keeps only the hash.
[[nodiscard]] core::Result<std::string> create_bootstrap_token(core::Api& api);

}  // namespace pawl::server
