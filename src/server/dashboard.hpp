#pragma once
// The dashboard, which is built from ui/ and lies in the binary. The page holds no data: anyone may have it,
// and it asks for a token where the calls need one.

#include "server/request.hpp"

namespace pawl::server {

// GET /: the page; in a build without it, where else to look.
[[nodiscard]] Response dashboard_page(const Request& request, const std::string& version);
// GET /assets/{name}: what the page loads.
[[nodiscard]] Response dashboard_asset(const Request& request);

}  // namespace pawl::server
