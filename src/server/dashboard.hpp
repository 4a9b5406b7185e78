#pragma once
// Serves the dashboard, which is built from ui/ and embedded in the binary. The page contains no data, so
// anyone may load it; it asks for a token if the calls need one.

#include "server/request.hpp"

namespace pawl::server {

// GET /: the page; in a build without the dashboard, a list of other endpoints.
[[nodiscard]] Response dashboard_page(const Request& request, const std::string& version);
// GET /assets/{name}: a file that the page loads.
[[nodiscard]] Response dashboard_asset(const Request& request);

}  // namespace pawl::server
