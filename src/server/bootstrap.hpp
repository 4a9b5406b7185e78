#pragma once
// The first start where others can reach the server: without a token nobody could call it.

#include <string>

#include "core/api.hpp"
#include "core/result.hpp"

namespace pawl::server {

// A token of an admin for all namespaces, as its holder sends it. It is stored as a hash only.
[[nodiscard]] core::Result<std::string> create_bootstrap_token(core::Api& api);

}  // namespace pawl::server
